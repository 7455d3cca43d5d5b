//! Draws worlds that are independent of each other, by particle filters. Each world is drawn from populations of particles that no other world uses.

use figrs_core::stream;
use rand::{Rng, RngExt};

use super::SequentialMonteCarlo;
use figrs_answer::{Answer, Draws, Error, RunStatistics};
use figrs_factor::Stopped;

/// Number of particle populations for each draw. With two populations, the draw of a world succeeds even if one of the populations loses all its
/// particles.
const POPULATIONS_PER_DRAW: u64 = 2;
/// Minimum number of populations of particles in a round of draws; [`SequentialMonteCarlo`] has the same default.
const MIN_POPULATIONS: u64 = 16;

/// Maximum number of consecutive rounds of draws in which no particle remains. If no particle remains in this number of consecutive rounds, the run
/// ends with the worlds drawn so far.
const MAX_FAILED_ROUNDS: u32 = 16;

/// Worlds that were drawn independently, with statistics of their populations.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct IndependentDraws<T> {
    /// The worlds that were drawn.
    pub worlds: Vec<T>,
    /// Number of populations of particles that were run.
    pub populations: u64,
    /// Number of populations in which all particles got weight zero.
    pub died: u64,
    /// Effective number of populations in the first round: the number of equally weighted populations that would give the same precision.
    pub effective: f64,
}

impl SequentialMonteCarlo {
    /// Draws `wanted` worlds independently, with the settings of this sampler except its number of populations. The function `run` runs the sampler
    /// that it receives, which retains trajectories and has another number of populations and another seed. The function `world` returns the world of
    /// the draw with the given index.
    ///
    /// Each world comes from its own populations of particles. A drawn world is the trajectory of one particle of its populations, which is drawn
    /// with probability proportional to the population's estimate of the evidence. If all populations of a world lose their particles, the draw of
    /// the world is repeated. The result contains fewer worlds than requested if the run is stopped.
    ///
    /// **Guarantee.** The worlds are independent, and the distribution of each world converges to the posterior as the number of particles grows.
    ///
    /// **Complexity.** The draws take the time of two populations of particles for each world, but at least the time of sixteen populations.
    ///
    /// **Errors.** The errors of the function `run`, including [`Error::NoSampleMetEvidence`] if all populations of the first round lose all their
    /// particles. After sixteen consecutive later rounds in which all populations lose all their particles, the result contains only the worlds drawn
    /// so far.
    pub fn independent<T>(
        &self,
        wanted: usize,
        run: impl Fn(Self) -> Result<Answer, Error>,
        world: impl Fn(&Draws, usize) -> T,
    ) -> Result<IndependentDraws<T>, Error> {
        let seed = self.drawing.seed;
        let mut rng = stream(seed, u64::MAX);
        let mut worlds: Vec<Option<T>> = (0..wanted).map(|_| None).collect();
        let (mut populations, mut died, mut effective) = (0, 0, 0.0);
        let (mut own, mut fruitless) = (seed, 0);
        loop {
            let missing: Vec<usize> = (0..wanted).filter(|&at| worlds[at].is_none()).collect();
            if missing.is_empty() {
                break;
            }
            let each = MIN_POPULATIONS
                .div_ceil(missing.len() as u64)
                .max(POPULATIONS_PER_DRAW);
            let asked = each * missing.len() as u64;
            let round = self.clone().populations(asked).seed(own);
            let answer = match run(round.keep_trajectories()) {
                Err(Error::NoSampleMetEvidence { .. })
                    if missing.len() < wanted && fruitless + 1 < MAX_FAILED_ROUNDS =>
                {
                    populations += asked;
                    died += asked;
                    fruitless += 1;
                    own = rng.next_u64();
                    continue;
                }
                // After a stop, or after the maximum number of failed rounds, the worlds drawn so far are returned.
                Err(Error::NothingDone { .. } | Error::NoSampleMetEvidence { .. })
                    if missing.len() < wanted =>
                {
                    break;
                }
                answer => answer?,
            };
            fruitless = 0;
            let dead = answer
                .sampling()
                .and_then(|sampling| sampling.died.clone())
                .unwrap_or_default();
            let draws = answer.draws()?;
            let logs = draws.log_weights.clone();
            let logs = logs.unwrap_or_else(|| vec![0.0; draws.length]);
            let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            if populations == 0 {
                let weights = || logs.iter().map(|log| (log - largest).exp());
                effective = weights().sum::<f64>().powi(2) / weights().map(|w| w * w).sum::<f64>();
            }
            populations += asked;
            died += dead.len() as u64;
            // The draws of the answer are in the order of those populations that still have particles.
            let mut alive = (0..asked).filter(|number| dead.binary_search(number).is_err());
            let mut groups: Vec<Vec<usize>> = vec![Vec::new(); missing.len()];
            for (draw, number) in (0..draws.length).zip(&mut alive) {
                groups[(number / each) as usize].push(draw);
            }
            for (&at, group) in missing.iter().zip(&groups) {
                let top = group.iter().map(|&draw| logs[draw]);
                let top = top.fold(f64::NEG_INFINITY, f64::max);
                let weights: Vec<f64> =
                    group.iter().map(|&draw| (logs[draw] - top).exp()).collect();
                let mut left = rng.random::<f64>() * weights.iter().sum::<f64>();
                let chosen = group.iter().zip(&weights).find(|(_, weight)| {
                    left -= **weight;
                    left < 0.0
                });
                if let Some(&draw) = chosen.map(|(draw, _)| draw).or(group.last()) {
                    worlds[at] = Some(world(draws, draw));
                }
            }
            let is_finished = |sampling: &RunStatistics| sampling.stopped == Stopped::Finished;
            if !answer.sampling().is_some_and(is_finished) {
                break;
            }
            own = rng.next_u64();
        }
        Ok(IndependentDraws {
            worlds: worlds.into_iter().flatten().collect(),
            populations,
            died,
            effective,
        })
    }
}
