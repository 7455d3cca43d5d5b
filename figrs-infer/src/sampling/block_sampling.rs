//! Settings of samplers of independent worlds, and the size of the blocks in which they draw.

use figrs_core::internals::Block;
use figrs_core::lower::{EvidenceOrder, Observations};
use figrs_core::{AnyElement, Model, stream};

use super::settings::SamplerSettings;
use super::weight_bound::WeightBound;
use crate::error::Error;
use crate::run::watch::Watch;

/// Maximum number of rows of a block: their columns stay in the cache.
const MOST_ROWS: u64 = 1 << 14;
/// Target number of cells, the values of all columns, of a block.
const CELLS: u64 = 1 << 18;
/// Rows that a block of larger worlds has nevertheless, as long as it has no more than this many cells: each element costs
/// about as much as a hundred of its values.
const WORTHWHILE_ROWS: u64 = 1 << 8;
const MOST_CELLS: u64 = 1 << 22;
/// These rows take one part in so many of the memory at most: blocks of several threads are held at once.
const SHARE: u64 = 16;
/// Rows of the pilot block, which measures the size of a world; its draws are not used.
const PILOT: usize = 8;
/// Least number of blocks of a run, as far as they have this many rows each.
pub(super) const LEAST_BLOCKS: u64 = 16;
const LEAST_ROWS: u64 = 64;

/// The settings of a sampler of independent worlds.
#[derive(Debug)]
pub(crate) struct BlockSampling<'a> {
    pub(crate) algorithm: &'static str,
    /// The remedy where all samples weigh zero.
    pub(crate) remedy: &'static str,
    pub(crate) samples: Option<u64>,
    /// Ends the run after the block that reaches this effective sample size, but not before some blocks have been seen.
    pub(crate) target_ess: Option<f64>,
    pub(crate) drawing: &'a SamplerSettings,
    pub(crate) observations: Observations,
    /// A bound of the weights of worlds, where one is known.
    pub(crate) maximum: Option<WeightBound>,
    /// The logarithm of the unit of the weights.
    pub(crate) log_unit: f64,
    pub(crate) keep_draws: bool,
    pub(crate) watch: &'a Watch,
}

impl BlockSampling<'_> {
    pub(super) fn block(&self, model: &Model, targets: &[AnyElement]) -> Result<Block, Error> {
        let order = EvidenceOrder::ObservationsFirst;
        let block = Block::new(model, targets, self.observations, order, self.drawing.limit);
        Ok(block?)
    }

    /// Number of rows in the blocks of this model.
    pub(super) fn width(&self, model: &Model, targets: &[AnyElement]) -> Result<usize, Error> {
        let mut block = self.block(model, targets)?;
        block.run(PILOT, &mut stream(self.drawing.seed, u64::MAX))?;
        let cells = (block.cells() as u64 / PILOT as u64).max(1);
        let bytes = (block.bytes_of_first_run() / PILOT as u64).max(1);
        let worthwhile = (MOST_CELLS / cells).min(self.drawing.limit.bytes / SHARE / bytes);
        let worthwhile = worthwhile.clamp(PILOT as u64, WORTHWHILE_ROWS);
        let most = (CELLS / cells).clamp(worthwhile, MOST_ROWS);
        let share = self
            .samples
            .map_or(MOST_ROWS, |samples| samples / LEAST_BLOCKS);
        let rows = most.min(share.max(LEAST_ROWS));
        Ok(if rows >= LEAST_ROWS {
            rows / 64 * 64
        } else {
            rows
        } as usize)
    }

    /// Number of blocks with so many rows each.
    pub(super) fn blocks(&self, width: u64) -> u64 {
        self.samples
            .map_or(u64::MAX, |samples| samples.div_ceil(width))
    }

    /// Number of blocks of the whole run.
    pub(crate) fn units(&self, model: &Model, targets: &[AnyElement]) -> Result<u64, Error> {
        Ok(self.blocks(self.width(model, targets)? as u64))
    }
}
