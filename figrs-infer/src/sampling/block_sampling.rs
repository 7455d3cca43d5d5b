//! Independent worlds, drawn in blocks on all cores: the size of the blocks, and the memory that they share.

use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};

use figrs_core::{AnyElement, Model, ModelError, Stream, stream};
use figrs_lower::internals::{Block, Pool};
use figrs_lower::{EvidenceOrder, Observations};

use super::block_tally::{BlockTally, JoinedBlocks};
use super::settings::WorldSettings;
use super::unseen_worlds::WeightBound;
use super::world_sums::WorldSums;
use figrs_answer::quality::diagnostics::WeightTail;
use figrs_answer::{Absorption, Error, Partial};
use figrs_factor::Until;

/// Maximum number of worlds in a block; with this number, the columns of the block stay in the processor cache.
const MOST_ROWS: u64 = 1 << 14;
/// Number of values that a block of worlds should have: its number of worlds times the number of values of a world.
const CELLS: u64 = 1 << 18;
/// Minimum number of worlds in a block, even if each world has many values; the minimum does not apply to blocks of more than `MOST_CELLS` values.
/// Smaller blocks are slow, because evaluating an element once for a block costs about as much as computing a hundred values.
const WORTHWHILE_ROWS: u64 = 1 << 8;
const MOST_CELLS: u64 = 1 << 22;
/// One block of worlds may take the memory limit divided by `MEMORY_DIVISOR`, because several threads use blocks at the same time.
const MEMORY_DIVISOR: u64 = 16;
/// Number of worlds of the pilot block; this block measures the size of a world, and its draws are discarded.
const PILOT: usize = 8;
/// Minimum number of blocks of worlds in a run, provided that each block then has at least `LEAST_ROWS` worlds.
pub(super) const LEAST_BLOCKS: u64 = 16;
const LEAST_ROWS: u64 = 64;
/// Number of units of work (parts of a run) above which several blocks of worlds form one unit. A unit of work that consists of several blocks of
/// worlds is at most `1 / WORTHWHILE_UNITS` of the run.
const WORTHWHILE_UNITS: u64 = 1 << 12;
const MOST_BLOCKS: u64 = 64;

/// The size of the units of work into which a run is divided. A unit of work consists of several blocks of worlds whose sums are reported together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UnitSize {
    /// Number of worlds in a block of worlds.
    pub(super) rows: u64,
    /// Number of blocks of worlds in a unit of work; the blocks are drawn one after another and reported together.
    pub(super) blocks: u64,
}

impl UnitSize {
    pub(super) fn worlds(self) -> u64 {
        self.rows * self.blocks
    }
}

/// Implements the traits of a sampler of independent worlds that has [`WorldSettings`] in a field `settings`, and a method `blocks` that checks the
/// settings and the model and returns the [`BlockSampling`] of a run.
macro_rules! world_sampler {
    ($sampler:ident) => {
        impl figrs_answer::MergeableSampler for $sampler {
            type Sums = $crate::sampling::world_sums::WorldSums;

            fn settings(&self) -> String {
                figrs_answer::settings_text!(self, settings.drawing.limits.threads, settings.watch)
            }

            fn units(&self, model: &Model, targets: &[AnyElement]) -> Result<u64, Error> {
                self.blocks(model)?.units(model, targets)
            }

            fn run_units(
                &self,
                model: &Model,
                targets: &[AnyElement],
                units: std::ops::Range<u64>,
                absorption: figrs_answer::run::partial::Absorption,
            ) -> Result<figrs_answer::Partial<Self::Sums>, Error> {
                let blocks = self.blocks(model)?;
                blocks.partial((model, targets), units, absorption)
            }
        }

        impl figrs_answer::ResumableSampler for $sampler {
            fn watch(&self) -> &figrs_answer::run::watch::Watch {
                &self.settings.watch
            }

            fn watch_mut(&mut self) -> &mut figrs_answer::run::watch::Watch {
                &mut self.settings.watch
            }

            fn lengthened(&self, more: u64) -> Option<Self> {
                let settings = self.settings.lengthened(more)?;
                Some(Self { settings })
            }

            fn asked(&self) -> Option<u64> {
                self.settings.samples
            }
        }

        figrs_answer::run::unit_run::unit_sampler!($sampler, settings.drawing.seed);
    };
}
pub(super) use world_sampler;

#[derive(Debug)]
pub(crate) struct BlockSampling<'a> {
    pub(crate) algorithm: &'static str,
    /// The remedy in the error for a run in which all samples have weight zero.
    pub(crate) remedy: &'static str,
    pub(crate) settings: &'a WorldSettings,
    pub(crate) observations: Observations,
    /// An upper bound of the weight of a world, if such a bound is known.
    pub(crate) maximum: Option<WeightBound>,
    /// The logarithm of the weight that serves as the unit in which weights are stored.
    pub(crate) log_unit: f64,
    /// Changes the weights of a block of worlds before the weights are summed; the arguments are the block, its number of worlds, `log_unit` and the
    /// random numbers.
    pub(crate) accept: Option<Acceptance>,
}

type Acceptance = fn(&mut Block, usize, f64, &mut Stream) -> Result<(), Error>;

impl BlockSampling<'_> {
    pub(super) fn block(
        &self,
        model: &Model,
        targets: &[AnyElement],
        until: &Until,
    ) -> Result<Block, Error> {
        let order = EvidenceOrder::ObservationsFirst;
        let limit = self.settings.drawing.limits.until(until);
        Ok(Block::new(model, targets, self.observations, order, limit)?)
    }

    /// Returns the size of the units of work for `model`, measured by a pilot block of worlds.
    pub(super) fn unit_size(
        &self,
        model: &Model,
        targets: &[AnyElement],
        until: &Until,
    ) -> Result<UnitSize, Error> {
        let mut block = self.block(model, targets, until)?;
        block.run(PILOT, &mut stream(self.settings.drawing.seed, u64::MAX))?;
        let cells = (block.cells() as u64 / PILOT as u64).max(1);
        let rows = self.rows(cells, block.bytes_of_first_run());
        let has_typed = (0..targets.len()).any(|target| block.target(target).is_typed());
        Ok(UnitSize {
            rows,
            blocks: self.blocks_of_unit(rows, cells, has_typed),
        })
    }

    /// Returns the number of worlds in a block if each world has `cells` values and the pilot block took `bytes` bytes.
    fn rows(&self, cells: u64, bytes: u64) -> u64 {
        let bytes = (bytes / PILOT as u64).max(1);
        let worthwhile = (MOST_CELLS / cells)
            .min(self.settings.drawing.limits.expansion_memory / MEMORY_DIVISOR / bytes);
        let worthwhile = worthwhile.clamp(PILOT as u64, WORTHWHILE_ROWS);
        let most = (CELLS / cells).clamp(worthwhile, MOST_ROWS);
        let share = self
            .settings
            .samples
            .map_or(MOST_ROWS, |samples| samples / LEAST_BLOCKS);
        let rows = most.min(share.max(LEAST_ROWS));
        if rows >= LEAST_ROWS {
            rows / 64 * 64
        } else {
            rows
        }
    }

    /// Returns the number of blocks of worlds in one unit of work of the run. A unit of work has several blocks if sending the sums of a block to
    /// another thread would take longer than drawing the block.
    ///
    /// A unit of work is one block if a run may end after any block, if draws are retained, or if a target may have a different value in each world.
    /// If values differ in each world, the sums of several blocks are as large as the blocks themselves.
    fn blocks_of_unit(&self, rows: u64, cells: u64, has_typed: bool) -> u64 {
        let (Some(samples), None, false, false) = (
            self.settings.samples,
            self.settings.target_ess,
            self.settings.keep_draws,
            has_typed,
        ) else {
            return 1;
        };
        let most = (MOST_BLOCKS * CELLS / cells / rows).clamp(1, MOST_BLOCKS);
        let wanted = (samples / rows / WORTHWHILE_UNITS).clamp(1, most);
        // The number is a power of two, which seldom changes when a run is lengthened.
        1 << wanted.ilog2()
    }

    pub(super) fn units_of(&self, size: UnitSize) -> u64 {
        self.settings
            .samples
            .map_or(u64::MAX, |samples| samples.div_ceil(size.worlds()))
    }

    pub(crate) fn units(&self, model: &Model, targets: &[AnyElement]) -> Result<u64, Error> {
        let size = self.unit_size(model, targets, &Until::default())?;
        Ok(self.units_of(size))
    }
}

/// Maximum number of blocks of worlds in a batch (blocks that one thread draws in succession). After each batch, a thread reports the sums of the
/// batch.
const BATCH: u64 = 32;

impl BlockSampling<'_> {
    /// Draws the worlds of the units of work with the indices `units`.
    pub(crate) fn partial(
        &self,
        (model, targets): (&Model, &[AnyElement]),
        units: Range<u64>,
        absorption: Absorption,
    ) -> Result<Partial<WorldSums>, Error> {
        let run = self
            .settings
            .watch
            .start(self.algorithm, self.settings.samples);
        if run.stopped().is_some() {
            return Err(run.nothing_done());
        }
        let size = self.unit_size(model, targets, run.until());
        let size = size.map_err(|error| run.error_of(error))?;
        let all = self.units_of(size);
        let sums = WorldSums::new(self, model, targets, size);
        let threads = self.settings.drawing.threads();
        let memory = SharedMemory::new(self.settings.drawing.limits.expansion_memory, threads);
        let end = units.end.min(all);
        let draw = |block: &mut Block, number: u64, most: usize| {
            let rest = self
                .settings
                .samples
                .map_or(size.rows, |samples| samples - number * size.rows);
            let rows = size.rows.min(rest) as usize;
            let mut rng = stream(self.settings.drawing.seed, number);
            block.start(rows);
            if let Some(assigned) = &self.settings.assigned {
                assigned.assign_to(block, number * size.rows);
            }
            for root in 0..block.roots() {
                if run.stopped().is_some() {
                    return Ok(None);
                }
                block.run_root(root, &mut rng)?;
            }
            if let Some(accept) = self.accept {
                accept(block, rows, self.log_unit, &mut rng)?;
            }
            Ok(Some(BlockTally::new(
                block,
                targets,
                rows,
                (most, self.settings.keep_draws),
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
                    self.settings
                        .samples
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

/// The memory that the blocks of worlds of a run may use together.
///
/// If a block of worlds exceeds its share of the memory, the other threads wait, and the block starts again with empty caches and may use the whole
/// memory. A model that fits into the memory limit with one thread therefore fits with any number of threads.
pub(crate) struct SharedMemory {
    pool: Arc<Pool>,
    threads: usize,
    /// Threads that draw blocks of worlds at the same time hold the lock for reading. A thread that uses the whole memory alone holds the lock for
    /// writing.
    alone: RwLock<()>,
}

impl SharedMemory {
    pub(crate) fn new(bytes: u64, threads: usize) -> Self {
        Self {
            pool: Pool::new(bytes, threads),
            threads,
            alone: RwLock::new(()),
        }
    }

    /// Makes the block of worlds `block` take its memory from the memory that all blocks of the run share.
    pub(crate) fn share_with(&self, mut block: Block) -> Block {
        block.share(&self.pool);
        block
    }

    /// Runs the function `work` with a block of worlds. If the first attempt exceeds the block's share of the memory, a second attempt may use the
    /// whole memory.
    pub(crate) fn run<R>(
        &self,
        block: &mut Block,
        work: impl Fn(&mut Block) -> Result<R, Error>,
    ) -> Result<R, Error> {
        {
            let _side_by_side = self.alone.read().unwrap_or_else(PoisonError::into_inner);
            let had_all = self.threads <= 1 && !block.has_cached_worlds();
            let outcome = work(block);
            block.end_run();
            let too_much = matches!(outcome, Err(Error::Model(ModelError::TooMuchMemory { .. })));
            if !too_much || had_all {
                return outcome;
            }
        }
        let _alone = self.alone.write().unwrap_or_else(PoisonError::into_inner);
        block.with_whole_memory(work)
    }
}
