//! A model prepared for learning, with its cases.

use figrs_core::expand::LearnedParameter;
use figrs_core::{Datum, Until};

use super::case_rows::{CaseRow, CaseRows};
use super::case_table::CaseTable;
use super::expected_counts::{ExpectationStep, Expected};
use super::observed_information::{InformationSource, StandardErrors};
use crate::error::Error;

/// A model prepared for expectation steps, with the cases that were learned from.
#[derive(Debug)]
pub(super) struct Learner {
    pub(super) step: Box<dyn ExpectationStep>,
    pub(super) cases: CaseTable,
    pub(super) with_prior: bool,
    pub(super) threads: usize,
}

impl Learner {
    /// Number of numbers of all parameters.
    pub(super) fn numbers(&self) -> usize {
        let learned = self.step.outcomes().learned().iter();
        learned.map(|learned| learned.params.len()).sum()
    }

    /// The present values of the parameters.
    pub(super) fn values(&self) -> Vec<Datum> {
        let learned = self.step.outcomes().learned().iter();
        learned.map(LearnedParameter::value).collect()
    }

    /// Sets the parameters.
    pub(super) fn set<'a>(&self, values: impl IntoIterator<Item = &'a Datum>) {
        for (learned, value) in self.step.outcomes().learned().iter().zip(values) {
            learned.set(value);
        }
    }

    /// Adds the expected counts of other cases to some, sets the parameters to what all of them make most likely, and keeps the cases; the
    /// log-likelihood of the cases before, not a number if there is none.
    pub(super) fn update(
        &mut self,
        cases: &CaseTable,
        counts: &mut Vec<f64>,
        until: &Until,
    ) -> Result<f64, Error> {
        let mut added = CaseRows::default();
        self.cases
            .translate(cases, |weight, row| added.push(weight, row))?;
        self.step.extend(&self.cases)?;
        let outcomes = self.step.outcomes();
        let log_weights = outcomes.log_weights()?;
        let rows: Vec<CaseRow<'_>> = added.iter().collect();
        let expected = self
            .step
            .expect(&rows, &log_weights, (self.threads, until))?;
        let mut sum = Expected::none(outcomes.len());
        sum.counts[..counts.len()].copy_from_slice(counts);
        sum.absorb(&expected);
        outcomes.maximise(&sum.counts, self.with_prior)?;
        *counts = sum.counts;
        self.cases.rows.append(&added);
        Ok(expected.log_likelihood.unwrap_or(f64::NAN))
    }

    /// The standard errors at the present values.
    ///
    /// **Errors.** [`Error::TooManyNumbers`]; [`Error::InexactCounts`] if the expectation step is not exact.
    pub(super) fn standard_errors(&self, until: &Until) -> Result<StandardErrors, Error> {
        if !self.step.is_exact() {
            return Err(Error::InexactCounts);
        }
        let rows: Vec<CaseRow<'_>> = self.cases.rows.iter().collect();
        InformationSource {
            step: &*self.step,
            rows: &rows,
            with_prior: self.with_prior,
            threads: self.threads,
            until,
        }
        .standard_errors()
    }
}
