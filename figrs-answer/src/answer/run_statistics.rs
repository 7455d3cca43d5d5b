//! Statistics of the runs of samplers and other iterative algorithms.

use std::time::Duration;

use figrs_factor::Stopped;

/// Statistics of the run of a sampler or of another iterative algorithm.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RunStatistics {
    /// The reason why the run ended.
    pub stopped: Stopped,
    /// Number of samples, steps or sweeps that were made, over all Markov chains.
    pub done: u64,
    /// Requested number of samples, steps or sweeps, if the run has such a limit.
    pub asked: Option<u64>,
    /// Number of independent Markov chains, or of independent populations of particles; one if the samples are independent.
    pub chains: usize,
    /// Wall-clock time of the run.
    pub elapsed: Duration,
    /// The fraction of accepted proposals, or of samples that satisfied the evidence; `None` for other algorithms.
    pub acceptance: Option<f64>,
    /// The fraction of the total weight that the heaviest draw has, if draws are weighted.
    pub largest_share: Option<f64>,
    /// The Pareto k-hat of the weights of independent draws ([`pareto_k`](crate::quality::diagnostics::pareto_k)), if there are enough draws.
    pub pareto_k: Option<f64>,
    /// Largest change of a number in the last iteration, for an algorithm that iterates to a fixed point.
    pub residual: Option<f64>,
    /// The largest change of a number in an iteration at which the algorithm counts as converged.
    pub tolerance: Option<f64>,
    /// For a sampler that updates blocks of variables, the number of groups of variables that are connected by zeros of factors and do not lie in a
    /// single block. If this number is zero, the sampler can reach every possible world; otherwise it is not known whether the sampler can.
    pub cut_groups: Option<u64>,
    /// Number of resampling steps, over all populations of particles.
    pub resampled: Option<u64>,
    /// The indices of the populations of particles that died, because none of their particles satisfied all evidence.
    pub died: Option<Vec<u64>>,
    /// Number of random elements that were summed or integrated out exactly instead of being drawn.
    pub integrated_out: Option<u64>,
}

impl RunStatistics {
    /// Creates statistics with the three given fields; all other fields are empty.
    #[doc(hidden)]
    pub fn new(stopped: Stopped, done: u64, elapsed: Duration) -> Self {
        Self {
            stopped,
            done,
            asked: None,
            chains: 1,
            elapsed,
            acceptance: None,
            largest_share: None,
            pareto_k: None,
            residual: None,
            tolerance: None,
            cut_groups: None,
            resampled: None,
            died: None,
            integrated_out: None,
        }
    }
}
