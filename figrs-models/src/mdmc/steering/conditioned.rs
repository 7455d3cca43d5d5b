//! Levels given demands by sequential Monte Carlo.

use std::num::NonZero;
use std::ops::Range;
use std::time::{Duration, Instant};

use figrs_core::{Model, stream};
use figrs_infer::{Error, LogEvidence, Run, SequentialMonteCarlo, TargetDraws};
use rand::Rng;

use super::super::{Generated, Tile};
use super::conflict::{self, Trial};
use super::demand::Demand;
use super::error::SteeringError;
use super::sampler::LevelSampler;
use super::steered::SteeredLevel;

/// Draws levels given demands: populations of particles grow column by column, and each gives one level.
///
/// # Guarantee
///
/// All demands are met. The law of a level tends to the trained chain's given the demands as particles grow; with few particles a
/// level that is easier to begin than to finish is somewhat too rare. Where all particles of a population fail, levels are drawn from
/// populations of four times as many.
///
/// # Complexity
///
/// Linear in the particles and in the cells of a level.
///
/// # Errors
///
/// [`SteeringError::Contradictory`] if no particle meets the demands however many there are, up to
/// [`most_particles`](Self::most_particles).
///
/// # References
///
/// Gordon, Salmond and Smith (1993), and for constraints on generated content Snodgrass and Ontañón (2017), whose
/// look-ahead this replaces.
#[derive(Clone, Debug)]
#[must_use]
pub struct ConditionedSampler {
    steered: SteeredLevel,
    particles: usize,
    most_particles: usize,
    patience: Duration,
}

impl ConditionedSampler {
    /// With 20 particles a level, up to 5 120 where they fail, and ten seconds to find out which demands conflict.
    pub fn new(steered: SteeredLevel) -> Self {
        Self {
            steered,
            particles: 20,
            most_particles: 5_120,
            patience: Duration::from_secs(10),
        }
    }

    /// Begins with this many particles for each level.
    pub fn particles(mut self, particles: usize) -> Self {
        self.particles = particles;
        self
    }

    /// Gives up where this many particles fail.
    pub fn most_particles(mut self, particles: usize) -> Self {
        self.most_particles = particles;
        self
    }

    /// Looks this long for a smallest set of demands that conflict.
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// The level and its demands.
    pub fn steered(&self) -> &SteeredLevel {
        &self.steered
    }

    /// The natural logarithm of the probability that the trained chain meets all demands, with its standard error, from 64
    /// populations of fifty times as many particles as a level has.
    pub fn log_probability(&self, seed: u64) -> Result<LogEvidence, SteeringError> {
        let answer = SequentialMonteCarlo::new(self.particles.saturating_mul(50))
            .populations(64)
            .seed(seed)
            .run(self.steered.model(), ())?;
        Ok(answer.log_evidence()?)
    }

    /// Up to `wanted` levels from as many populations.
    fn survivors(
        &self,
        seed: u64,
        wanted: u64,
        particles: usize,
    ) -> Result<Vec<Generated>, SteeringError> {
        let cells = self.steered.cells();
        let answer = SequentialMonteCarlo::new(particles)
            .populations(wanted)
            .threads(NonZero::<usize>::MIN)
            .seed(seed)
            .keep_trajectories()
            .run(self.steered.model(), cells);
        let answer = match answer {
            Err(Error::NoSampleMetEvidence { .. }) => return Ok(Vec::new()),
            answer => answer?,
        };
        let draws = answer.draws()?;
        let level = |draw: usize| {
            let drawn = |cell: &TargetDraws| {
                let tile = cell.support.get::<Tile>(cell.indices[draw] as usize);
                *tile.expect("the targets are tiles")
            };
            let tiles: Vec<Tile> = draws.targets.iter().map(drawn).collect();
            self.steered.level(&tiles)
        };
        Ok((0..draws.length).map(level).collect())
    }

    /// What is to blame where no particle is left.
    fn conflict(&self, seed: u64) -> SteeringError {
        let until = Instant::now() + self.patience;
        let trial = |model: &Model| {
            let run = SequentialMonteCarlo::new(self.most_particles.min(2_000))
                .populations(1)
                .seed(seed)
                .deadline(until.saturating_duration_since(Instant::now()))
                .log_evidence(model);
            match run {
                Ok(_) => Trial::Possible,
                Err(Error::NoSampleMetEvidence { .. }) => Trial::Impossible,
                Err(_) => Trial::Unknown,
            }
        };
        conflict::smallest(&self.steered, &trial, false)
    }
}

impl LevelSampler for ConditionedSampler {
    fn name(&self) -> &'static str {
        "conditioned"
    }

    fn guarantee(&self) -> String {
        format!(
            "all demands are met; near the trained chain given the demands, {} particles a level",
            self.particles
        )
    }

    /// Populations are run side by side: one alone takes most of the time of some.
    fn batch(&self) -> u64 {
        16
    }

    fn demands(&self) -> &[Demand] {
        self.steered.demands()
    }

    fn levels(&self, seed: u64, numbers: Range<u64>) -> Result<Vec<Generated>, SteeringError> {
        let mut levels = Vec::new();
        let mut next = numbers.start;
        while next < numbers.end {
            // A batch is always drawn whole, so that a level does not depend on how many are asked for.
            let batch = self.batch();
            let mut rng = stream(seed, next / batch);
            let mut found = Vec::new();
            let mut particles = self.particles;
            while (found.len() as u64) < batch {
                // As many particles in all as at the beginning, but one population at least.
                let together = (self.particles as u64 * batch / particles as u64).max(1);
                let wanted = together.min(batch - found.len() as u64);
                let more = self.survivors(rng.next_u64(), wanted, particles)?;
                let (none, before) = (more.is_empty(), found.len());
                found.extend(more);
                if none && particles >= self.most_particles {
                    return Err(self.conflict(rng.next_u64()));
                }
                if found.len() as u64 - (before as u64) < wanted {
                    particles = particles.saturating_mul(4).min(self.most_particles);
                }
            }
            let start = next - next / batch * batch;
            let end = (numbers.end - next + start).min(batch);
            next += end - start;
            levels.extend(found.drain(start as usize..end as usize));
        }
        Ok(levels)
    }
}
