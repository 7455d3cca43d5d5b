//! Inference algorithms for figrs models, and their answers.
//!
//! ```
//! use figrs_core::{Flip, Model};
//! use figrs_infer::{ImportanceSampling, Run, VariableElimination, algorithms};
//!
//! let rain = Flip::new(0.2);
//! let wet = rain.flat_map(|&rain| Flip::new(if rain { 0.9 } else { 0.1 }));
//! let model = Model::new().observe(&wet, true);
//! for algorithm in algorithms![VariableElimination::new(), ImportanceSampling::new(10_000)] {
//!     let answer = algorithm.run(&model, [&rain])?;
//!     println!("{}: {}", algorithm.name(), answer.summary(&rain)?);
//! }
//! # use figrs_infer::Algorithm;
//! # Ok::<(), figrs_infer::Error>(())
//! ```
//!
//! Every algorithm implements [`Algorithm`] and is called through [`Run`]; every answer is an [`Answer`], whose
//! [`Marginal`]s know whether they are exact or estimates, and how good; or of [`Bounds`].
//!
//! | algorithm | file |
//! |---|---|
//! | [`Enumerate`] | `enumerate.rs` |
//! | [`VariableElimination`] | `variable_elimination.rs`, on [`eliminate`] |
//! | [`LazyVariableElimination`] | `lazy_variable_elimination.rs`, on [`eliminate`]; answers are [`Bounds`] |
//! | [`Frontier`], [`CompiledFrontier`], [`FirstTrue`] | `frontier/` |
//! | [`MpeVariableElimination`] | `mpe.rs`, on [`eliminate`] |
//! | [`MpeBranchAndBound`] | `branch_and_bound/` |
//! | [`MarginalMap`] | `marginal_map.rs`, on [`eliminate`] |
//! | [`JunctionTree`], [`CompiledTree`] | `junction_tree.rs`, `compiled_tree.rs`, on `junction/` |
//! | [`ForwardSampling`], [`RejectionSampling`], [`ImportanceSampling`] | `forward_sampling.rs`, `rejection_sampling.rs`, `importance_sampling.rs`, on `block_sampling.rs` |
//! | [`SequentialMonteCarlo`] | `sequential_monte_carlo.rs`, on [`particle_filter`] |
//! | [`MetropolisHastings`] | [`metropolis_hastings`], on [`Trace`](figrs_core::lower::Trace) |
//! | [`SimulatedAnnealing`] | `simulated_annealing.rs`, by the same steps |
//! | [`Gibbs`] | `gibbs/` |
//! | [`BeliefPropagation`], [`MpeBeliefPropagation`] | `belief_propagation/` |
//!
//! The quality of an answer is read from [`Marginal::quality`] and from the standard errors beside every estimate;
//! [`Answer::diagnose`] looks for reasons to doubt it, with the measures of [`diagnostics`]; the text of an [`Answer`] has
//! both in short. [`Draws`] are written as CSV and as the JSON that ArviZ reads. [`compare`] puts algorithms side by side.
//! With the feature `charts`, which is on by default, posteriors, draws and comparisons are drawn as SVG and written as a
//! page of HTML.

#![warn(clippy::unwrap_used)]

mod algorithm;
mod answer;
mod belief_propagation;
mod block_sampling;
mod block_tally;
mod bounds;
mod branch_and_bound;
mod calls;
mod chain_error;
#[cfg(feature = "charts")]
mod charts;
mod compare;
mod compiled;
mod compiled_tree;
mod conflict;
mod consistency;
mod describe;
mod diagnosis;
pub mod diagnostics;
mod drawing;
mod draws;
pub mod eliminate;
mod elimination_tree;
mod enumerate;
mod error;
mod estimate;
mod export;
mod forward_sampling;
mod frontier;
mod gibbs;
mod group_error;
mod guard;
mod heaviest;
#[cfg(feature = "charts")]
mod html_page;
mod importance_sampling;
mod in_order;
mod junction;
mod junction_tree;
mod lazy_variable_elimination;
mod limits;
mod marginal;
mod marginal_map;
mod maximum;
pub mod metropolis_hastings;
mod mpe;
mod numbers;
mod part;
pub mod particle_filter;
mod pool;
mod population_tally;
mod populations;
mod possible;
mod posterior;
mod quantiles;
mod rejection_sampling;
mod resampling;
mod sampling;
mod saved_tree;
mod self_checked;
mod sequential_monte_carlo;
mod shared_memory;
mod simulated_annealing;
mod tally;
mod target_marginals;
mod turn;
mod variable_elimination;
mod watch;
mod world;

pub use algorithm::{Algorithm, Run};
pub use answer::{Answer, Improvement, LogEvidence, TargetMarginal};
pub use belief_propagation::{BeliefPropagation, MpeBeliefPropagation};
pub use bounds::{Bounds, Deepening, Ended, TargetBounds};
pub use branch_and_bound::MpeBranchAndBound;
#[cfg(feature = "charts")]
pub use charts::ChartError;
pub use compare::{
    Compare, Comparison, Curve, CurvePoint, Estimand, Exact, Row, Step, Verdict, compare,
};
pub use compiled::Compiled;
pub use compiled_tree::CompiledTree;
pub use diagnosis::{Diagnosis, Finding, Measure, Part, Quantity};
pub use draws::{Draws, TargetDraws};
pub use elimination_tree::{EliminationStep, EliminationTree};
pub use enumerate::Enumerate;
pub use error::Error;
pub use estimate::{Estimate, unseen_share};
pub use forward_sampling::ForwardSampling;
pub use frontier::{CompiledFrontier, FirstTrue, Frontier};
pub use gibbs::{Gibbs, GibbsKernel};
#[cfg(feature = "charts")]
pub use html_page::HtmlPage;
pub use importance_sampling::ImportanceSampling;
pub use junction_tree::JunctionTree;
pub use lazy_variable_elimination::LazyVariableElimination;
pub use marginal::{Marginal, Quality};
pub use marginal_map::MarginalMap;
pub use metropolis_hastings::MetropolisHastings;
pub use mpe::MpeVariableElimination;
pub use posterior::Posterior;
pub use rejection_sampling::RejectionSampling;
pub use resampling::Resampling;
pub use sampling::Sampling;
pub use saved_tree::SavedTree;
pub use self_checked::SelfChecked;
pub use sequential_monte_carlo::{
    IndependentDraws, Sequence, SequencePart, SequentialMonteCarlo, Trajectories,
};
pub use simulated_annealing::SimulatedAnnealing;
pub use variable_elimination::VariableElimination;
pub use watch::{Progress, Stopped};
pub use world::World;
