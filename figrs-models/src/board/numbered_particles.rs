//! Draws numbered boards by particle filters: each board is drawn from a population of its own.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::ops::{Deref, Range};
use std::sync::{Arc, Mutex, PoisonError};

use figrs_core::rand::Rng;
use figrs_core::stream;
use figrs_infer::minimal_conflict::Trial;
use figrs_infer::{Error, LogEvidence, Sequence, SequentialMonteCarlo, Trajectories};

use super::conflict::ConflictStage;
use super::sequence::{BoardSequence, EvidenceOnly};
use super::{BoardError, ConditionalSampler, Generator};

/// Maximum number of populations of particles whose weights the sampler stores.
const MOST_WEIGHTS: usize = 1 << 20;
/// Number of particles in a block (populations that run side by side); larger blocks do not reduce the time per board.
const BATCH_PARTICLES: u64 = 480;
/// Number of particles in a block (populations that run side by side), for [slow](BoardSequence::slow) boards. With twenty particles for each level,
/// one core drew a block of 24 levels of 15 by 60 cells, with a path for a player as a demand, in 300 to 450 ms, and six of them in 110 ms.
const SLOW_BATCH_PARTICLES: u64 = 120;
const BATCH_BOARDS: u64 = 24;
/// Maximum product of the number of particles and the number of cells, over all boards of a batch (boards that are drawn by one call). The product
/// permits a batch of 24 boards of 14 by 200 cells, with twenty particles for each board.
const BATCH_CELLS: u64 = BATCH_PARTICLES * 14 * 200;
/// Maximum number of particles in each trial run of the search for demands that exclude each other.
const TRIAL_PARTICLES: usize = 400;

pub(super) type BoardCells<G> = Vec<<G as Generator>::Cell>;

/// Populations of particles; each population draws one board, which has the same number as the population.
///
/// If all particles of a population fail, a population four times as large draws the same board, and so on.
#[derive(Clone)]
pub(super) struct NumberedParticles<P: Deref<Target: Generator>> {
    pub(super) generator: P,
    pub(super) settings: ConditionalSampler,
    pub(super) particles: usize,
    is_slow: bool,
    /// Estimates of the logarithm of the probability of the evidence, one from each population of particles. The key of an estimate is the seed and
    /// the number of the population.
    weights: Arc<Mutex<BTreeMap<(u64, u64), f64>>>,
    latest: Latest<BoardCells<P::Target>>,
}

type Latest<B> = Arc<Mutex<Option<DrawnBlocks<B>>>>;

struct DrawnBlocks<B> {
    seed: u64,
    numbers: Range<u64>,
    /// The board that each population of particles has drawn; `None` if all particles of the population failed.
    boards: Vec<Option<B>>,
}

impl<G: Generator, P: Deref<Target = G>> NumberedParticles<P> {
    pub(super) fn new(generator: P, settings: ConditionalSampler) -> Result<Self, BoardError> {
        let sequence = generator.sequence()?;
        let (particles, is_slow) = (sequence.particles, sequence.is_slow);
        drop(sequence);
        Ok(Self {
            particles: settings.particles.unwrap_or(particles),
            is_slow,
            generator,
            settings,
            weights: Arc::default(),
            latest: Arc::default(),
        })
    }

    /// Returns the number of boards that are drawn together, with at most `most` particles in all.
    fn fitting(&self, most: u64) -> u64 {
        // A run draws only few large boards, so that the first boards are ready soon.
        let particles = self.particles.max(1) as u64;
        let cells = self.generator.size().cells() as u64;
        let fitting = BATCH_CELLS / (particles * cells).max(1);
        fitting.min(most / particles).clamp(1, BATCH_BOARDS)
    }

    /// Returns the number of populations of particles in a block. The populations of a block run side by side, because a single population takes
    /// almost as long as several together.
    fn side_by_side(&self) -> u64 {
        self.fitting(if self.is_slow {
            SLOW_BATCH_PARTICLES
        } else {
            BATCH_PARTICLES
        })
    }

    /// Returns the number of boards in a batch, a multiple of the number of boards in a block; all blocks of a batch use the same probabilistic
    /// programs of the board's parts.
    pub(super) fn batch(&self) -> u64 {
        let block = self.side_by_side();
        self.fitting(BATCH_PARTICLES) / block * block
    }

    pub(super) fn boards(
        &self,
        seed: u64,
        numbers: Range<u64>,
    ) -> Result<Vec<BoardCells<G>>, BoardError> {
        let block = self.side_by_side();
        // Whole blocks are drawn, so that a board does not depend on the number of requested boards.
        let (first, end) = (
            numbers.start / block * block,
            numbers.end.next_multiple_of(block),
        );
        let sequence = self.generator.sequence()?;
        let drawn = match self.kept(seed, &(first..end)) {
            Some(kept) => kept,
            None => self.populations_of(&sequence, seed, first..end)?,
        };
        let asked = (first..end).zip(drawn);
        let asked = asked.filter(|(number, _)| numbers.contains(number));
        let boards = asked.map(|(number, survived)| match survived {
            Some(board) => Ok(board),
            None => self.again(&sequence, seed, number),
        });
        boards.collect()
    }

    /// Returns the boards with the numbers `numbers`, if the particle filters that ran last drew all of them.
    fn kept(&self, seed: u64, numbers: &Range<u64>) -> Option<Vec<Option<BoardCells<G>>>> {
        let latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        let latest = latest.as_ref().filter(|latest| latest.seed == seed)?;
        let from = numbers.start.checked_sub(latest.numbers.start)? as usize;
        let until = numbers.end.checked_sub(latest.numbers.start)? as usize;
        latest.boards.get(from..until).map(<[_]>::to_vec)
    }

    /// Returns a single-threaded particle filter with `populations` populations of `particles` particles; each population draws one board.
    fn filter(&self, particles: usize, populations: u64) -> SequentialMonteCarlo {
        let filter = self.settings.watch.filter(particles);
        let filter = filter.populations(populations);
        filter.threads(NonZero::<usize>::MIN)
    }

    /// Runs whole blocks of populations of particles; returns the board of each population, or `None` for a population whose particles all failed.
    ///
    /// **Errors.** [`Error::NothingDone`] if the particle filter is interrupted, and the other errors of [`SequentialMonteCarlo`].
    fn populations_of(
        &self,
        sequence: &BoardSequence<'_, G::Cell>,
        seed: u64,
        numbers: Range<u64>,
    ) -> Result<Vec<Option<BoardCells<G>>>, BoardError> {
        let found = self
            .filter(self.particles, numbers.end - numbers.start)
            .side_by_side(self.side_by_side())
            .first_population(numbers.start)
            .seed(seed)
            .follow(sequence.parts());
        // An interrupted run has boards for some of the populations only.
        self.settings.watch.check()?;
        let (drawn, died, weights) = match found {
            Err(Error::NoSampleMetEvidence { .. }) => {
                (Vec::new(), numbers.clone().collect(), Vec::new())
            }
            found => {
                let Trajectories { answer, values } = found?;
                let sampling = answer.sampling();
                let died = sampling.and_then(|sampling| sampling.died.clone());
                let weights = answer.draws()?.log_weights.clone();
                (
                    values,
                    died.unwrap_or_default(),
                    weights.unwrap_or_default(),
                )
            }
        };
        self.note_weights(seed, numbers.clone(), &died, &weights);
        let mut drawn = drawn.into_iter();
        let boards = numbers
            .clone()
            .map(|number| match died.binary_search(&number) {
                Ok(_) => None,
                Err(_) => drawn.next(),
            });
        let boards: Vec<Option<BoardCells<G>>> = boards.collect();
        if numbers.end - numbers.start <= BATCH_BOARDS {
            let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
            *latest = Some(DrawnBlocks {
                seed,
                numbers,
                boards: boards.clone(),
            });
        }
        Ok(boards)
    }

    /// Draws the board `number` from larger and larger populations, because all particles of the first population for this board failed.
    fn again(
        &self,
        sequence: &BoardSequence<'_, G::Cell>,
        seed: u64,
        number: u64,
    ) -> Result<BoardCells<G>, BoardError> {
        let watch = &self.settings.watch;
        let engine = watch.frontier(self.settings.memory);
        let mut rng = stream(seed, u64::MAX - number);
        let (mut particles, mut tried) = (self.particles, self.particles as u64);
        let largest = self.settings.largest_population(self.particles);
        while particles < largest {
            watch.check()?;
            // If a larger population has failed, too, the sampler searches for a proof that no board meets the demands.
            if particles > self.particles {
                let conflict = self.generator.conflict(ConflictStage::Undecided, &engine);
                watch.check()?;
                if let Some(conflict) = conflict {
                    return Err(conflict);
                }
            }
            particles = particles.saturating_mul(4).min(largest);
            tried += particles as u64;
            let filter = self.filter(particles, 1).seed(rng.next_u64());
            match filter.follow(sequence.parts()) {
                Err(Error::NoSampleMetEvidence { .. }) => {}
                drawn => {
                    if let Some(board) = drawn?.values.pop() {
                        return Ok(board);
                    }
                }
            }
        }
        let particles = largest.min(TRIAL_PARTICLES);
        let trial = |part: &dyn Sequence<Value = G::Cell>| {
            let filter = watch.silent_filter(particles).populations(1);
            let filter = filter.threads(NonZero::<usize>::MIN).seed(seed);
            match filter.follow(&EvidenceOnly(part)) {
                Ok(_) => Trial::Possible,
                Err(Error::NoSampleMetEvidence { .. }) => Trial::Impossible,
                Err(_) => Trial::Unknown,
            }
        };
        let stage = ConflictStage::Failed {
            particles,
            trial: &trial,
        };
        let conflict = self.generator.conflict(stage, &engine);
        watch.check()?;
        Err(conflict.unwrap_or(BoardError::NoneMet { tried }))
    }

    /// Stores the weights of the populations of particles in a batch; a population listed in `died` has weight zero and no entry in `weights`.
    fn note_weights(&self, seed: u64, numbers: Range<u64>, died: &[u64], weights: &[f64]) {
        let mut weights = weights.iter();
        let mut noted = self.weights.lock().unwrap_or_else(PoisonError::into_inner);
        for number in numbers {
            let weight = match died.binary_search(&number) {
                Ok(_) => f64::NEG_INFINITY,
                Err(_) => weights.next().copied().unwrap_or(f64::NEG_INFINITY),
            };
            if noted.len() < MOST_WEIGHTS {
                noted.insert((seed, number), weight);
            }
        }
    }

    pub(super) fn effective_populations(&self) -> Option<(usize, f64)> {
        let noted = self.weights.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.len() < 2 {
            return None;
        }
        let top = noted.values().copied().fold(f64::NEG_INFINITY, f64::max);
        if top == f64::NEG_INFINITY {
            return Some((noted.len(), 0.0));
        }
        let weights = || noted.values().map(|log| (log - top).exp());
        let squares: f64 = weights().map(|weight| weight * weight).sum();
        Some((noted.len(), weights().sum::<f64>().powi(2) / squares))
    }
}

impl ConditionalSampler {
    /// Estimates the natural logarithm of the probability that a board drawn without the user's demands follows the rules and meets all demands; also
    /// returns the standard error. The logarithm of the probability is estimated from 64 populations of particles. For the estimate, each population
    /// has fifty times as many [`particles`](Self::particles) as for a numbered board, up to 20 000, or five times as many if the evidence on a
    /// particle takes [most of the time](BoardSequence::slow).
    ///
    /// **Errors.** The errors of [`Generator::sequence`] and of [`SequentialMonteCarlo`].
    pub fn estimated_log_probability<G: Generator>(
        &self,
        generator: &G,
    ) -> Result<LogEvidence, BoardError> {
        let of = |generator: &G| -> Result<LogEvidence, BoardError> {
            let sequence = generator.sequence()?;
            let times = if sequence.is_slow { 5 } else { 50 };
            let each = self.particles.unwrap_or(sequence.particles);
            let particles = each.saturating_mul(times).min(20_000);
            let filter = self.watch.filter(particles).populations(64).seed(self.seed);
            let found = filter.follow(&EvidenceOnly(sequence.parts()))?;
            Ok(found.answer.log_evidence()?)
        };
        let mut estimate = of(generator)?;
        if let Some(free) = generator.without_demands() {
            let total = of(&free)?;
            estimate.value -= total.value;
            estimate.standard_error = estimate.standard_error.hypot(total.standard_error);
        }
        Ok(estimate)
    }
}
