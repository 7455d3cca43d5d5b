//! A model that is prepared for learning its parameters.

use std::mem;

use figrs_core::Datum;
use figrs_core::expand::LearnedParameter;

use super::case_rows::{CaseRow, CaseRows};
use super::case_table::CaseTable;
use super::expected_counts::{ExpectationStep, Expected};
use super::observed_information::{InformationSource, StandardErrors};
use super::rounds::Rounds;
use figrs_answer::{Error, RunMonitor, Watch};

/// Maximum number of free numbers of all parameters together, up to which standard errors are computed at the end of learning.
const SHOWN_ERRORS: usize = 16;

/// A model prepared for expectation steps, with the columns of its data. A `Fit` (learned parameter values) and its clones share one learner.
#[derive(Debug)]
pub(super) struct Learner {
    pub(super) step: Box<dyn ExpectationStep>,
    /// The columns of data without rows; each column has the distinct values (cells) that have occurred so far.
    pub(super) columns: CaseTable,
    /// Number of distinct rows of data for which the expectation step was prepared.
    pub(super) prepared_rows: usize,
    /// For each column, the number of its distinct cells: one list of numbers when the expectation step was prepared, and one list after each update
    /// with new cells.
    pub(super) stages: Vec<Vec<usize>>,
    pub(super) with_prior: bool,
    pub(super) threads: usize,
    pub(super) watch: Watch,
}

impl Learner {
    /// Returns the total number of numbers in the values of all parameters.
    pub(super) fn numbers(&self) -> usize {
        let learned = self.step.outcomes().learned().iter();
        learned.map(|learned| learned.params.len()).sum()
    }

    pub(super) fn values(&self) -> Vec<Datum> {
        let learned = self.step.outcomes().learned().iter();
        learned.map(LearnedParameter::value).collect()
    }

    pub(super) fn set<'a>(&self, values: impl IntoIterator<Item = &'a Datum>) {
        for (learned, value) in self.step.outcomes().learned().iter().zip(values) {
            learned.set(value);
        }
    }

    /// Returns the standard errors at the end of a start; `None` unless the counts are exact and the parameters have few numbers.
    pub(super) fn errors_after(
        &self,
        (step, rows): (&dyn ExpectationStep, &CaseRows),
        best: &Rounds,
        monitor: &RunMonitor<'_>,
    ) -> Result<Option<StandardErrors>, Error> {
        self.set(&best.last.values);
        let is_small = step.is_exact() && self.numbers() <= SHOWN_ERRORS;
        if !is_small || monitor.stopped().is_some() {
            return Ok(None);
        }
        match self.standard_errors(step, rows) {
            Err(Error::NothingDone { .. }) => Ok(None),
            errors => errors.map(Some),
        }
    }

    /// Adds the expected counts of the rows `cases` to `counts`, sets the parameters to their most likely values for the sum, and adds the rows to
    /// `rows`. Returns the log-likelihood of the new rows of data at the previous parameter values; NaN if the algorithm computes no log-likelihood.
    ///
    /// After an error, the expected counts and the rows are unchanged.
    pub(super) fn update(
        &mut self,
        cases: &CaseTable,
        (counts, rows): (&mut Vec<f64>, &mut CaseRows),
    ) -> Result<f64, Error> {
        let known = self.columns.lengths();
        let translated = self.columns.translate(cases);
        let extended = translated.and_then(|()| self.step.extend(&self.columns));
        if extended.is_err() {
            self.columns.truncate(&known);
        }
        let added = mem::take(&mut self.columns.rows);
        extended?;
        let lengths = self.columns.lengths();
        if lengths != known {
            self.stages.push(lengths);
        }
        let watch = self.watch.clone();
        let monitor = watch.start("ExpectationMaximization", None);
        let outcomes = self.step.outcomes();
        let log_weights = outcomes.log_weights()?;
        let further: Vec<CaseRow<'_>> = added.iter().collect();
        let run = (self.threads, monitor.until());
        let expected = self.step.expect(&further, &log_weights, run);
        let expected = expected.map_err(|error| monitor.error_of(error))?;
        let mut sum = Expected::none(outcomes.len());
        sum.counts[..counts.len()].copy_from_slice(counts);
        sum.absorb(&expected);
        outcomes.maximise(&sum.counts, self.with_prior)?;
        *counts = sum.counts;
        rows.append(&added);
        Ok(expected.log_likelihood.unwrap_or(f64::NAN))
    }

    /// Returns the standard errors for the rows of data `rows` at the present parameter values.
    ///
    /// **Errors.** [`Error::NoStandardErrors`] if the parameters have too many free numbers, or if the counts of `step` are not exact;
    /// [`Error::NothingDone`] if the run was stopped before its end.
    pub(super) fn standard_errors(
        &self,
        step: &dyn ExpectationStep,
        rows: &CaseRows,
    ) -> Result<StandardErrors, Error> {
        if !self.step.is_exact() {
            return Err(Error::NoStandardErrors {
                reason: "standard errors need exact expected counts, which the algorithm of the expectation step does not compute; learn with \
                    `JunctionTree`"
                    .into(),
            });
        }
        let monitor = self.watch.start("ExpectationMaximization", None);
        let rows: Vec<CaseRow<'_>> = rows.iter().collect();
        let source = InformationSource {
            step,
            rows: &rows,
            with_prior: self.with_prior,
            threads: self.threads,
            until: monitor.until(),
        };
        let errors = source.standard_errors();
        errors.map_err(|error| monitor.error_of(error))
    }
}
