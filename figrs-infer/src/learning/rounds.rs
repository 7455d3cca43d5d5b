//! The rounds of expectation-maximisation from one start.

use figrs_core::expand::LearnedParameter;
use figrs_core::rand::seq::SliceRandom;
use figrs_core::{Datum, stream};

use super::case_rows::CaseRow;
use super::convergence::are_near;
use super::expected_counts::{ExpectationStep, Expected};
use crate::error::Error;
use crate::run::watch::{RunMonitor, Stopped};

/// Settings of the rounds.
#[derive(Clone, Copy, Debug)]
pub(super) struct RoundSettings {
    pub(super) with_prior: bool,
    /// Share of the objective by which a round must raise it for another to follow.
    pub(super) tolerance: Option<f64>,
    pub(super) rounds: u64,
    /// Rounds of earlier starts, for progress.
    pub(super) done: u64,
    /// Rows of a step, if there are several in a round.
    pub(super) mini_batch: Option<usize>,
    /// The seed and the part of it that orders rows.
    pub(super) seed: (u64, u64),
    pub(super) threads: usize,
}

/// The rounds of one start.
#[derive(Clone, Debug)]
pub(super) struct Rounds {
    /// The log-likelihood, or log-posterior, at the values; not a number if there is none.
    pub(super) objective: f64,
    pub(super) values: Vec<Datum>,
    /// The expected counts at the values.
    pub(super) counts: Vec<f64>,
    pub(super) log_likelihoods: Vec<f64>,
    pub(super) ended: Stopped,
}

/// Exponent of the weights of steps: Liang and Klein's.
const STEP_EXPONENT: f64 = -0.7;

/// An expectation step at the present values of its parameters, round by round.
pub(super) struct RoundsOfStart<'a> {
    pub(super) step: &'a dyn ExpectationStep,
    pub(super) rows: &'a [CaseRow<'a>],
    pub(super) settings: RoundSettings,
    pub(super) monitor: &'a RunMonitor<'a>,
}

impl RoundsOfStart<'_> {
    /// Rounds until one of them raises the objective too little, or there are enough of them.
    pub(super) fn run(&self) -> Result<Rounds, Error> {
        let mut log_likelihoods: Vec<f64> = Vec::new();
        let mut last: Option<Rounds> = None;
        let mut steps = Steps::default();
        let batch = self.settings.mini_batch;
        let batch = batch.filter(|&rows| rows < self.rows.len());
        loop {
            let stepped = match (&last, batch) {
                (Some(_), Some(rows)) => {
                    let round = log_likelihoods.len() as u64;
                    self.steps(rows, round, &mut steps)
                }
                (Some(last), None) => {
                    let outcomes = self.step.outcomes();
                    outcomes.maximise(&last.counts, self.settings.with_prior)
                }
                (None, _) => Ok(()),
            };
            let expected = match stepped.and_then(|()| self.expect(self.rows)) {
                Ok(expected) => expected,
                Err(error) if error.is_stopped() => {
                    let stopped = self.monitor.stopped().unwrap_or(Stopped::Interrupted);
                    let last = last.map(|last| Rounds {
                        ended: stopped,
                        log_likelihoods,
                        ..last
                    });
                    return last.ok_or(error);
                }
                Err(error) => return Err(error),
            };
            let outcomes = self.step.outcomes();
            let log_likelihood = expected.log_likelihood.unwrap_or(f64::NAN);
            let mut objective = log_likelihood;
            if self.settings.with_prior {
                objective += outcomes.log_prior()?;
            }
            log_likelihoods.push(log_likelihood);
            let rounds = log_likelihoods.len() as u64 - 1;
            self.monitor
                .report(self.settings.done.saturating_add(rounds));
            let values = outcomes.learned().iter().map(LearnedParameter::value);
            let values: Vec<Datum> = values.collect();
            let has_converged = match (&last, self.settings.tolerance) {
                (Some(last), Some(tolerance)) => {
                    let change = objective - last.objective;
                    // Steps of batches may lower it.
                    let change = batch.map_or(change, |_| change.abs());
                    let is_unknown = change.is_nan();
                    change <= tolerance * objective.abs()
                        || is_unknown && are_near(&values, &last.values, tolerance)
                }
                _ => false,
            };
            let now = Rounds {
                objective,
                values,
                counts: expected.counts,
                log_likelihoods: Vec::new(),
                ended: Stopped::Budget,
            };
            if has_converged || rounds == self.settings.rounds {
                return Ok(Rounds {
                    ended: if has_converged {
                        Stopped::Finished
                    } else {
                        Stopped::Budget
                    },
                    log_likelihoods,
                    ..now
                });
            }
            last = Some(now);
        }
    }

    fn expect(&self, rows: &[CaseRow<'_>]) -> Result<Expected, Error> {
        let log_weights = self.step.outcomes().log_weights()?;
        let run = (self.settings.threads, self.monitor.until());
        self.step.expect(rows, &log_weights, run)
    }

    /// One pass through all rows in batches, each of which changes the parameters.
    fn steps(&self, batch: usize, round: u64, steps: &mut Steps) -> Result<(), Error> {
        let (seed, start) = self.settings.seed;
        let mut rows = self.rows.to_vec();
        rows.shuffle(&mut stream(seed ^ start.rotate_left(32), round));
        for rows in rows.chunks(batch) {
            let expected = self.expect(rows)?;
            let batches = self.rows.len() as f64 / rows.len() as f64;
            steps.average(&expected.counts, batches);
            let outcomes = self.step.outcomes();
            outcomes.maximise(&steps.counts, self.settings.with_prior)?;
        }
        Ok(())
    }
}

/// The averages of expected counts over the steps of stepwise expectation-maximisation.
#[derive(Debug, Default)]
struct Steps {
    counts: Vec<f64>,
    taken: u64,
}

impl Steps {
    /// Averages the counts of a step, `scale` times.
    fn average(&mut self, counts: &[f64], scale: f64) {
        self.taken += 1;
        let weight = (self.taken as f64).powf(STEP_EXPONENT);
        self.counts.resize(counts.len(), 0.0);
        for (mean, count) in self.counts.iter_mut().zip(counts) {
            *mean += weight * (scale * count - *mean);
        }
    }
}
