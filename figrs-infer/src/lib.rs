//! Inference algorithms for figrs models, and the answers that they return.
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
//! Every algorithm implements [`Algorithm`] and is run through [`Run`]. Every run returns an [`Answer`], which contains one of three things:
//! [`Marginal`]s with their quality (exact or estimated), [`Bounds`], or a world (an assignment of values to all elements) with high probability.
//!
//! | algorithm | where |
//! |---|---|
//! | [`Enumerate`], [`VariableElimination`], [`LazyVariableElimination`], [`MpeVariableElimination`], [`MarginalMap`], [`JunctionTree`], [`CompiledTree`], [`Frontier`], [`CompiledFrontier`], [`FirstTrue`], [`Circuit`], [`CompiledCircuit`], [`MpeBranchAndBound`], [`Slices`], [`MpeSlices`]; [`Exact`], [`MpeExact`], which choose among these; [`Strategy`], which tries algorithms on a model and its sub-models; [`BeliefPropagation`], [`MpeBeliefPropagation`] | `figrs-exact` |
//! | [`ForwardSampling`], [`RejectionSampling`], [`ImportanceSampling`] | `sampling/` |
//! | [`SequentialMonteCarlo`] | `smc/` |
//! | [`MetropolisHastings`], [`Gibbs`], [`SimulatedAnnealing`] | `mcmc/` |
//! | [`ParticleFilter`], a model in time step by step | `particle_filter/` |
//! | [`SelfChecked`], any exact algorithm checked against worlds | `self_checked.rs` |
//! | [`compare`], algorithms side by side | `compare/` |
//! | [`Predict`], predictions from an answer | `prediction/` |
//! | [`evidence_given`], the evidence of one model as a weight in another | `evidence_given.rs` |
//!
//! [`Marginal::quality`] and the standard errors of all estimates state the quality of an answer. [`Answer::diagnose`] looks for reasons to
//! doubt the answer, with the measures of [`diagnostics`]. The text of an [`Answer`] contains the quality and the diagnosis in short form.
//! [`compare`] runs several algorithms on one question and compares them. Charts, pages and files of draws are in the crate `figrs-report`.

#![warn(clippy::unwrap_used)]

mod compare;
mod evidence_given;
#[doc(hidden)]
pub mod mcmc;
mod particle_filter;
mod prediction;
#[doc(hidden)]
pub mod sampling;
mod self_checked;
#[doc(hidden)]
pub mod smc;

pub use compare::{
    Compare, Comparison, ComparisonRow, ComparisonStep, Curve, CurvePoint, Estimand,
    ExactReference, Verdict, compare,
};
pub use evidence_given::{EvidenceError, evidence_given};
#[doc(hidden)]
pub use figrs_answer::conflict::minimal_conflict;
pub use figrs_answer::{
    Algorithm, AlgorithmAttempt, AlgorithmChoice, Answer, AttemptOutcome, ClosedForm, Deepening,
    DeepeningEnd, Diagnosis, Draws, Error, Estimate, FamilyMixture, Finding, ItemSampler, Latest,
    LogEvidence, Marginal, Measure, MergeableSampler, NormalComponent, NormalMixture, Part,
    Partial, PortablePart, PortablePartOf, PortableSums, PortableTargets, PortableUnit, Posterior,
    Progress, Quality, Quantity, Replicate, ResumableSampler, Run, RunState, RunStatistics,
    Running, SavedRun, SubmodelQuality, SubmodelSolution, Sums, TargetBounds, TargetDraws,
    TargetMarginal, Turn, World, algorithms, diagnostics, in_order, missing_in_batch, unseen_share,
};
pub use figrs_exact::{
    BeliefPropagation, Circuit, Compiled, CompiledCircuit, CompiledExact, CompiledForm,
    CompiledFrontier, CompiledTree, EliminationStep, EliminationTree, Enumerate, Exact, FirstTrue,
    Frontier, JunctionTree, LazyVariableElimination, MarginalMap, MpeBeliefPropagation,
    MpeBranchAndBound, MpeExact, MpeSlices, MpeVariableElimination, SavedTree, SliceCost,
    SliceSums, SliceTotal, Slices, Strategy, VariableElimination,
};
pub use figrs_factor::bounds::{Bounds, Improvement};
pub use figrs_factor::{Limits, Stopped, WorkBudget};
pub use mcmc::gibbs::{Gibbs, GibbsKernel, GibbsSums};
pub use mcmc::metropolis_hastings::{MetropolisHastings, MetropolisSums, Move};
pub use mcmc::simulated_annealing::SimulatedAnnealing;
pub use particle_filter::{ParticleFilter, SavedParticles};
pub use prediction::{Predict, Predictive};
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
        BarrenFactors, EliminationError, EliminationResult, MarginalMapCost, MarginalTable, Order,
        PlanCost, eliminate, log_weight, marginal_map, marginal_map_cost, most_probable, plan_cost,
        sum_product,
    };
}

/// Items of inference algorithms that only the tests and benchmarks of figrs use. The module `internals` is not part of the public interface: any
/// version may change it.
#[doc(hidden)]
pub mod internals {
    pub use crate::compare::{drawable, range};
    pub use crate::mcmc::metropolis_hastings::{
        AcceptanceTerms, Kernel, Proposals, StepDecisions, StepOutcome,
    };
    pub use crate::smc::particle_filter;
    pub use figrs_answer::answer::chain_error::ConcatenatedChains;
    pub use figrs_answer::answer::marginal::{NumericColumns, NumericValue, numbers};
    pub use figrs_answer::answer::value_names::{distinct_names, text};
    pub use figrs_answer::conflict::{check_failures, impossible};
    pub use figrs_answer::{Listener, expand};
}
