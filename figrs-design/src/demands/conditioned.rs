//! Draws levels given demands by sequential Monte Carlo.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZero;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use figrs_core::stream;
use figrs_infer::{Error, Frontier, LogEvidence, Progress, SequentialMonteCarlo};
use rand::Rng;

use super::conflict;
use super::demand::Demand;
use super::error::SteeringError;
use super::parts::LevelParts;
use super::proof::Conflict;
use super::sampler::LevelSampler;
use super::steered::SteeredLevel;
use super::trial::Trial;
use figrs_models::mdmc::{GeneratedLevel, Tile};

/// Draws levels given demands: each population of particles grows column by column and gives one level.
///
/// # Guarantee
///
/// Every level meets all demands. As the number of particles grows, the distribution of a level tends to that of the model given the demands;
/// with few particles, levels that are easier to begin than to finish are somewhat too rare. If all particles of a
/// population fail, the level is drawn from a population four times as large, and so on.
/// [`effective_populations`](Self::effective_populations) measures how near the drawn levels are to that distribution.
///
/// Tiles are proposed according to their effect on the demands. For a drawing, the factor of a tile is applied as soon as that tile is sampled. For
/// numbers, patterns and other automata, proposals look ahead to the end of the level as if cells were independent (n-grams look ahead exactly for a
/// drawing). These proposals make the weights more even and leave the law unchanged.
///
/// # Complexity
///
/// Time is linear in the particles and in the cells of a level. Levels are drawn a few columns at a time, so memory holds the particles of these columns
/// and the tiles of the levels.
///
/// # Errors
///
/// [`SteeringError::Contradictory`] if no particle meets the demands with up to [`most_particles`](Self::most_particles) particles. The demands that
/// the error names, and whether they are proven to conflict, are the same on all machines: the search for a proof has a limited
/// [work](SteeredLevel::proof_work), and so has the search by particles that follows if no proof is found ([work](Self::conflict_work)).
///
/// # References
///
/// Gordon, Salmond and Smith (1993); this sampler replaces the look-ahead of Snodgrass and Ontañón (2017) for constraints on generated
/// content.
#[derive(Clone, Debug)]
#[must_use]
pub struct ConditionedSampler {
    steered: SteeredLevel,
    particles: usize,
    most_particles: Option<usize>,
    conflict_work: u64,
    listener: Option<RunListener>,
    /// The conflict that the search for a proof found, if any, and the work of that search.
    proof: Arc<OnceLock<(Option<Conflict>, u64)>>,
    interrupt: Option<Arc<AtomicBool>>,
    /// Each population's estimate of the log evidence, by the seed and the index of the population.
    drawn: Arc<Mutex<BTreeMap<(u64, u64), f64>>>,
    latest: Arc<Mutex<Option<DrawnLevels>>>,
}

/// Levels of the most recent run of populations.
#[derive(Clone, Debug)]
struct DrawnLevels {
    seed: u64,
    numbers: Range<u64>,
    /// The level of each population; `None` where all particles failed.
    levels: Vec<Option<GeneratedLevel>>,
}

/// Maximum number of populations whose weights the sampler remembers.
const MOST_WEIGHTS: usize = 1 << 20;
/// Number of particles per block; larger blocks, with more populations side by side, do not reduce the time per level.
const BATCH_PARTICLES: u64 = 480;
/// Number of particles per block for playable levels, where following each particle's player takes most of the time. With twenty particles a level, 24 levels
/// of 15 by 60 cells took 300 to 450 ms of one core, and six levels 110 ms.
const PLAYED_BATCH_PARTICLES: u64 = 120;
/// Maximum number of levels in a batch.
const BATCH_LEVELS: u64 = 24;
/// Maximum of particles times cells in a batch: twenty particles on each of 24 levels of 14 by 200.
const BATCH_CELLS: u64 = BATCH_PARTICLES * 14 * 200;

/// Callback for the progress of a run.
#[derive(Clone)]
struct RunListener(Arc<dyn Fn(&Progress) + Send + Sync>);

impl fmt::Debug for RunListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listener").finish_non_exhaustive()
    }
}

impl ConditionedSampler {
    /// Creates a sampler with the defaults: 20 particles a level, up to 64 times as many if they fail, and 24 million particle cells (particles times cells) to
    /// find the demands that conflict.
    pub fn new(steered: SteeredLevel) -> Self {
        Self {
            steered,
            particles: 20,
            most_particles: None,
            conflict_work: 24_000_000,
            listener: None,
            proof: Arc::default(),
            interrupt: None,
            drawn: Arc::default(),
            latest: Arc::default(),
        }
    }

    /// Sets the number of particles with which each level begins.
    pub fn particles(mut self, particles: usize) -> Self {
        self.particles = particles;
        self
    }

    /// Sets the largest number of particles of a population; if that many fail, drawing gives up. The default is 64 times the number of
    /// [`particles`](Self::particles), at least 1 280, and at most 100 000 or [`particles`](Self::particles) if that is larger.
    pub fn most_particles(mut self, particles: usize) -> Self {
        self.most_particles = Some(particles);
        self
    }

    /// Returns the largest number of particles of a population.
    fn largest(&self) -> usize {
        let usual = || self.particles.saturating_mul(64).clamp(1_280, 100_000);
        self.most_particles.unwrap_or_else(usual)
    }

    /// Draws at most this many cells, over all particles, to find a minimal set of demands that conflict. If these cells do not suffice, the error
    /// also lists the demands that were not tested and says so. The default is enough for 13 demands on a level of 14 by 200. On such a level the
    /// search took two seconds of one core for four demands, and thirteen seconds for playability, which follows each particle's player.
    pub fn conflict_work(mut self, cells: u64) -> Self {
        self.conflict_work = cells;
        self
    }

    /// Sets a callback for the progress of drawing levels or of estimating a probability. `listener` is called from time to time in each run with the
    /// number of particles that have met all evidence (unfinished particles count in proportion) and the total number of particles.
    pub fn on_progress(mut self, listener: impl Fn(&Progress) + Send + Sync + 'static) -> Self {
        self.listener = Some(RunListener(Arc::new(listener)));
        self
    }

    /// Ends drawing, and the search for demands that conflict, with [`Error::NothingDone`] once `flag` is `true`.
    pub fn interrupt(mut self, flag: Arc<AtomicBool>) -> Self {
        self.interrupt = Some(flag);
        self
    }

    /// **Errors.** [`Error::NothingDone`] if the sampler is interrupted.
    fn check_interrupt(&self) -> Result<(), SteeringError> {
        let flag = self.interrupt.as_ref();
        if flag.is_some_and(|flag| flag.load(Ordering::Acquire)) {
            let algorithm = "SequentialMonteCarlo";
            return Err(Error::NothingDone { algorithm }.into());
        }
        Ok(())
    }

    /// Returns a particle filter with these numbers of particles and populations, which reports its progress if a listener is set.
    fn populations(&self, particles: usize, populations: u64) -> SequentialMonteCarlo {
        let filter = self.silent(particles, populations);
        match self.listener.clone() {
            Some(RunListener(listener)) => filter.on_progress(move |progress| listener(progress)),
            None => filter,
        }
    }

    /// Returns a particle filter with these numbers of particles and populations, which reports no progress.
    fn silent(&self, particles: usize, populations: u64) -> SequentialMonteCarlo {
        let filter = SequentialMonteCarlo::new(particles).populations(populations);
        match self.interrupt.clone() {
            Some(flag) => filter.interrupt(flag),
            None => filter,
        }
    }

    /// Returns a single-threaded particle filter with these numbers of particles and populations; each population gives one level.
    fn filter(&self, particles: usize, populations: u64) -> SequentialMonteCarlo {
        let filter = self.populations(particles, populations);
        filter.threads(NonZero::<usize>::MIN)
    }

    /// Returns the level and its demands.
    pub fn steered(&self) -> &SteeredLevel {
        &self.steered
    }

    /// Returns the natural logarithm of the probability that the model meets all demands, with its standard error. The estimate uses 64 populations,
    /// each with fifty times as many particles as for a level, up to 20 000. The factor is five instead of fifty if the filter follows players, which
    /// takes most of the time. The weights of a Markov random field do not sum to one; their sum is estimated in the same way.
    ///
    /// **Errors.** The errors of [`SequentialMonteCarlo`].
    pub fn log_probability(&self, seed: u64) -> Result<LogEvidence, SteeringError> {
        let of = |steered: &SteeredLevel| -> Result<LogEvidence, SteeringError> {
            let is_followed = steered.demands().any(|demand| demand.route().is_some());
            let times = if is_followed { 5 } else { 50 };
            let particles = self.particles.saturating_mul(times).min(20_000);
            let parts = LevelParts::to(steered, steered.width());
            let filter = self.populations(particles, 64).seed(seed);
            Ok(filter.follow(&parts)?.answer.log_evidence()?)
        };
        let mut estimate = of(&self.steered)?;
        if let Some(free) = self.steered.undemanding() {
            let total = of(&free)?;
            estimate.value -= total.value;
            estimate.standard_error = estimate.standard_error.hypot(total.standard_error);
        }
        Ok(estimate)
    }

    /// Returns one level for each population in which a particle survived.
    fn levels_of(&self, drawn: &[Vec<Tile>]) -> Vec<GeneratedLevel> {
        drawn
            .iter()
            .map(|tiles| self.steered.level(tiles))
            .collect()
    }

    /// Draws a level from larger and larger populations, after all particles of the given population failed.
    fn again(&self, seed: u64, number: u64) -> Result<GeneratedLevel, SteeringError> {
        let mut rng = stream(seed, u64::MAX - number);
        let mut particles = self.particles;
        while particles < self.largest() {
            self.check_interrupt()?;
            // After a larger population has failed too, a search for a proof that no level meets the demands is worth its time.
            if particles > self.particles
                && let Some(conflict) = self.proven()?
            {
                return Err(conflict::error(&self.steered, conflict, true));
            }
            particles = particles.saturating_mul(4).min(self.largest());
            let filter = self.filter(particles, 1).seed(rng.next_u64());
            match filter.follow(&LevelParts::of(&self.steered)) {
                Err(Error::NoSampleMetEvidence { .. }) => {}
                drawn => {
                    if let Some(level) = self.levels_of(&drawn?.values).pop() {
                        return Ok(level);
                    }
                }
            }
        }
        let conflict = self.conflict(seed)?;
        self.check_interrupt()?;
        Err(conflict)
    }

    /// Returns the demands that are proven to be impossible together, if any; the search runs once.
    ///
    /// **Errors.** [`Error::NothingDone`] if the search is interrupted.
    fn proven(&self) -> Result<Option<&Conflict>, SteeringError> {
        if self.proof.get().is_none() {
            let found = conflict::proven(&self.steered, &self.frontier());
            // A search that was interrupted proves nothing.
            self.check_interrupt()?;
            self.proof.get_or_init(|| found);
        }
        Ok(self.proof.get().and_then(|(found, _)| found.as_ref()))
    }

    /// Returns a frontier that stops when the sampler is interrupted.
    fn frontier(&self) -> Frontier {
        match self.interrupt.clone() {
            Some(flag) => Frontier::new().interrupt(flag),
            None => Frontier::new(),
        }
    }

    /// Remembers the weights of the populations of a batch; the populations listed in `died` have no weight.
    fn note_weights(&self, seed: u64, numbers: Range<u64>, died: &[u64], weights: &[f64]) {
        let mut weights = weights.iter();
        let mut drawn = self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
        for number in numbers {
            let weight = match died.binary_search(&number) {
                Ok(_) => f64::NEG_INFINITY,
                Err(_) => weights.next().copied().unwrap_or(f64::NEG_INFINITY),
            };
            if drawn.len() < MOST_WEIGHTS {
                drawn.insert((seed, number), weight);
            }
        }
    }

    /// Returns the number of populations drawn so far and their effective sample size 1 / Σw², where the weights w are the populations' estimates of
    /// the evidence, scaled to sum to 1. The closer this size is to the number of populations, the closer the distribution of the levels is to the
    /// exact law. `None` for fewer than two populations.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use figrs_models::mdmc::{ColumnNGrams, Corpus};
    /// use figrs_design::{ConditionedSampler, Demand, LevelSampler, SteeredLevel};
    ///
    /// let ngrams = Arc::new(ColumnNGrams::train(&Corpus::shipped(), 2)?).program(30)?;
    /// let sampler = ConditionedSampler::new(SteeredLevel::new(&ngrams, &[Demand::MaximumGap(2)])?);
    /// assert!(sampler.effective_populations().is_none());
    /// sampler.levels(1, 0..2)?;
    /// let (populations, effective) = sampler.effective_populations().unwrap();
    /// assert!(effective > 0.5 * populations as f64);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn effective_populations(&self) -> Option<(usize, f64)> {
        let drawn = self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
        if drawn.len() < 2 {
            return None;
        }
        let top = drawn.values().copied().fold(f64::NEG_INFINITY, f64::max);
        if top == f64::NEG_INFINITY {
            return Some((drawn.len(), 0.0));
        }
        let weights = || drawn.values().map(|log| (log - top).exp());
        let squares: f64 = weights().map(|weight| weight * weight).sum();
        Some((drawn.len(), weights().sum::<f64>().powi(2) / squares))
    }

    /// Returns how many levels one run of at most `most` particles should draw.
    fn fitting(&self, most: u64) -> u64 {
        // Wide levels are drawn few at a time, so that the first levels come early.
        let particles = self.particles.max(1) as u64;
        let cells = (self.steered.height() * self.steered.width()) as u64;
        let fitting = BATCH_CELLS / (particles * cells).max(1);
        fitting.min(most / particles).clamp(1, BATCH_LEVELS)
    }

    /// Returns the number of populations in a block. The populations of a block run side by side, since one population alone takes almost as long as
    /// several together.
    fn side_by_side(&self) -> u64 {
        let mut demands = self.steered.demands();
        let is_played = demands.any(|demand| demand.route().is_some());
        self.fitting(if is_played {
            PLAYED_BATCH_PARTICLES
        } else {
            BATCH_PARTICLES
        })
    }

    /// Returns the levels of these populations if the latest run drew them.
    fn kept(&self, seed: u64, numbers: &Range<u64>) -> Option<Vec<Option<GeneratedLevel>>> {
        let latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        let latest = latest.as_ref().filter(|latest| latest.seed == seed)?;
        let from = numbers.start.checked_sub(latest.numbers.start)? as usize;
        let until = numbers.end.checked_sub(latest.numbers.start)? as usize;
        latest.levels.get(from..until).map(<[_]>::to_vec)
    }

    /// Runs whole blocks of populations; returns the level of each, or `None` where all its particles failed.
    ///
    /// **Errors.** [`Error::NothingDone`] if the run is interrupted, and the other errors of [`SequentialMonteCarlo`].
    fn populations_of(
        &self,
        seed: u64,
        numbers: Range<u64>,
    ) -> Result<Vec<Option<GeneratedLevel>>, SteeringError> {
        let found = self
            .filter(self.particles, numbers.end - numbers.start)
            .side_by_side(self.side_by_side())
            .first_population(numbers.start)
            .seed(seed)
            .follow(&LevelParts::of(&self.steered));
        // An interrupted run holds only some of the populations.
        self.check_interrupt()?;
        let (drawn, died, weights) = match found {
            Err(Error::NoSampleMetEvidence { .. }) => {
                (Vec::new(), numbers.clone().collect(), Vec::new())
            }
            found => {
                let found = found?;
                let sampling = found.answer.sampling();
                let died = sampling.and_then(|sampling| sampling.died.clone());
                let weights = found.answer.draws()?.log_weights.clone();
                (
                    self.levels_of(&found.values),
                    died.unwrap_or_default(),
                    weights.unwrap_or_default(),
                )
            }
        };
        self.note_weights(seed, numbers.clone(), &died, &weights);
        let mut drawn = drawn.into_iter();
        let levels = numbers
            .clone()
            .map(|number| match died.binary_search(&number) {
                Ok(_) => None,
                Err(_) => drawn.next(),
            });
        let levels: Vec<Option<GeneratedLevel>> = levels.collect();
        if numbers.end - numbers.start <= BATCH_LEVELS {
            let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
            *latest = Some(DrawnLevels {
                seed,
                numbers,
                levels: levels.clone(),
            });
        }
        Ok(levels)
    }

    /// Returns the error that lists the conflicting demands after all particles failed; the error is the same for all levels of a seed.
    ///
    /// **Errors.** [`Error::NothingDone`] if the search is interrupted.
    fn conflict(&self, seed: u64) -> Result<SteeringError, SteeringError> {
        if let Some(conflict) = self.proven()? {
            return Ok(conflict::error(&self.steered, conflict, true));
        }
        let particles = self.largest().min(400);
        let left = Cell::new(self.conflict_work);
        let trial = |part: &SteeredLevel, columns: usize| {
            let cells = particles * self.steered.height() * columns;
            let Some(rest) = left.get().checked_sub(cells as u64) else {
                return Trial::Unknown;
            };
            left.set(rest);
            let run = self
                .silent(particles, 1)
                .threads(NonZero::<usize>::MIN)
                .seed(seed)
                .follow(&LevelParts::to(part, columns));
            match run {
                Ok(_) => Trial::Possible,
                Err(Error::NoSampleMetEvidence { .. }) => Trial::Impossible,
                Err(_) => Trial::Unknown,
            }
        };
        let found = conflict::minimal_conflict(&self.steered, &trial);
        let before = self.proof.get().map_or(0, |(_, spent)| *spent);
        let confirmed = conflict::confirmed(&self.steered, &found, &self.frontier(), before);
        if let Some(conflict) = confirmed {
            return Ok(conflict::error(&self.steered, &conflict, true));
        }
        Ok(conflict::error(&self.steered, &found, false))
    }
}

impl LevelSampler for ConditionedSampler {
    fn name(&self) -> &'static str {
        "conditioned"
    }

    fn guarantee(&self) -> String {
        format!(
            "all demands are met; near {} given the demands and not exactly that, {} particles a level",
            self.steered.level_model().name(),
            self.particles
        )
    }

    fn quality(&self) -> Option<String> {
        let (populations, effective) = self.effective_populations()?;
        let share = effective / populations as f64;
        let advice = match share {
            ..0.1 => "far from the law: take more particles, or ask for the exact law",
            ..0.5 => "more particles bring levels nearer to the law",
            _ => "near the law",
        };
        Some(format!(
            "measured: the weights of {populations} populations have an effective size of {effective:.1} ({:.0} %), {advice}",
            100.0 * share
        ))
    }

    /// Returns the number of levels in a batch of several whole blocks of populations; the blocks of a batch share the element programs of the parts
    /// of the level.
    fn batch(&self) -> u64 {
        let block = self.side_by_side();
        self.fitting(BATCH_PARTICLES) / block * block
    }

    fn demands(&self) -> Vec<Demand> {
        self.steered.demands().cloned().collect()
    }

    fn levels(&self, seed: u64, numbers: Range<u64>) -> Result<Vec<GeneratedLevel>, SteeringError> {
        let block = self.side_by_side();
        // Blocks are drawn whole, so that a level does not depend on how many levels are requested.
        let (first, end) = (
            numbers.start / block * block,
            numbers.end.next_multiple_of(block),
        );
        let drawn = match self.kept(seed, &(first..end)) {
            Some(kept) => kept,
            None => self.populations_of(seed, first..end)?,
        };
        let asked = (first..end).zip(drawn);
        let asked = asked.filter(|(number, _)| numbers.contains(number));
        let levels = asked.map(|(number, survived)| match survived {
            Some(level) => Ok(level),
            None => self.again(seed, number),
        });
        levels.collect()
    }
}
