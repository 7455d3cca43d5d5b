//! Sequential Monte Carlo: populations of particles that meet the evidence statement by statement.

use std::num::NonZero;
use std::ops::ControlFlow;

use figrs_core::lower::{Block, Observations, Roots};
use figrs_core::{AnyElement, Model, Stream, stream};
use rand::RngExt;

use crate::algorithm::Algorithm;
use crate::answer::Answer;
use crate::block_tally::BlockTally;
use crate::error::Error;
use crate::in_order::in_order;
use crate::limits::cores;
use crate::particle_filter::{Particles, Weighed, filter};
use crate::populations::Populations;
use crate::resampling::Resampling;
use crate::sampling::Sampling;
use crate::watch::{Stopped, Watch, Watching, watched};

/// The particle filter: worlds are run side by side, and after each statement of evidence those that it makes unlikely are
/// replaced by copies of the others.
///
/// The statements are met in the order in which the model states them: state the evidence of a sequence in its order. An
/// element is drawn when the first statement needs it. After a statement the population is resampled if its effective size has
/// fallen below a share of the particles. Several independent populations are run, weighed with their estimates of the
/// evidence; their spread is the stated error. Targets that are earlier elements of a sequence give the trajectories of
/// the particles that are left (smoothing), which thin out the further back they lie.
///
/// Where some particles have met more densities than others (an observation that is discrete in some worlds and continuous
/// in others) they cannot be compared before the end, and are not resampled until the numbers are equal again.
///
/// **Guarantee.** The estimate of the probability of evidence is unbiased for any number of particles (Del Moral 2004, section 7.4); marginals converge as particles or populations grow. The same seed gives the same answer on any number of threads.
///
/// **Complexity.** Linear in particles and in the elements of each world; a value is copied at a resampling only if it is
/// read after it. Memory: all values of one population for each thread.
///
/// **Errors.** [`Error::NoSampleMetEvidence`] if no population has a particle left; [`Error::NothingDone`] if it was stopped
/// before a population was through.
///
/// **References.** Gordon, Salmond and Smith (1993); Doucet and Johansen (2009), "A tutorial on particle filtering and
/// smoothing", section 3.5 for the resampling by effective size.
///
/// ```
/// # use figrs_core::{Flip, Model};
/// # use figrs_infer::{Run, SequentialMonteCarlo};
/// let mut state = Flip::new(0.5);
/// let mut model = Model::new();
/// for step in 0..20 {
///     state = state.flat_map(|&s| Flip::new(if s { 0.9 } else { 0.1 }));
///     let seen = state.flat_map(|&s| Flip::new(if s { 0.8 } else { 0.3 }));
///     model = model.observe(&seen, step % 7 != 0);
/// }
/// let answer = SequentialMonteCarlo::new(500).seed(1).run(&model, &state)?;
/// assert!(answer.probability(&state, &true)? > 0.9);
/// # Ok::<(), figrs_infer::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct SequentialMonteCarlo {
    particles: usize,
    populations: u64,
    resampling: Resampling,
    threshold: f64,
    seed: u64,
    threads: Option<NonZero<usize>>,
    max_elements: usize,
    keep_draws: bool,
    watch: Watch,
}

impl SequentialMonteCarlo {
    /// Sixteen populations of this many particles each, with seed 0.
    pub fn new(particles: usize) -> Self {
        Self {
            particles,
            populations: 16,
            resampling: Resampling::default(),
            threshold: 0.5,
            seed: 0,
            threads: None,
            max_elements: 4_000_000,
            keep_draws: false,
            watch: Watch::default(),
        }
    }

    /// Runs this many independent populations (default 16); of a single one no error is known.
    pub fn populations(mut self, populations: u64) -> Self {
        self.populations = populations;
        self
    }

    /// How particles are chosen to continue (default systematic).
    pub fn resampling(mut self, resampling: Resampling) -> Self {
        self.resampling = resampling;
        self
    }

    /// Resamples when the effective size falls below this share of the particles: 0 never, 1 after every statement that
    /// weighs them differently (default 0.5).
    pub fn threshold(mut self, share: f64) -> Self {
        self.threshold = share;
        self
    }

    /// Takes the random numbers from this seed.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Works on this many threads (default: all cores); the answer is the same.
    pub fn threads(mut self, threads: NonZero<usize>) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Keeps the last particles of all populations with their weights, for [`Answer::draws`]: targets along a sequence are
    /// their trajectories.
    pub fn keep_draws(mut self) -> Self {
        self.keep_draws = true;
        self
    }

    watched!();

    /// Ends with an error at a world of more than this many elements (default four million).
    pub fn max_elements(mut self, elements: usize) -> Self {
        self.max_elements = elements;
        self
    }

    fn invalid(&self, setting: &'static str, value: String, remedy: &'static str) -> Error {
        Error::InvalidSetting {
            algorithm: self.name(),
            setting,
            value,
            remedy,
        }
    }

    fn check(&self) -> Result<(), Error> {
        const MOST: usize = 1 << 24;
        if self.particles == 0 || self.particles > MOST {
            let remedy = "use between one particle and 16 million, and more populations";
            return Err(self.invalid("particles", self.particles.to_string(), remedy));
        }
        if self.populations == 0 {
            return Err(self.invalid("populations", "0".into(), "run at least one"));
        }
        if !(0.0..=1.0).contains(&self.threshold) {
            let value = self.threshold.to_string();
            return Err(self.invalid("threshold", value, "give a share between 0 and 1"));
        }
        Ok(())
    }

    /// Runs one population; nothing if it was stopped on the way.
    fn population(
        &self,
        block: &mut Block,
        targets: &[AnyElement],
        number: u64,
        run: &Watching<'_>,
    ) -> Result<Option<Population>, Error> {
        let mut rng = stream(self.seed, number);
        block.start(self.particles);
        let mut worlds = Worlds { block, run };
        let choose = |weights: &[f64], rng: &mut Stream| {
            let uniform = || rng.random::<f64>();
            self.resampling.ancestors(weights, uniform)
        };
        let Some(filtered) = filter(&mut worlds, self.threshold, &mut rng, choose)? else {
            return Ok(None);
        };
        for target in block.statements()..block.roots() {
            if run.stopped().is_some() {
                return Ok(None);
            }
            block.run_root(target, &mut rng)?;
        }
        Ok(Some(Population {
            tally: BlockTally::new(block, targets, self.particles, self.keep_draws),
            log_evidence: filtered.log_replaced,
            resampled: filtered.replacements,
        }))
    }
}

/// A block whose rows are the particles.
struct Worlds<'a> {
    block: &'a mut Block,
    run: &'a Watching<'a>,
}

impl Particles for Worlds<'_> {
    type Random = Stream;

    fn statements(&self) -> usize {
        self.block.statements()
    }

    fn meet(&mut self, statement: usize, rng: &mut Stream) -> Result<bool, Error> {
        if self.run.stopped().is_some() {
            return Ok(false);
        }
        self.block.run_root(statement, rng)?;
        Ok(true)
    }

    fn weights(&self) -> Option<Weighed> {
        let weights = self.block.weights();
        // Of worlds with different numbers of densities those with the fewest count, which is not decided yet.
        if weights.densities_differ() {
            return None;
        }
        let plain = weights.plain();
        Some(Weighed {
            log_scale: plain.log_scale,
            weights: plain.rows(self.block.width()),
        })
    }

    fn replace(&mut self, ancestors: Vec<u32>) {
        self.block.resample(ancestors);
    }
}

/// A population that has met all evidence.
#[derive(Debug)]
pub(crate) struct Population {
    pub(crate) tally: BlockTally,
    /// The logarithm of what earlier resamplings have divided the weights by.
    pub(crate) log_evidence: f64,
    pub(crate) resampled: u64,
}

impl Algorithm for SequentialMonteCarlo {
    fn name(&self) -> &'static str {
        "SequentialMonteCarlo"
    }

    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
        self.check()?;
        let total = (self.particles as u64).checked_mul(self.populations);
        let run = self.watch.start(self.name(), total);
        let mut populations = Populations::new(targets, self.particles);
        let mut stopped = Stopped::Finished;
        in_order(
            self.threads.map_or_else(cores, NonZero::get),
            (self.populations, 1),
            || {
                let (weigh, order) = (Observations::Weigh, Roots::AsStated);
                Ok(Block::new(model, targets, weigh, order, self.max_elements)?)
            },
            |block, number| self.population(block, targets, number, &run),
            |population| {
                let Some(population) = population else {
                    stopped = run.stopped().unwrap_or(Stopped::Interrupted);
                    return ControlFlow::Break(());
                };
                populations.take(population);
                run.report(populations.len() * self.particles as u64);
                match run.stopped() {
                    Some(why) if populations.len() < self.populations => {
                        stopped = why;
                        ControlFlow::Break(())
                    }
                    _ => ControlFlow::Continue(()),
                }
            },
        )?;
        if populations.len() == 0 {
            return Err(run.nothing_done());
        }
        let done = populations.len() * self.particles as u64;
        let mut sampling = Sampling::new(stopped, done, run.elapsed());
        sampling.asked = total;
        let certain = model.evidence().is_empty();
        populations.answer(self.name(), sampling, (certain, self.keep_draws))
    }
}
