//! The interface of the expectation step.

use figrs_core::{Model, Until};

use super::case_table::CaseTable;
use super::parameters::CountedOutcomes;
use crate::error::Error;

/// An algorithm that tells how often outcomes are to be expected in the worlds of given evidence: the expectation step of
/// [`ExpectationMaximization`](crate::ExpectationMaximization).
///
/// [`JunctionTree`](crate::JunctionTree) is exact.
pub trait ExpectedCounts {
    /// Prepares the expectation steps of a model for some cases: all that does not depend on the values of parameters.
    #[doc(hidden)]
    fn prepare(
        &self,
        model: &Model,
        cases: &CaseTable,
        until: &Until,
    ) -> Result<Box<dyn ExpectationStep>, Error>;
}

/// The prepared expectation step of one model and its cases.
pub trait ExpectationStep: Send + Sync {
    /// The outcomes that are counted.
    fn outcomes(&self) -> &CountedOutcomes;

    /// The expected counts, and the log-likelihood, for natural logarithms of the probabilities of all outcomes.
    fn expect(
        &self,
        cases: &CaseTable,
        log_weights: &[f64],
        run: (usize, &Until),
    ) -> Result<Expected, Error>;
}

/// Expected counts of outcomes.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    /// The natural logarithm of the probability of all cases.
    pub log_likelihood: f64,
    /// By outcome.
    pub counts: Vec<f64>,
}
