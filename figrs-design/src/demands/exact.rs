//! Levels given demands, drawn from their exact distribution.

use std::ops::Range;

use figrs_core::stream;
use figrs_infer::{CompiledFrontier, Error, Frontier};

use super::conflict::{self, EarlyProof};
use super::demand::Demand;
use super::error::SteeringError;
use super::sampler::LevelSampler;
use super::steered::SteeredLevel;
use super::trial::Trial;
use crate::DemandError;
use figrs_models::mdmc::{GeneratedLevel, Tile};

/// Draws levels from exactly the model's distribution given the demands.
///
/// The frontier explores its states once, column by column, and reuses the table of a column as soon as
/// columns repeat; then a backward sweep computes the probabilities of the continuations for each column.
///
/// # Guarantee
///
/// Exact, up to rounding.
///
/// # Complexity
///
/// Linear in the number of states of the frontier, which grows quickly with the number of rows of a level and with the number of states of the
/// demands' automata.
///
/// # Errors
///
/// [`figrs_infer::Error::FrontierTooLarge`] if the states take more memory than the frontier allows; [`SteeringError::Contradictory`] if no level
/// meets the demands. To find the conflicting demands, the frontier is explored again at most once for each demand and once for each halving of the
/// number of columns, up to the column of the conflict.
#[derive(Debug)]
pub struct ExactSampler {
    steered: SteeredLevel,
    compiled: CompiledFrontier,
    /// Natural logarithm of the sum of the weights of all levels of the model.
    log_total: f64,
}

impl ExactSampler {
    /// Creates a sampler by exploring the frontier of a level with its demands.
    ///
    /// **Errors.** The errors listed for the [sampler](Self).
    pub fn new(steered: SteeredLevel, frontier: &Frontier) -> Result<Self, SteeringError> {
        let proven = |conflict| conflict::error(&steered, &conflict, true);
        let is_open = match conflict::soon_proven(&steered, frontier) {
            EarlyProof::Proven(conflict) => return Err(proven(conflict)),
            EarlyProof::NotFound => false,
            EarlyProof::NotSearched => true,
        };
        let searched = || {
            is_open
                .then(|| conflict::proven(&steered, frontier).0)
                .flatten()
        };
        let compiled = frontier.compile(steered.model(), steered.cells());
        let compiled = compiled.map_err(|error| {
            let is_ended = matches!(error, Error::NothingDone { .. });
            let found = (!is_ended).then(searched).flatten();
            found.map_or_else(|| error.into(), &proven)
        })?;
        if compiled.log_evidence() == f64::NEG_INFINITY {
            let trial = |part: &SteeredLevel, columns: usize| match frontier
                .compile(&part.first_columns(columns).model, ())
            {
                Ok(part) if part.log_evidence() > f64::NEG_INFINITY => Trial::Possible,
                Ok(_) => Trial::Impossible,
                Err(_) => Trial::Unknown,
            };
            return Err(proven(
                searched().unwrap_or_else(|| conflict::minimal_conflict(&steered, &trial)),
            ));
        }
        let log_total = match steered.undemanding() {
            Some(free) => frontier.compile(free.model(), ())?.log_evidence(),
            None => 0.0,
        };
        Ok(Self {
            steered,
            compiled,
            log_total,
        })
    }

    /// Returns the level and its demands.
    pub fn steered(&self) -> &SteeredLevel {
        &self.steered
    }

    /// Returns the compiled frontier, for further queries.
    pub fn compiled(&self) -> &CompiledFrontier {
        &self.compiled
    }

    /// Returns the natural logarithm of the probability that the model meets all demands.
    pub fn log_probability(&self) -> f64 {
        self.compiled.log_evidence() - self.log_total
    }

    /// Returns the probability of a tile in a cell, given the demands.
    ///
    /// **Errors.** The cell is outside of the level.
    pub fn probability(&self, row: usize, column: usize, tile: Tile) -> Result<f64, SteeringError> {
        let height = self.steered.height();
        let cell = (row < height && column < self.steered.width())
            .then(|| &self.steered.cells()[column * height + height - 1 - row]);
        let cell = cell.ok_or_else(|| DemandError::outside(row, column))?;
        Ok(self.compiled.probability(cell, &tile)?)
    }
}

impl LevelSampler for ExactSampler {
    fn name(&self) -> &'static str {
        "exact"
    }

    fn guarantee(&self) -> String {
        format!(
            "exactly {} given the demands",
            self.steered.level_model().name()
        )
    }

    /// Number of levels in a batch; large because each batch recomputes the backward messages if they do not fit into memory.
    fn batch(&self) -> u64 {
        64
    }

    fn demands(&self) -> Vec<Demand> {
        self.steered.demands().cloned().collect()
    }

    fn levels(&self, seed: u64, numbers: Range<u64>) -> Result<Vec<GeneratedLevel>, SteeringError> {
        let rngs = numbers.map(|number| stream(seed, number)).collect();
        let worlds = self.compiled.sample_each(rngs)?;
        let levels = worlds.into_iter().map(|world| {
            let tiles = world.values(self.steered.cells())?;
            Ok(self.steered.level(&tiles))
        });
        levels.collect::<Result<_, Error>>().map_err(Into::into)
    }
}
