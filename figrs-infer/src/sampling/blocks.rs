//! Independent worlds drawn in blocks, on all cores.

use std::ops::Range;

use figrs_core::internals::Block;
use figrs_core::lower::{Observations, Roots};
use figrs_core::{AnyElement, Model, Stream, stream};

use super::block_tally::BlockTally;
use super::settings::SamplerSettings;
use super::shared_memory::SharedMemory;
use super::weight_bound::WeightBound;
use super::world_sums::WorldSums;
use crate::error::Error;
use crate::run::partial::Partial;
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
/// Maximum number of blocks in a batch, after which a thread hands their sums on.
const BATCH: u64 = 32;

/// The settings of a sampler of independent worlds.
#[derive(Debug)]
pub(crate) struct BlockSampling<'a> {
    pub(crate) algorithm: &'static str,
    /// The remedy where all samples weigh zero.
    pub(crate) remedy: &'static str,
    pub(crate) samples: Option<u64>,
    /// Ends the run after the block that reaches this effective sample size, but not before some blocks have been seen.
    pub(crate) enough: Option<f64>,
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
    fn block(&self, model: &Model, targets: &[AnyElement]) -> Result<Block, Error> {
        let order = Roots::ObservationsFirst;
        let block = Block::new(model, targets, self.observations, order, self.drawing.limit);
        Ok(block?)
    }

    /// Number of rows in the blocks of this model.
    fn width(&self, model: &Model, targets: &[AnyElement]) -> Result<usize, Error> {
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
    fn blocks(&self, width: u64) -> u64 {
        self.samples
            .map_or(u64::MAX, |samples| samples.div_ceil(width))
    }

    /// Number of blocks of the whole run.
    pub(crate) fn units(&self, model: &Model, targets: &[AnyElement]) -> Result<u64, Error> {
        Ok(self.blocks(self.width(model, targets)? as u64))
    }

    /// Draws the samples of some of the blocks; `finish` may change the weights of a block before it is counted.
    pub(crate) fn partial(
        &self,
        model: &Model,
        targets: &[AnyElement],
        units: Range<u64>,
        finish: impl Fn(&mut Block, usize, &mut Stream) -> Result<(), Error> + Sync,
    ) -> Result<Partial<WorldSums>, Error> {
        let run = self.watch.start(self.algorithm, self.samples);
        if run.stopped().is_some() {
            return Err(run.nothing_done());
        }
        let width = self.width(model, targets)? as u64;
        let sums = WorldSums::new(self, model, targets);
        let keep = (sums.tail(), self.keep_draws);
        let threads = self.drawing.threads();
        let memory = SharedMemory::new(self.drawing.limit.bytes, threads);
        let units = units.start..units.end.min(self.blocks(width));
        let mut drawn = 0;
        Partial::run(
            &run,
            (threads, units, BATCH),
            sums,
            || Ok(memory.admit(self.block(model, targets)?)),
            |block, number| {
                let rest = self
                    .samples
                    .map_or(width, |samples| samples - number * width);
                let rows = width.min(rest) as usize;
                memory.run(block, |block| {
                    let mut rng = stream(self.drawing.seed, number);
                    block.start(rows);
                    for root in 0..block.roots() {
                        if run.stopped().is_some() {
                            return Ok(None);
                        }
                        block.run_root(root, &mut rng)?;
                    }
                    finish(block, rows, &mut rng)?;
                    Ok(Some(BlockTally::new(block, targets, rows, keep)))
                })
            },
            |block| {
                drawn += block.rows;
                run.report(drawn);
            },
        )
    }
}
