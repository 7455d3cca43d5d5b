//! A memory limit for the blocks of worlds on all threads together.

use std::sync::{Arc, PoisonError, RwLock};

use figrs_core::ModelError;
use figrs_lower::internals::{Block, Pool};

use figrs_answer::error::Error;

/// The memory that the blocks of worlds of a run may use together.
///
/// If a block of worlds exceeds its share of the memory, the other threads wait, and the block starts again with empty caches and may use the whole
/// memory. A model that fits into memory therefore fits with any number of threads.
pub(crate) struct SharedMemory {
    pool: Arc<Pool>,
    threads: usize,
    /// Threads that work at the same time hold the lock for reading. A thread that uses the whole memory alone holds the lock for writing.
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

    /// Runs `work` with a block of worlds. If the first attempt exceeds the block's share of the memory, a second attempt may use the whole memory.
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
