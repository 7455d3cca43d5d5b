//! The interface of the expectation step of learning, which inference algorithms implement.

use std::fmt;
use std::ops::Range;

use figrs_core::{Model, Until};
use serde::{Deserialize, Serialize};

use super::case_rows::CaseRow;
use super::case_table::CaseTable;
use super::parameters::CountedOutcomes;
use figrs_answer::error::Error;

/// An algorithm that computes expected counts of outcomes, given evidence: the expectation step of
/// [`ExpectationMaximization`](crate::ExpectationMaximization).
///
/// | algorithm | counts | log-likelihood |
/// |---|---|---|
/// | [`JunctionTree`](figrs_infer::JunctionTree), [`VariableElimination`](figrs_infer::VariableElimination) | exact | exact, and no round lowers it |
/// | [`BeliefPropagation`](figrs_infer::BeliefPropagation) | beliefs of factors: exact if the row's factor graph has no loops | negative Bethe free energy, if messages converge |
/// | [`MpeVariableElimination`](figrs_infer::MpeVariableElimination) | counts in the most probable completion (hard EM) | log-likelihood of the completed rows, which no round lowers |
/// | [`Gibbs`](figrs_infer::Gibbs) | frequencies in draws | none, unless rows are complete |
/// | [`ImportanceSampling`](figrs_infer::ImportanceSampling) | sufficient statistics of weighted worlds (also for continuous hidden elements and infinite models) | estimated |
///
/// With the feature `reals`, exact counts also exist for normal variables with linear means: the counts are the expected squares and products of the
/// numbers that a normal variable with learned parameters reads. The type `WithReals` of the crate figrs-reals adds such counts for normal variables
/// to any exact algorithm.
pub trait ExpectedCounts {
    /// Prepares the expectation steps of `model` for the data `cases`: does all work that does not depend on the values of parameters.
    #[doc(hidden)]
    fn prepare(&self, model: &Model, cases: &CaseTable, until: &Until) -> PreparedStep;

    /// Returns, as text, the settings on which expected counts depend; the number of threads is not among these settings.
    #[doc(hidden)]
    fn counting_settings(&self) -> String;
}

/// An expectation step that is prepared for one model and its rows of data, or the reason why it cannot be prepared.
pub(crate) type PreparedStep = Result<Box<dyn ExpectationStep>, Error>;

/// The expectation step, prepared for one model and its rows of data.
pub trait ExpectationStep: fmt::Debug + Send + Sync {
    /// True if the expected counts are exact. If the counts are exact, the differences of counts between neighbouring parameter values approximate
    /// the derivatives of the counts.
    fn is_exact(&self) -> bool;

    /// Returns the outcomes whose expected counts are computed.
    fn outcomes(&self) -> &CountedOutcomes;

    /// Adds the evidence of new values in `cases` to the factors of the model; after an error, the factors are unchanged.
    fn extend(&mut self, cases: &CaseTable) -> Result<(), Error>;

    /// Returns the number of groups (units) into which `rows` rows of data are divided. The groups of rows have equal sizes, and the expected counts
    /// of the groups are added in order.
    fn units(&self, rows: usize) -> u64;

    /// Calls `take` with the expected counts and the log-likelihood of each group of rows (unit), in order. The list `log_weights` has the natural
    /// logarithms of the probabilities of all outcomes.
    fn expect_units(
        &self,
        units: (&[CaseRow<'_>], Range<u64>),
        log_weights: &[f64],
        run: (usize, &Until),
        take: &mut dyn FnMut(Expected),
    ) -> Result<(), Error>;

    /// Returns the expected counts of the rows `rows`, added up over all groups of rows.
    fn expect(
        &self,
        rows: &[CaseRow<'_>],
        log_weights: &[f64],
        run: (usize, &Until),
    ) -> Result<Expected, Error> {
        let mut all = Expected::none(self.outcomes().len());
        let units = 0..self.units(rows.len());
        self.expect_units((rows, units), log_weights, run, &mut |unit| {
            all.absorb(&unit);
        })?;
        Ok(all)
    }
}

/// Expected counts of outcomes, with the log-likelihood of the data.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Expected {
    /// The natural logarithm of the probability of all rows of data, or an approximation of this logarithm; `None` if the algorithm computes neither.
    pub log_likelihood: Option<f64>,
    /// The expected count of each outcome.
    pub counts: Vec<f64>,
}

impl Expected {
    pub(super) fn none(outcomes: usize) -> Self {
        Self {
            log_likelihood: Some(0.0),
            counts: vec![0.0; outcomes],
        }
    }

    pub(super) fn add_log_likelihood(&mut self, log: Option<f64>) {
        self.log_likelihood = self.log_likelihood.zip(log).map(|(sum, log)| sum + log);
    }

    pub(super) fn absorb(&mut self, other: &Self) {
        self.add_log_likelihood(other.log_likelihood);
        for (sum, count) in self.counts.iter_mut().zip(&other.counts) {
            *sum += count;
        }
    }
}
