//! Sequential Monte Carlo: populations of particles whose weights are multiplied by one statement of evidence after another.

mod independent;
mod paths;
mod sequence;

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use figrs_core::{AnyElement, Limits, Model, Stream, stream};
use figrs_lower::internals::{Block, PopulationWeights};
use figrs_lower::{EvidenceOrder, Observations};
use rand::RngExt;

use super::particle_filter::{Particles, filter, one_of_each};
use super::population_tally::{KeptParticles, PopulationTally};
use super::populations::{PopulationNumbers, PopulationSums};
use super::resampling::Resampling;
use crate::sampling::block_sampling::SharedMemory;
use crate::sampling::settings::SamplerSettings;
use crate::sampling::unseen_worlds::{UnseenWorlds, WeightBound};
use figrs_answer::run::mergeable_sampler::settings_text;
use figrs_answer::run::partial::Absorption;
use figrs_answer::run::watch::{RunMonitor, Watch};
use figrs_answer::{Algorithm, Error, MergeableSampler, Partial, ResumableSampler, Sums, setters};

pub use independent::IndependentDraws;
pub use sequence::{Sequence, SequencePart, Trajectories};

/// Number of worlds (particles) in a block. Populations with fewer particles are combined into blocks of this number of worlds.
const ROWS: u64 = 1024;

/// The particle filter: many worlds (particles) are evaluated at the same time. After a statement of evidence, worlds that the statement makes
/// unlikely are replaced by copies of other worlds.
///
/// Statements of evidence are processed in the order in which the model lists them: state the evidence of a sequence in the order of the sequence. A
/// random variable is drawn when a statement of evidence first needs its value. After each statement of evidence, a population of particles is
/// resampled if its effective size is below a fraction of the number of particles. Several independent populations are run, and each population is
/// weighted by its estimate of the probability of the evidence. The standard errors are computed from the differences between the populations. If
/// targets are earlier variables of a sequence, their draws are the trajectories of the remaining particles (smoothing). For variables further back
/// in the sequence, the trajectories have fewer distinct values.
///
/// If an observation is discrete in some worlds and continuous in others, the weights of the particles have different numbers of density factors.
/// Weights with different numbers of density factors cannot be compared. A population whose weights have different numbers of density factors is not
/// resampled until all its weights have the same number again.
///
/// **Guarantee.** The estimate of the probability of the evidence is unbiased for any number of particles (Del Moral 2004, section 7.4). The
/// marginals converge to the exact marginals as the number of particles or of populations grows. The same seed gives the same answer on any number of
/// threads.
///
/// **Complexity.** The time is linear in the number of particles and in the number of random variables in each world. When a particle is copied, only
/// the values of variables that are read later are copied.
///
/// **Memory.** Each thread stores all values of the populations of one block of worlds.
///
/// **Errors.** [`Error::NoSampleMetEvidence`] if all particles of all populations get weight zero; [`Error::NothingDone`] if the run was stopped
/// before a population was complete.
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
    side_by_side: Option<u64>,
    first_population: u64,
    resampling: Resampling,
    threshold: f64,
    drawing: SamplerSettings,
    keep: KeptParticles,
    watch: Watch,
}

impl SequentialMonteCarlo {
    /// Creates a filter with sixteen populations of `particles` particles; the seed is 0.
    pub fn new(particles: usize) -> Self {
        Self {
            particles,
            populations: 16,
            side_by_side: None,
            first_population: 0,
            resampling: Resampling::default(),
            threshold: 0.5,
            drawing: SamplerSettings::default(),
            keep: KeptParticles::Sums,
            watch: Watch::default(),
        }
    }

    figrs_factor::field_setters! {
        /// Sets the number of independent populations (default 16). The standard errors of estimates are unknown if there is a single population.
        populations: u64 => populations;
        /// Sets the number of populations that run together in one block of worlds, each population with its own resampling. By default, a block has
        /// as many populations as fit into 1024 particles, at least one. The result of a population depends on the seed, on the index of the
        /// population and on the number of populations in its block.
        side_by_side: u64 => side_by_side;
        /// Sets the index of the first population of the run (default 0), so that a large set of populations can be run in parts. The index of the
        /// first population must be a multiple of [`side_by_side`](Self::side_by_side), which must be set.
        first_population: u64 => first_population;
        /// Sets the resampling scheme (default: systematic resampling).
        resampling: Resampling => resampling;
        /// Resamples a population if its effective size is below the fraction `threshold` of its particles (default 0.5). With the value 0,
        /// populations are never resampled; with the value 1, populations are resampled after every statement of evidence that gives the particles
        /// different weights.
        threshold: f64 => threshold;
    }

    /// Retains the particles of all populations after the last statement of evidence, with their weights, for
    /// [`Answer::draws`](figrs_answer::Answer::draws). The draws of targets that are elements of a sequence are the trajectories of the particles.
    pub fn keep_draws(mut self) -> Self {
        self.keep = KeptParticles::Particles;
        self
    }

    /// Retains one particle of each population for [`Answer::draws`](figrs_answer::Answer::draws), drawn in proportion to the last weights. The
    /// weight of a retained particle is its population's estimate of the probability of the evidence. A population that has lost all its particles
    /// has no draw ([`RunStatistics::died`](figrs_answer::RunStatistics::died) lists such populations).
    ///
    /// If only trajectories are retained, targets are evaluated only for the retained particles, which is much faster if there are thousands of
    /// targets. For any function of the targets, multiply the weight of each draw by the function: the mean of these products over all populations is
    /// an unbiased estimate of the function's posterior mean times the probability of the evidence. Draws that are resampled by their weights
    /// approximate draws from the posterior; the approximation improves with the size of the populations.
    pub fn keep_trajectories(mut self) -> Self {
        self.keep = KeptParticles::Trajectories;
        self
    }

    setters!(sampler: drawing);
    setters!(watch: watch);

    fn invalid(&self, setting: &'static str, value: String, remedy: &'static str) -> Error {
        Error::invalid_setting(self.name(), setting, value, remedy)
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
        let rows = self
            .side_by_side
            .unwrap_or(1)
            .checked_mul(self.particles as u64);
        if rows.is_none_or(|rows| rows == 0 || rows > MOST as u64) {
            let value = self.side_by_side.unwrap_or(1).to_string();
            let remedy =
                "run at least one population side by side, and at most 16 million particles";
            return Err(self.invalid("side_by_side", value, remedy));
        }
        if !self
            .first_population
            .is_multiple_of(self.side_by_side.unwrap_or(u64::MAX))
        {
            let value = self.first_population.to_string();
            let remedy = "begin at a multiple of `side_by_side`";
            return Err(self.invalid("first_population", value, remedy));
        }
        if !(0.0..=1.0).contains(&self.threshold) {
            let value = self.threshold.to_string();
            return Err(self.invalid("threshold", value, "give a share between 0 and 1"));
        }
        Ok(())
    }

    /// Returns the number of populations that are run together in a block. The number of populations in a block of worlds depends only on the
    /// settings for populations and particles.
    fn block_size(&self) -> u64 {
        let usual = ROWS / self.particles as u64;
        let wanted = self.side_by_side.unwrap_or(usual);
        wanted.clamp(1, self.populations)
    }

    /// Returns the random number stream of the block of populations with the index `number`, and the number of populations in the block.
    fn stream_and_populations(&self, number: u64) -> (Stream, usize) {
        let size = self.block_size();
        let blocks = self.first_population / self.side_by_side.unwrap_or(size);
        let populations = size.min(self.populations - number * size) as usize;
        (stream(self.drawing.seed, blocks + number), populations)
    }

    /// Returns the function that draws the ancestors of the new particles, given the weights of a population.
    fn choose(&self) -> impl Fn(&[f64], &mut [u32], &mut Stream) + Copy {
        let resampling = self.resampling;
        move |weights, chosen, rng| resampling.choose(weights, chosen, || rng.random::<f64>())
    }

    /// Runs the particle populations of the block with the index `number`; `None` if the run was stopped.
    fn block(
        &self,
        block: &mut Block,
        targets: &[AnyElement],
        number: u64,
        way: &FilterProgress<'_>,
    ) -> Result<Option<PopulationTally>, Error> {
        let run = way.run;
        let (mut rng, populations) = self.stream_and_populations(number);
        let rows = populations * self.particles;
        block.start(rows);
        let mut worlds = BlockParticles {
            block,
            progress: way,
            rows: rows as u64,
            size: self.particles,
        };
        let choose = self.choose();
        let Some(mut filtered) = filter(&mut worlds, self.threshold, &mut rng, choose)? else {
            return Ok(None);
        };
        let trajectories = self.keep == KeptParticles::Trajectories;
        // If the weights of the worlds have different numbers of density factors, the worlds can be compared only after the targets have been
        // evaluated.
        let comparable = !worlds.block.weights().densities_differ();
        if trajectories && comparable {
            one_of_each(&mut worlds, &mut filtered, &mut rng, choose);
        }
        for target in worlds.block.statements()..worlds.block.roots() {
            if run.stopped().is_some() {
                return Ok(None);
            }
            worlds.block.run_root(target, &mut rng)?;
        }
        if trajectories && !comparable {
            worlds.block.keep_fewest_densities();
            one_of_each(&mut worlds, &mut filtered, &mut rng, choose);
        }
        let size = worlds.size;
        let tally = PopulationTally::new(block, targets, (size, self.keep), &filtered);
        Ok(Some(tally))
    }
}

struct FilterProgress<'a> {
    run: &'a RunMonitor<'a>,
    /// The fraction of the statements of evidence that each particle has processed, summed over all particles, in units of 2^-32.
    completed: AtomicU64,
}

impl FilterProgress<'_> {
    /// Reports that `particles` particles have processed one more statement of evidence, of `statements` statements in each of `parts` parts of a
    /// sequence.
    fn report(&self, particles: u64, statements: usize, parts: usize) {
        const WHOLE: u64 = 1 << 32;
        let share = WHOLE.div_ceil((statements.max(1) * parts) as u64);
        let met = self
            .completed
            .fetch_add(particles * share, Ordering::Relaxed)
            + particles * share;
        self.run.report(met / WHOLE);
    }
}

/// The worlds of a block, which are the particles of the particle filter.
struct BlockParticles<'a> {
    block: &'a mut Block,
    progress: &'a FilterProgress<'a>,
    /// Number of worlds in the block before any populations were removed.
    rows: u64,
    size: usize,
}

impl Particles for BlockParticles<'_> {
    type Random = Stream;

    fn statements(&self) -> usize {
        self.block.statements()
    }

    fn meet(&mut self, statement: usize, rng: &mut Stream) -> Result<bool, Error> {
        if self.progress.run.stopped().is_some() {
            return Ok(false);
        }
        self.block.run_root(statement, rng)?;
        self.progress.report(self.rows, self.statements(), 1);
        Ok(true)
    }

    fn populations(&self) -> usize {
        self.block.width() / self.size
    }

    fn weights(&self) -> PopulationWeights {
        self.block.weights().of_populations(self.size)
    }

    fn replace(&mut self, ancestors: Vec<u32>, size: usize, replaced: &[bool]) {
        self.size = size;
        self.block.resample_populations(ancestors, size, replaced);
    }
}

impl SequentialMonteCarlo {
    /// Creates an empty record of the sums over particle populations, for a range of units of work (parts of the run).
    fn sums(
        &self,
        units: &Range<u64>,
        targets: &[AnyElement],
        unseen: UnseenWorlds,
    ) -> PopulationSums {
        let side_by_side = self.block_size();
        let numbers = PopulationNumbers {
            first: self.first_population + units.start.saturating_mul(side_by_side),
            particles: self.particles as u64,
            populations: self.populations,
            side_by_side,
        };
        PopulationSums::new(self.name(), numbers, (targets, self.keep), unseen)
    }

    fn blocks(&self) -> u64 {
        self.populations.div_ceil(self.block_size())
    }

    /// Runs the next blocks of populations, up to the block with index `end`. The function `work` returns the contribution of one block to the sums.
    fn run_blocks<W, S: Sums>(
        &self,
        partial: Partial<S>,
        end: u64,
        worker: impl Fn(Limits) -> Result<W, Error> + Sync,
        work: impl Fn(&mut W, u64, &FilterProgress<'_>) -> Result<Option<S::Unit>, Error> + Sync,
        tally: impl Fn(&S::Unit) -> &PopulationTally,
    ) -> Result<Partial<S>, Error> {
        let particles = self.particles as u64;
        let total = particles.checked_mul(self.populations);
        let run = self.watch.start(self.name(), total);
        let way = FilterProgress {
            run: &run,
            completed: AtomicU64::new(0),
        };
        let mut taken = 0;
        partial.run(
            &run,
            (self.drawing.threads(), end.min(self.blocks()), 1),
            || worker(self.drawing.limits.until(run.until())),
            |worker, number| work(worker, number, &way),
            |unit| {
                taken += tally(unit).populations.len() as u64;
                way.run.report(taken * particles);
            },
        )
    }
}

impl MergeableSampler for SequentialMonteCarlo {
    type Sums = PopulationSums;

    fn settings(&self) -> String {
        settings_text!(self, drawing.limits.threads, watch)
    }

    fn units(&self, _: &Model, _: &[AnyElement]) -> Result<u64, Error> {
        self.check()?;
        Ok(self.blocks())
    }

    fn run_units(
        &self,
        model: &Model,
        targets: &[AnyElement],
        units: Range<u64>,
        absorption: Absorption,
    ) -> Result<Partial<PopulationSums>, Error> {
        self.check()?;
        let unseen = UnseenWorlds::of(model, targets, WeightBound::of(model));
        let sums = self.sums(&units, targets, unseen);
        let memory =
            SharedMemory::new(self.drawing.limits.expansion_memory, self.drawing.threads());
        self.run_blocks(
            Partial::new(sums, units.start, absorption).of_units(self.blocks()),
            units.end,
            |limit| {
                let (weigh, order) = (Observations::Weigh, EvidenceOrder::AsStated);
                let block = Block::new(model, targets, weigh, order, limit)?;
                Ok(memory.share_with(block))
            },
            |block, number, way| memory.run(block, |block| self.block(block, targets, number, way)),
            |tally| tally,
        )
    }
}

impl ResumableSampler for SequentialMonteCarlo {
    fn watch(&self) -> &Watch {
        &self.watch
    }

    fn watch_mut(&mut self) -> &mut Watch {
        &mut self.watch
    }

    fn lengthened(&self, more: u64) -> Option<Self> {
        let populations = self.populations.checked_add(more)?;
        Some(Self {
            populations,
            ..self.clone()
        })
    }

    fn asked(&self) -> Option<u64> {
        (self.particles as u64).checked_mul(self.populations)
    }
}

figrs_answer::run::unit_run::unit_sampler!(SequentialMonteCarlo, drawing.seed);
