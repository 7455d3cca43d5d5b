//! A memory limit that blocks of worlds on several threads share.

use std::sync::{Arc, PoisonError, RwLock};

use figrs_core::ModelError;
use figrs_lower::internals::{Block, Pool};

use figrs_answer::error::Error;

/// The memory that the blocks of worlds of a run may use together.
///
/// A block of worlds that exceeds its share starts again with empty caches while the other threads wait, and may then use the whole memory. Whether
/// a model fits into memory therefore does not depend on the number of threads.
pub(crate) struct SharedMemory {
    pool: Arc<Pool>,
    threads: usize,
    /// Locked for reading while threads work at the same time, and for writing while one thread works alone.
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

    /// Makes `block` take its memory from this shared memory.
    pub(crate) fn share_with(&self, mut block: Block) -> Block {
        block.share(&self.pool);
        block
    }

    /// Runs `work` with a block of worlds. If the first attempt exceeds the block's share of the memory, the work is repeated with the whole memory.
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
