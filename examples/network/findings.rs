//! The answer to a question about a network.

use std::time::Duration;

use figrs::{Bounds, LogEvidence, Marginal, Posterior};
use figrs_command::stop::Reason;
use figrs_network::State;

/// The answer to a task of the command; fields of other tasks are empty.
#[derive(Default)]
pub(crate) struct Findings {
    pub(crate) marginals: Option<Vec<Marginal<State>>>,
    /// The marginal posteriors of the variables, for the pictures of a report.
    pub(crate) posteriors: Vec<Posterior>,
    pub(crate) log_evidence: Option<LogEvidence>,
    /// The states that the tasks mpe and map found.
    pub(crate) mpe: Option<Found>,
    /// The logarithm of the probability of the world that was found, and an upper bound for all worlds, if the two numbers differ.
    pub(crate) mpe_bounds: Option<[f64; 2]>,
    pub(crate) worlds: Option<Vec<Found>>,
    pub(crate) samples: Option<Vec<Vec<State>>>,
    /// The name of the algorithm that computed the answer, if there is an answer.
    pub(crate) algorithm: Option<&'static str>,
    /// The algorithms that were tried, in the order of the attempts.
    pub(crate) tried: Vec<String>,
    /// Bounds of the log-evidence, if its value is unknown.
    pub(crate) evidence_bounds: Option<Bounds>,
    /// The number of possible worlds, in digits.
    pub(crate) count: Option<String>,
    pub(crate) cost: Option<Cost>,
    pub(crate) compile: Option<Duration>,
    pub(crate) query: Option<Duration>,
    /// The reason that the answer is incomplete; `None` if the answer is complete.
    pub(crate) stopped: Option<Reason>,
}

/// The states of the queried variables in one world.
pub(crate) struct Found {
    pub(crate) log_probability: f64,
    pub(crate) states: Vec<State>,
}

pub(crate) struct Cost {
    pub(crate) slices: Option<u64>,
    pub(crate) width: usize,
    pub(crate) operations: f64,
    pub(crate) table_bytes: u64,
}
