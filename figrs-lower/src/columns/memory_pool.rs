//! A pool of memory for several blocks.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of bytes that the blocks of several threads may use together; each block requests memory when it needs more.
#[derive(Debug)]
pub struct Pool {
    left: AtomicU64,
    /// Maximum number of bytes that a block may keep for its next run.
    kept: u64,
    /// Number of bytes that a block requests at once. A block keeps these bytes over several runs, because counting its memory takes time.
    portion: u64,
}

impl Pool {
    /// Creates a pool of `bytes` bytes for the blocks of `threads` threads.
    pub fn new(bytes: u64, threads: usize) -> Arc<Self> {
        let share = bytes / threads.max(1) as u64;
        Arc::new(Self {
            left: AtomicU64::new(bytes),
            kept: share / 4,
            portion: share / 8,
        })
    }

    fn try_reserve(&self, bytes: u64) -> bool {
        let taken = |left: u64| left.checked_sub(bytes);
        self.left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, taken)
            .is_ok()
    }

    fn release(&self, bytes: u64) {
        self.left.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// The memory that a block may use: requested from a pool, or a fixed number of bytes.
#[derive(Debug)]
pub(super) struct MemoryGrant {
    bytes: u64,
    pool: Option<Arc<Pool>>,
    kept: u64,
}

impl MemoryGrant {
    pub(super) fn all(bytes: u64) -> Self {
        Self {
            bytes,
            pool: None,
            kept: bytes / 4,
        }
    }

    pub(super) fn of(pool: &Arc<Pool>) -> Self {
        Self {
            bytes: 0,
            pool: Some(pool.clone()),
            kept: pool.kept,
        }
    }

    /// True if the block may use `needed` bytes; missing bytes are requested from the pool.
    pub(super) fn allows(&mut self, needed: u64) -> bool {
        let Some(missing) = needed.checked_sub(self.bytes).filter(|&more| more > 0) else {
            return true;
        };
        let Some(pool) = &self.pool else {
            return false;
        };
        // The block requests more bytes than it needs, so that threads rarely access the pool at the same time. If the pool does not have so many
        // bytes, the block requests only the missing bytes.
        for more in [missing + pool.portion.max(needed / 4), missing] {
            if pool.try_reserve(more) {
                self.bytes += more;
                return true;
            }
        }
        false
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// True if a block may not keep `kept` bytes for its next run.
    pub(super) fn is_full(&self, kept: u64) -> bool {
        kept > self.kept
    }

    /// Returns unused bytes to the pool; the block keeps `bytes` bytes and one portion.
    pub(super) fn shrink_to(&mut self, bytes: u64) {
        if let Some(pool) = &self.pool
            && let Some(more) = self.bytes.checked_sub(bytes + pool.portion)
        {
            pool.release(more);
            self.bytes -= more;
        }
    }
}
