//! The rounds of expectation-maximisation from one set of starting values.

use figrs_core::expand::LearnedParameter;
use figrs_core::rand::seq::SliceRandom;
use figrs_core::{Datum, stream};

use super::case_rows::CaseRow;
use super::expected_counts::{ExpectationStep, Expected};
use super::extrapolation::Extrapolation;
use figrs_answer::{Error, RunMonitor};
use figrs_factor::Stopped;

#[derive(Clone, Copy, Debug)]
pub(super) struct RoundSettings {
    pub(super) with_prior: bool,
    /// Minimum relative increase of the objective in a round of expectation-maximisation after which another round follows; with `None`, all rounds
    /// are run.
    pub(super) tolerance: Option<f64>,
    pub(super) rounds: u64,
    /// Number of rounds that earlier starts have made, for progress reports.
    pub(super) done: u64,
    /// Number of rows of data in each maximisation step; `None` if each step uses all rows.
    pub(super) mini_batch: Option<usize>,
    /// True if new parameter values are extrapolated after every second round of expectation-maximisation.
    pub(super) accelerated: bool,
    /// The seed and the index of the start, which determine the random order of rows.
    pub(super) seed: (u64, u64),
    pub(super) threads: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Rounds {
    pub(super) last: Evaluated,
    /// The log-likelihoods before the first round of expectation-maximisation and after each round.
    pub(super) log_likelihoods: Vec<f64>,
    /// The reason why the rounds of expectation-maximisation have ended; `None` if another round follows.
    pub(super) ended: Option<Stopped>,
    steps: Steps,
    extrapolation: Option<Extrapolation>,
}

impl Rounds {
    pub(super) fn count(&self) -> u64 {
        self.log_likelihoods.len() as u64 - 1
    }
}

/// Values of the learned parameters, and the result of the expectation step at these values.
#[derive(Clone, Debug)]
pub(super) struct Evaluated {
    pub(super) values: Vec<Datum>,
    /// The log-likelihood of the data; NaN if the algorithm computes no log-likelihood.
    pub(super) log_likelihood: f64,
    /// The number that learning maximises: the log-likelihood or the log-posterior.
    pub(super) objective: f64,
    pub(super) counts: Vec<f64>,
}

/// Exponent of the weights of steps in stepwise expectation-maximisation (Liang and Klein).
const STEP_EXPONENT: f64 = -0.7;

pub(super) struct RoundsOfStart<'a> {
    pub(super) step: &'a dyn ExpectationStep,
    pub(super) rows: &'a [CaseRow<'a>],
    pub(super) settings: RoundSettings,
    pub(super) monitor: &'a RunMonitor<'a>,
}

impl RoundsOfStart<'_> {
    /// Evaluates the expected counts and the log-likelihood at the starting values of the parameters.
    pub(super) fn begin(&self) -> Result<Rounds, Error> {
        let last = self.evaluate()?;
        Ok(Rounds {
            log_likelihoods: vec![last.log_likelihood],
            last,
            ended: None,
            steps: Steps::default(),
            extrapolation: self.settings.accelerated.then(Extrapolation::default),
        })
    }

    /// Runs the next round of expectation-maximisation, unless the maximum number of rounds has been reached. If the round raises the objective too
    /// little, no further round follows.
    ///
    /// If a deadline or an interrupt ends the round, the state after the previous rounds is unchanged, and the result is an error.
    pub(super) fn advance(&self, so_far: &mut Rounds) -> Result<(), Error> {
        let rounds = so_far.count();
        self.monitor
            .report(self.settings.done.saturating_add(rounds));
        if rounds >= self.settings.rounds {
            so_far.ended = Some(Stopped::Budget);
            return Ok(());
        }
        let before = (so_far.steps.clone(), so_far.extrapolation.clone());
        let next = self.extrapolated(&so_far.last, &mut so_far.extrapolation);
        let next = next.and_then(|next| match next {
            Some(next) => Ok((next, false)),
            None => Ok((self.round(&so_far.last, rounds, &mut so_far.steps)?, true)),
        });
        let (next, is_plain) = next.inspect_err(|_| {
            (so_far.steps, so_far.extrapolation) = before;
            for (learned, value) in self
                .step
                .outcomes()
                .learned()
                .iter()
                .zip(&so_far.last.values)
            {
                learned.set(value);
            }
        })?;
        if is_plain && self.has_converged(&so_far.last, &next) {
            so_far.ended = Some(Stopped::Finished);
        }
        so_far.log_likelihoods.push(next.log_likelihood);
        so_far.last = next;
        Ok(())
    }

    /// Runs one round of expectation-maximisation: one step with all rows, or one step for each batch of rows.
    fn round(&self, last: &Evaluated, number: u64, steps: &mut Steps) -> Result<Evaluated, Error> {
        if let Some(batch) = self.mini_batch() {
            self.steps(batch, number, steps)?;
        } else {
            let outcomes = self.step.outcomes();
            outcomes.maximise(&last.counts, self.settings.with_prior)?;
        }
        self.evaluate()
    }

    /// Replaces the result of the last round by the extrapolation of the last two rounds, if the objective does not fall; otherwise the learned
    /// parameters stay unchanged.
    fn extrapolated(
        &self,
        last: &Evaluated,
        extrapolation: &mut Option<Extrapolation>,
    ) -> Result<Option<Evaluated>, Error> {
        let Some(extrapolation) = extrapolation else {
            return Ok(None);
        };
        let learned = self.step.outcomes().learned();
        if !extrapolation.advance(learned) {
            return Ok(None);
        }
        let found = self.evaluate()?;
        let is_kept = found.objective >= last.objective;
        if !is_kept {
            for (learned, value) in learned.iter().zip(&last.values) {
                learned.set(value);
            }
            extrapolation.restart(learned);
        }
        Ok(is_kept.then_some(found))
    }

    fn evaluate(&self) -> Result<Evaluated, Error> {
        let expected = self.expect(self.rows)?;
        let outcomes = self.step.outcomes();
        let log_likelihood = expected.log_likelihood.unwrap_or(f64::NAN);
        let mut objective = log_likelihood;
        if self.settings.with_prior {
            objective += outcomes.log_prior()?;
        }
        let values = outcomes.learned().iter().map(LearnedParameter::value);
        Ok(Evaluated {
            values: values.collect(),
            log_likelihood,
            objective,
            counts: expected.counts,
        })
    }

    /// True if the latest round of expectation-maximisation changed the objective so little that no further round follows.
    fn has_converged(&self, last: &Evaluated, next: &Evaluated) -> bool {
        let Some(tolerance) = self.settings.tolerance else {
            return false;
        };
        let change = next.objective - last.objective;
        if change.is_nan() {
            return are_near(&next.values, &last.values, tolerance);
        }
        // A round of mini-batches may lower the objective; the absolute change is therefore compared.
        let change = self.mini_batch().map_or(change, |_| change.abs());
        change <= tolerance * next.objective.abs()
    }

    /// Returns the number of rows of data in each maximisation step; `None` if each step uses all rows.
    fn mini_batch(&self) -> Option<usize> {
        let rows = self.settings.mini_batch;
        rows.filter(|&rows| rows < self.rows.len())
    }

    fn expect(&self, rows: &[CaseRow<'_>]) -> Result<Expected, Error> {
        let log_weights = self.step.outcomes().log_weights()?;
        let run = (self.settings.threads, self.monitor.until());
        self.step.expect(rows, &log_weights, run)
    }

    /// Makes one maximisation step for each batch of rows of data.
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

/// Running averages of the expected counts over the steps of stepwise expectation-maximisation.
#[derive(Clone, Debug, Default)]
struct Steps {
    counts: Vec<f64>,
    taken: u64,
}

impl Steps {
    /// Adds the expected counts of a maximisation step to the running averages, after multiplying the counts by `scale`.
    fn average(&mut self, counts: &[f64], scale: f64) {
        self.taken += 1;
        let weight = (self.taken as f64).powf(STEP_EXPONENT);
        self.counts.resize(counts.len(), 0.0);
        for (mean, count) in self.counts.iter_mut().zip(counts) {
            *mean += weight * (scale * count - *mean);
        }
    }
}

/// True if each number in `now` differs from its value in `before` by at most the fraction `share` of the value in `before`.
pub(super) fn are_near(now: &[Datum], before: &[Datum], share: f64) -> bool {
    let both = now.iter().zip(before);
    both.flat_map(|(now, before)| numbers(now).iter().zip(numbers(before)))
        .all(|(now, before)| (now - before).abs() <= share * now.abs())
}

pub(super) fn numbers(value: &Datum) -> &[f64] {
    let number = value.get::<f64>().map(std::slice::from_ref);
    let numbers = number.or_else(|| value.get::<Vec<f64>>().map(Vec::as_slice));
    numbers.unwrap_or_default()
}

/// Returns the best of the starts, and the last value of the objective for every start; `None` if no start has begun.
pub(super) fn best_of(starts: &[Rounds]) -> Option<(Rounds, Vec<f64>)> {
    let objectives: Vec<f64> = starts.iter().map(|start| start.last.objective).collect();
    let mut best = starts.first()?;
    for start in starts {
        if start.last.objective > best.last.objective {
            best = start;
        }
    }
    Some((best.clone(), objectives))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_change_decides() {
        let values = |x: f64| [Datum::new(0.5), Datum::new(vec![x, 1.0 - x])];
        assert!(are_near(&values(0.25), &values(0.25), 0.0));
        assert!(are_near(&values(0.251), &values(0.25), 0.01));
        assert!(!are_near(&values(0.3), &values(0.25), 0.01));
    }
}
