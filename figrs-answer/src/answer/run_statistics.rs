//! Run statistics of samplers and other iterative algorithms.

use std::time::Duration;

use figrs_factor::Stopped;

/// Run statistics of a sampler or of another iterative algorithm: end, draws, time, acceptance, weights.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RunStatistics {
    /// Reason for the end of the run.
    pub stopped: Stopped,
    /// Number of samples drawn, steps made, or sweeps done, over all chains.
    pub done: u64,
    /// Requested number of samples, steps or sweeps, if it was limited.
    pub asked: Option<u64>,
    /// Number of independent chains, or of independent populations of particles; one for independent samples.
    pub chains: usize,
    /// Wall-clock time of the run.
    pub elapsed: Duration,
    /// The share of proposals that were accepted, or of samples that met the evidence, if the algorithm has one.
    pub acceptance: Option<f64>,
    /// The largest share of the whole weight that one draw has, if draws are weighted.
    pub largest_share: Option<f64>,
    /// The Pareto k-hat of the weights of independent draws, if there are enough of them; see
    /// [`pareto_k`](crate::quality::diagnostics::pareto_k).
    pub pareto_k: Option<f64>,
    /// Change by the last iteration, for algorithms that iterate to a fixed point.
    pub residual: Option<f64>,
    /// Largest residual at which the algorithm counts as converged.
    pub tolerance: Option<f64>,
    /// For a sampler that moves in blocks: number of groups of variables, tied together by zeros, that no block holds as a whole,
    /// so that it is not known whether every possible world can be reached; zero if every world can be reached.
    pub cut_groups: Option<u64>,
    /// Number of times particles were resampled, over all populations.
    pub resampled: Option<u64>,
    /// The numbers of the populations of particles that died: none of their particles met all evidence.
    pub died: Option<Vec<u64>>,
}

impl RunStatistics {
    /// Statistics of a run with these three fields; all other fields are empty.
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
        }
    }
}
