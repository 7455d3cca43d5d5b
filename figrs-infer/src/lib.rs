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
//! | algorithm | folder |
//! |---|---|
//! | [`Enumerate`], [`VariableElimination`], [`LazyVariableElimination`], [`MpeVariableElimination`], [`MarginalMap`] | `exact/`, on [`eliminate`] |
//! | [`JunctionTree`], [`CompiledTree`] | `exact/tree/` |
//! | [`Frontier`], [`CompiledFrontier`], [`FirstTrue`] | `exact/frontier/` |
//! | [`Circuit`], [`CompiledCircuit`] | `exact/circuit/` |
//! | [`MpeBranchAndBound`] | `exact/branch_and_bound/` |
//! | [`Slices`], [`MpeSlices`] | `exact/slices/` |
//! | [`Exact`], [`MpeExact`], which choose among these | `exact/portfolio/` |
//! | [`ForwardSampling`], [`RejectionSampling`], [`ImportanceSampling`] | `sampling/` |
//! | [`SequentialMonteCarlo`] | `smc/` |
//! | [`MetropolisHastings`], [`Gibbs`], [`SimulatedAnnealing`] | `mcmc/` |
//! | [`BeliefPropagation`], [`MpeBeliefPropagation`] | `belief_propagation/` |
//!
//! The quality of an answer is read from [`Marginal::quality`] and from the standard errors beside every estimate;
//! [`Answer::diagnose`] looks for reasons to doubt it, with the measures of [`diagnostics`]; the text of an [`Answer`] has
//! both in short. [`compare`] puts algorithms side by side. Charts, pages and files of draws are in the crate
//! `figrs-report`.

#![warn(clippy::unwrap_used)]

#[doc(hidden)]
pub mod algorithm;
#[doc(hidden)]
pub mod answer;
#[doc(hidden)]
pub mod belief_propagation;
mod compare;
#[doc(hidden)]
pub mod error;
#[doc(hidden)]
pub mod exact;
#[doc(hidden)]
pub mod limits;
#[doc(hidden)]
pub mod mcmc;
mod prediction;
#[doc(hidden)]
pub mod quality;
#[doc(hidden)]
pub mod run;
#[doc(hidden)]
pub mod sampling;
mod self_checked;
#[doc(hidden)]
pub mod smc;

pub use crate::answer::choice::{AlgorithmAttempt, AlgorithmChoice, AttemptOutcome};
pub use algorithm::{Algorithm, Run};
pub use answer::bounds::{Deepening, DeepeningEnd, TargetBounds};
pub use answer::draws::{Draws, TargetDraws};
pub use answer::estimate::{Estimate, unseen_share};
pub use answer::marginal::Marginal;
pub use answer::posterior::Posterior;
pub use answer::quality::Quality;
pub use answer::run_statistics::Sampling;
pub use answer::world::World;
pub use answer::{Answer, LogEvidence, TargetMarginal};
pub use belief_propagation::{BeliefPropagation, MpeBeliefPropagation};
pub use compare::{
    Compare, Comparison, ComparisonRow, ComparisonStep, Curve, CurvePoint, Estimand,
    ExactReference, Verdict, compare,
};
pub use error::Error;
pub use exact::branch_and_bound::MpeBranchAndBound;
pub use exact::circuit::{Circuit, CompiledCircuit};
pub use exact::compiled::Compiled;
pub use exact::enumerate::Enumerate;
pub use exact::frontier::{CompiledFrontier, FirstTrue, Frontier};
pub use exact::junction_tree::JunctionTree;
pub use exact::junction_tree::compiled_tree::CompiledTree;
pub use exact::junction_tree::elimination_tree::{EliminationStep, EliminationTree};
pub use exact::junction_tree::saved_tree::SavedTree;
pub use exact::lazy_variable_elimination::LazyVariableElimination;
pub use exact::marginal_map::MarginalMap;
pub use exact::mpe::MpeVariableElimination;
pub use exact::portfolio::{CompiledExact, CompiledForm, Exact, MpeExact};
pub use exact::slices::slice_sums::SliceSums;
pub use exact::slices::slice_total::SliceTotal;
pub use exact::slices::{MpeSlices, SliceCost, Slices};
pub use exact::variable_elimination::VariableElimination;
pub use figrs_factor::Stopped;
pub use figrs_factor::bounds::Bounds;
pub use figrs_search::branch_and_bound::Improvement;
pub use mcmc::gibbs::{Gibbs, GibbsKernel, GibbsSums};
pub use mcmc::metropolis_hastings::{MetropolisHastings, MetropolisSums};
pub use mcmc::simulated_annealing::SimulatedAnnealing;
pub use prediction::Predictive;
pub use quality::diagnosis::{Diagnosis, Finding, Measure, Part, Quantity};
pub use quality::diagnostics;
pub use run::item_sampler::{ItemSampler, missing_in_batch};
pub use run::mergeable_sampler::{MergeableSampler, PortablePartOf};
pub use run::partial::{Partial, Sums};
pub use run::portable_part::{PortablePart, PortableSums, PortableUnit};
pub use run::portable_targets::PortableTargets;
pub use run::replicate::Replicate;
pub use run::watch::Progress;
pub use run::work_queue::in_order;
pub use sampling::forward::ForwardSampling;
pub use sampling::importance::ImportanceSampling;
pub use sampling::rejection::RejectionSampling;
pub use sampling::world_sums::WorldSums;
pub use self_checked::SelfChecked;
pub use smc::populations::PopulationSums;
pub use smc::resampling::Resampling;
pub use smc::sequential_monte_carlo::{
    IndependentDraws, Sequence, SequencePart, SequentialMonteCarlo, Trajectories,
};

/// Bucket elimination of factor graphs in any commutative semiring.
pub mod eliminate {
    pub use figrs_factor::algebra::{
        Boolean, Counting, ExponentRange, LogSumProduct, MaxProduct, ScaledMaxProduct, Semiring,
        SumProduct, ValueBounds,
    };
    pub use figrs_factor::eliminate::{
        BarrenFactors, EliminationError, EliminationResult, MarginalMapCost, MarginalTable,
        Options, Order, PlanCost, eliminate, log_weight, marginal_map, marginal_map_cost,
        most_probable, plan_cost, sum_product,
    };
}

/// Parts of engines that the tests and benchmarks of figrs look into. Not for users: they may change with any version.
#[doc(hidden)]
pub mod internals {
    pub use crate::answer::chain_error::ConcatenatedChains;
    pub use crate::answer::numeric::{NumericColumns, NumericValue, numbers};
    pub use crate::answer::value_names::{distinct_names, text};
    pub use crate::compare::{drawable, range};
    pub use crate::mcmc::metropolis_hastings::{
        AcceptanceTerms, Kernel, Proposals, StepDecisions, StepOutcome,
    };
    pub use crate::smc::particle_filter;
}
