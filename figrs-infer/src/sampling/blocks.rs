//! Draws of independent worlds in blocks, on all cores.

use std::ops::Range;

use figrs_core::{AnyElement, Model, Stream, stream};
use figrs_lower::internals::Block;

use super::block_sampling::BlockSampling;
use super::block_tally::BlockTally;
use super::joined_blocks::JoinedBlocks;
use super::shared_memory::SharedMemory;
use super::weight_tail::WeightTail;
use super::world_sums::WorldSums;
use figrs_answer::error::Error;
use figrs_answer::run::partial::{Absorption, Partial};

/// Maximum number of blocks of worlds in a batch. After each batch, a thread reports the sums of the batch.
const BATCH: u64 = 32;

impl BlockSampling<'_> {
    /// Draws the worlds of the units of work `units`. `finish` may change the weights of a block of worlds before the weights are summed.
    pub(crate) fn partial(
        &self,
        (model, targets): (&Model, &[AnyElement]),
        units: Range<u64>,
        absorption: Absorption,
        finish: impl Fn(&mut Block, usize, &mut Stream) -> Result<(), Error> + Sync,
    ) -> Result<Partial<WorldSums>, Error> {
        let run = self.watch.start(self.algorithm, self.samples);
        if run.stopped().is_some() {
            return Err(run.nothing_done());
        }
        let size = self.unit_size(model, targets, run.until());
        let size = size.map_err(|error| run.error_of(error))?;
        let all = self.units_of(size);
        let sums = WorldSums::new(self, model, targets, size);
        let threads = self.drawing.threads();
        let memory = SharedMemory::new(self.drawing.limits.expansion_memory, threads);
        let end = units.end.min(all);
        let draw = |block: &mut Block, number: u64, most: usize| {
            let rest = self
                .samples
                .map_or(size.rows, |samples| samples - number * size.rows);
            let rows = size.rows.min(rest) as usize;
            let mut rng = stream(self.drawing.seed, number);
            block.start(rows);
            for root in 0..block.roots() {
                if run.stopped().is_some() {
                    return Ok(None);
                }
                block.run_root(root, &mut rng)?;
            }
            finish(block, rows, &mut rng)?;
            Ok(Some(BlockTally::new(
                block,
                targets,
                rows,
                (most, self.keep_draws),
            )))
        };
        let mut drawn = 0;
        let partial = Partial::new(sums, units.start, absorption).of_units(all);
        partial.run(
            &run,
            (threads, end, (BATCH / size.blocks).max(1)),
            || Ok(memory.share_with(self.block(model, targets, run.until())?)),
            |block, unit| {
                let numbers = unit * size.blocks..(unit + 1) * size.blocks;
                let is_drawn = |&number: &u64| {
                    self.samples
                        .is_none_or(|samples| number * size.rows < samples)
                };
                let most = WeightTail::most_of_unit(size.worlds(), unit);
                let mut joined = JoinedBlocks::new(targets, most);
                for number in numbers.take_while(is_drawn) {
                    match memory.run(block, |block| draw(block, number, most))? {
                        Some(next) => joined.push(next),
                        None => return Ok(None),
                    }
                }
                Ok(joined.into_tally())
            },
            |block| {
                drawn += block.rows;
                run.report(drawn);
            },
        )
    }
}
