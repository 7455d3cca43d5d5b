//! Expected counts of the outcomes in the data, divided into parts that other processes compute.

use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use figrs_core::expand::LearnedParameter;
use figrs_factor::Until;
use serde::{Deserialize, Serialize};

use super::case_rows::{CaseRow, CaseRows};
use super::case_table::CaseTable;
use super::expected_counts::{ExpectationStep, Expected};
use super::parameters::CountedOutcomes;
use figrs_answer::{Error, Watch, guarded};
use figrs_factor::eliminate::EliminationError;

/// A request for expected counts to worker processes: the index of the request and the values of the parameters.
///
/// Each iteration of [`ExpectationMaximization`](crate::ExpectationMaximization) and each evaluation for standard errors makes one request. A request
/// for expected counts can be serialised by serde.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CountRequest {
    number: u64,
    /// Number of groups of rows (units) into which all rows of data are divided.
    units: u64,
    parameters: Vec<Vec<f64>>,
}

impl CountRequest {
    fn new(number: u64, units: u64, outcomes: &CountedOutcomes) -> Self {
        let learned = outcomes.learned().iter();
        Self {
            number,
            units,
            parameters: learned.map(LearnedParameter::numbers).collect(),
        }
    }

    /// Returns the index of the request; the first request has the index zero.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Returns the number of groups of rows (units) into which all rows of data are divided.
    pub fn units(&self) -> u64 {
        self.units
    }
}

/// The expected counts of consecutive groups of rows (units), as the answer to one request. Expected counts can be serialised by serde.
///
/// If the serialisation format preserves the bits of floating-point numbers, the learned values are equal to the last bit to those of a single
/// process.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[must_use]
pub struct CountPart {
    request: u64,
    units: Range<u64>,
    counts: Vec<Expected>,
}

impl CountPart {
    /// Returns the range of groups of rows (units) whose expected counts the part contains.
    pub fn units(&self) -> Range<u64> {
        self.units.clone()
    }

    /// Returns the index of the request that this part of the expected counts answers.
    pub fn request(&self) -> u64 {
        self.request
    }
}

/// A model and its rows of data, prepared to compute expected counts in a worker process of
/// [`ExpectationMaximization::fit_by`](crate::ExpectationMaximization::fit_by).
#[derive(Debug)]
pub struct CaseCounter {
    pub(super) step: Box<dyn ExpectationStep>,
    pub(super) rows: CaseRows,
    pub(super) threads: usize,
    pub(super) watch: Watch,
}

impl CaseCounter {
    /// Returns the number of groups of rows (units) of the data, which depends only on the number of distinct rows.
    pub fn units(&self) -> u64 {
        self.step.units(self.rows.iter().count())
    }

    /// Returns the first request for expected counts when parameters are learned from the same model and data. The counter must not have computed
    /// expected counts before.
    pub(super) fn first_request(&self) -> CountRequest {
        CountRequest::new(0, self.units(), self.step.outcomes())
    }

    /// Returns the expected counts of the groups of rows `units` at the parameter values of `request`; groups beyond the last one are ignored. A
    /// deadline in the settings of the algorithm applies to each call of `part` separately.
    ///
    /// **Errors.** [`Error::UnfitPart`] if the request belongs to another model; [`Error::InvalidCase`] and the other errors of the algorithm that
    /// computes the counts.
    pub fn part(&mut self, request: &CountRequest, units: Range<u64>) -> Result<CountPart, Error> {
        let outcomes = self.step.outcomes();
        let lengths = outcomes.learned().iter().map(|p| p.params.len());
        let all = self.step.units(self.rows.iter().count());
        if !lengths.eq(request.parameters.iter().map(Vec::len)) || request.units != all {
            let problem =
                "the request has other parameters than the model, or belongs to other cases";
            return Err(Error::unfit_part(units.start, problem));
        }
        for (learned, numbers) in outcomes.learned().iter().zip(&request.parameters) {
            learned.set_numbers(numbers);
        }
        let monitor = self.watch.start("ExpectationMaximization", None);
        let rows: Vec<CaseRow<'_>> = self.rows.iter().collect();
        let end = units.end.min(self.step.units(rows.len()));
        let units = units.start.min(end)..end;
        let mut counts = Vec::new();
        guarded(|| {
            let log_weights = outcomes.log_weights()?;
            let run = (self.threads, monitor.until());
            let rows = (&rows[..], units.clone());
            let mut take = |unit| counts.push(unit);
            self.step.expect_units(rows, &log_weights, run, &mut take)
        })
        .map_err(|error| monitor.error_of(error))?;
        Ok(CountPart {
            request: request.number,
            units,
            counts,
        })
    }
}

/// A function that answers a request with parts of the expected counts, which together cover all groups of rows in order.
pub(super) type CountFunction<'a> =
    dyn Fn(&CountRequest) -> Result<Vec<CountPart>, Error> + Send + Sync + 'a;

/// An expectation step that obtains its expected counts, in parts, from the function `count`.
pub(super) struct CountsInParts<'a> {
    own: &'a dyn ExpectationStep,
    count: &'a CountFunction<'a>,
    requests: AtomicU64,
}

impl<'a> CountsInParts<'a> {
    pub(super) fn new(own: &'a dyn ExpectationStep, count: &'a CountFunction<'a>) -> Self {
        Self {
            own,
            count,
            requests: AtomicU64::new(0),
        }
    }
}

impl fmt::Debug for CountsInParts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CountsInParts").field(&self.own).finish()
    }
}

impl ExpectationStep for CountsInParts<'_> {
    fn is_exact(&self) -> bool {
        self.own.is_exact()
    }

    fn outcomes(&self) -> &CountedOutcomes {
        self.own.outcomes()
    }

    /// Does nothing: the expectation step of the calling process itself adds the evidence of new values in the data.
    fn extend(&mut self, _: &CaseTable) -> Result<(), Error> {
        Ok(())
    }

    fn units(&self, rows: usize) -> u64 {
        self.own.units(rows)
    }

    fn expect_units(
        &self,
        (_, units): (&[CaseRow<'_>], Range<u64>),
        _: &[f64],
        (_, until): (usize, &Until),
        take: &mut dyn FnMut(Expected),
    ) -> Result<(), Error> {
        if until.is_over() {
            return Err(EliminationError::Interrupted.into());
        }
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        let request = CountRequest::new(number, units.end, self.outcomes());
        let mut next = units.start;
        for part in (self.count)(&request)? {
            let CountPart {
                request: number,
                units: own,
                counts,
            } = part;
            if number != request.number {
                let problem = format!(
                    "it answers request {number}, but the current request of the fit is {}",
                    request.number
                );
                return Err(Error::unfit_part(own.start, problem));
            }
            if own.start != next {
                return Err(Error::NotConsecutive {
                    end: next,
                    begin: own.start,
                });
            }
            if own.end > units.end || own.end.checked_sub(own.start) != Some(counts.len() as u64) {
                let problem = format!(
                    "it has {} units and ends before unit {}, but the run has {} units",
                    counts.len(),
                    own.end,
                    units.end
                );
                return Err(Error::unfit_part(own.start, problem));
            }
            next = own.end;
            for (unit, expected) in own.zip(counts) {
                let are_all = expected.counts.len() == self.outcomes().len();
                let are_finite = expected.counts.iter().all(|count| count.is_finite());
                let is_unknown = expected.log_likelihood.is_some_and(f64::is_nan);
                if !are_all || !are_finite || is_unknown {
                    let problem = "it has counts of other outcomes, or numbers that are not finite";
                    return Err(Error::unfit_part(unit, problem));
                }
                take(expected);
            }
        }
        if next < units.end {
            let problem = format!("the parts end here, but the cases have {} units", units.end);
            return Err(Error::unfit_part(next, problem));
        }
        Ok(())
    }
}
