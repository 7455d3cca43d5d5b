//! The algorithms that the comparison can run, with their names.

use clap::ValueEnum;
use figrs::prelude::*;
use figrs::{
    BeliefPropagation, LazyVariableElimination, MpeBeliefPropagation, MpeBranchAndBound,
    SimulatedAnnealing,
};
use figrs_command::stop;
use figrs_reals::{ExpectationPropagation, WithReals};

use super::watch::Watch;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Name {
    Enumerate,
    VariableElimination,
    JunctionTree,
    Frontier,
    LazyVariableElimination,
    BeliefPropagation,
    ExpectationPropagation,
    MpeVariableElimination,
    MpeBranchAndBound,
    MpeBeliefPropagation,
    SimulatedAnnealing,
    ForwardSampling,
    RejectionSampling,
    ImportanceSampling,
    SequentialMonteCarlo,
    MetropolisHastings,
    Gibbs,
}

/// Gives an algorithm the interrupt, the listener and the deadline of a watch.
macro_rules! watched {
    ($algorithm:expr, $watch:expr) => {{
        let algorithm = $algorithm
            .interrupt(stop::flag())
            .on_progress($watch.within_step());
        match $watch.deadline() {
            Some(limit) => Box::new(algorithm.deadline(limit)),
            None => Box::new(algorithm),
        }
    }};
}

impl Name {
    /// The default algorithms; slow algorithms stand at the end of the list.
    pub(crate) const USUAL: [Self; 9] = [
        Self::VariableElimination,
        Self::JunctionTree,
        Self::MpeVariableElimination,
        Self::BeliefPropagation,
        Self::ImportanceSampling,
        Self::SequentialMonteCarlo,
        Self::MetropolisHastings,
        Self::Gibbs,
        Self::Enumerate,
    ];

    /// Default algorithms for a model with infinitely many worlds.
    pub(crate) const ENDLESS: [Self; 4] = [
        Self::LazyVariableElimination,
        Self::RejectionSampling,
        Self::ImportanceSampling,
        Self::MetropolisHastings,
    ];

    /// Default algorithms for a model with real numbers.
    pub(crate) const REAL: [Self; 6] = [
        Self::VariableElimination,
        Self::ExpectationPropagation,
        Self::ImportanceSampling,
        Self::SequentialMonteCarlo,
        Self::MetropolisHastings,
        Self::Gibbs,
    ];

    /// True if the algorithm is a sampler that estimates marginals.
    pub(crate) fn is_sampler(self) -> bool {
        matches!(
            self,
            Self::ForwardSampling
                | Self::RejectionSampling
                | Self::ImportanceSampling
                | Self::SequentialMonteCarlo
                | Self::MetropolisHastings
                | Self::Gibbs
        )
    }

    /// Returns the algorithm, set up with the given total number of samples.
    pub(crate) fn algorithm(self, samples: u64, seed: u64, watch: &Watch) -> Box<dyn Algorithm> {
        let share = |parts: u64| samples.div_ceil(parts);
        match self {
            Self::Enumerate => watched!(Enumerate::new(), watch),
            Self::VariableElimination => Box::new(WithReals::new(VariableElimination::new())),
            Self::JunctionTree => Box::new(WithReals::new(JunctionTree::new())),
            Self::Frontier => watched!(Frontier::new(), watch),
            Self::LazyVariableElimination => {
                watched!(LazyVariableElimination::to_width(1e-6), watch)
            }
            Self::BeliefPropagation => watched!(BeliefPropagation::new(), watch),
            Self::ExpectationPropagation => watched!(ExpectationPropagation::new(), watch),
            Self::MpeVariableElimination => Box::new(MpeVariableElimination::new()),
            Self::MpeBranchAndBound => watched!(MpeBranchAndBound::new(), watch),
            Self::MpeBeliefPropagation => watched!(MpeBeliefPropagation::new(), watch),
            Self::SimulatedAnnealing => {
                watched!(
                    SimulatedAnnealing::new(share(4)).chains(4).seed(seed),
                    watch
                )
            }
            Self::ForwardSampling => watched!(ForwardSampling::new(samples).seed(seed), watch),
            Self::RejectionSampling => watched!(RejectionSampling::new(samples).seed(seed), watch),
            Self::ImportanceSampling => {
                watched!(ImportanceSampling::new(samples).seed(seed), watch)
            }
            Self::SequentialMonteCarlo => {
                let particles = usize::try_from(share(16)).unwrap_or(usize::MAX);
                watched!(SequentialMonteCarlo::new(particles).seed(seed), watch)
            }
            Self::MetropolisHastings => {
                watched!(MetropolisHastings::new(samples).seed(seed), watch)
            }
            Self::Gibbs => watched!(Gibbs::new(share(4)).seed(seed), watch),
        }
    }
}
