//! Importance sampling with the prior as proposal and observations as likelihoods.

use figrs_core::lower::{Choice, Chooser, Observations, Program};
use figrs_core::{AnyElement, Datum, Model, ModelError, stream};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::algorithm::Algorithm;
use crate::answer::{Answer, LogEvidence};
use crate::error::Error;
use crate::sampling::Sampling;
use crate::tally::Tally;
use crate::watch::{Stopped, Watch, watched};

/// Samples that share one stream of random numbers.
const BLOCK: u64 = 1024;

/// Likelihood weighting: draws worlds and weighs each by the evidence.
///
/// An observed element is not drawn but set to its value, and the world is weighed with the probability (or
/// density) of that value; this passes through Chains, Scores, tuples and Boolean functions down to the atomic
/// elements that decide. Other evidence weighs the finished world.
///
/// **Guarantee.** Consistent: estimates converge to the exact answer as samples grow; the estimate of the
/// probability of evidence is unbiased. Every answer carries its effective sample size and standard errors.
/// The same seed gives the same answer.
///
/// **Complexity.** Linear in samples and in the elements of each world; elements that no sampled world
/// reaches cost nothing, so infinite models are allowed. The error falls with the square root of the
/// *effective* samples, which may be few where evidence is unlikely.
///
/// **Errors.** [`Error::NoSampleMetEvidence`] if all samples weigh zero.
///
/// **References.** Fung and Chang (1990), "Weighing and integrating evidence for stochastic simulation in
/// Bayesian networks"; Shachter and Peot (1990); for the standard errors Geweke (1989).
///
/// ```
/// # use figrs_core::{Flip, Model};
/// # use figrs_infer::{ImportanceSampling, Run};
/// let rain = Flip::new(0.2);
/// let wet = rain.flat_map(|&rain| Flip::new(if rain { 0.9 } else { 0.1 }));
/// let model = Model::new().observe(&wet, true);
/// let answer = ImportanceSampling::new(20_000).seed(7).run(&model, &rain)?;
/// let error = (answer.probability(&rain, &true)? - 0.18 / 0.26).abs();
/// assert!(error < 5.0 * answer.standard_error(&rain, &true)?);
/// # Ok::<(), figrs_infer::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct ImportanceSampling {
    samples: u64,
    seed: u64,
    max_elements: usize,
    watch: Watch,
}

impl ImportanceSampling {
    /// Draws this many samples, with seed 0.
    pub fn new(samples: u64) -> Self {
        Self {
            samples,
            seed: 0,
            max_elements: 4_000_000,
            watch: Watch::default(),
        }
    }

    /// Takes the random numbers from this seed.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    watched!();

    /// Ends with an error at a world of more than this many elements (default four million).
    pub fn max_elements(mut self, elements: usize) -> Self {
        self.max_elements = elements;
        self
    }
}

impl Algorithm for ImportanceSampling {
    fn name(&self) -> &'static str {
        "ImportanceSampling"
    }

    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
        if self.samples == 0 {
            return Err(Error::InvalidSetting {
                algorithm: self.name(),
                setting: "samples",
                value: "0".into(),
                remedy: "draw at least one",
            });
        }
        let mut program = Program::new(model, targets, self.max_elements)?;
        let mut tally = Tally::new(targets);
        let run = self.watch.start(self.name(), Some(self.samples));
        let mut stopped = Stopped::Finished;
        for block in 0..self.samples.div_ceil(BLOCK) {
            if let Some(why) = run.stopped() {
                stopped = why;
                break;
            }
            run.report(tally.worlds());
            let mut draws = Draws(stream(self.seed, block));
            for _ in 0..BLOCK.min(self.samples - block * BLOCK) {
                let weight = program.run(&mut draws, Observations::Weigh)?;
                tally.add(&program, weight);
            }
        }
        let done = tally.worlds();
        if done == 0 {
            return Err(Error::NothingDone {
                algorithm: self.name(),
            });
        }
        let log_total = tally.log_total();
        if log_total == f64::NEG_INFINITY {
            return Err(Error::NoSampleMetEvidence { tried: done });
        }
        let evidence = LogEvidence {
            value: log_total - (tally.worlds() as f64).ln(),
            standard_error: tally.relative_error(),
        };
        let mut sampling = Sampling::new(stopped, done, run.elapsed());
        sampling.asked = Some(self.samples);
        let answer = Answer::marginals(self.name(), tally.marginals(true), evidence);
        Ok(answer.with_sampling(sampling))
    }
}

/// Chooses at random.
struct Draws(Xoshiro256PlusPlus);

impl Chooser for Draws {
    fn choose(&mut self, element: &AnyElement, choice: Choice<'_>) -> Result<Datum, ModelError> {
        Ok(match choice {
            Choice::Atomic(op) => op.sample(&mut self.0).map_err(|f| element.fault(f))?,
            Choice::Row(values, row) => values.datum(row.pick(self.0.random())),
        })
    }
}
