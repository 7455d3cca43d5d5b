//! Memory use of a block of worlds, compared with its limit, and the pool of memory that several blocks share.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use figrs_core::element::footprint::{ALLOCATION, Footprint};
use figrs_core::error::ModelError;
use figrs_core::limits::{check_time, too_much_memory};
use rustc_hash::FxHashSet;

use super::block::{Block, ColumnInstruction};
use super::column::{Column, ColumnSlot, StoredColumn};
use super::run::{EvaluationTask, RootEvaluation};
use super::selection::Selection;

/// Number of elements and tasks of a block at which its memory is first counted.
const FIRST_COUNT_AT: usize = 1 << 8;

/// Memory use of a block: the last full count, and the sizes added since then.
#[derive(Debug)]
pub(super) struct BlockMemory {
    /// Memory footprint of the thread before Chains created elements; the block stays on one thread.
    before: Footprint,
    /// Size in bytes of the block at the last count, without the elements created by Chains.
    counted: u64,
    /// Size in bytes of the values stored since the last count.
    since: u64,
    /// Number of elements and tasks at which the memory is counted next.
    next: usize,
}

impl Default for BlockMemory {
    fn default() -> Self {
        Self {
            before: Footprint::now(),
            counted: 0,
            since: 0,
            next: FIRST_COUNT_AT,
        }
    }
}

impl BlockMemory {
    /// Returns the size in bytes of the elements that Chains created and that are still referenced.
    pub(super) fn made_bytes(&self) -> u64 {
        self.before.bytes_since()
    }

    /// Returns the size in bytes of the values stored since the last count of memory, plus that of the elements that Chains created.
    pub(super) fn bytes_since_count(&self) -> u64 {
        self.made_bytes() + self.since
    }

    /// Resets the counted size to `kept` bytes.
    pub(super) fn start(&mut self, kept: u64) {
        (self.counted, self.since) = (kept.saturating_sub(self.made_bytes()), 0);
    }

    /// True if the memory must be counted anew; `elements` is the number of elements and tasks.
    #[inline]
    pub(super) fn is_count_due(&self, elements: usize, granted: u64) -> bool {
        self.made_bytes() + self.counted + self.since > granted || elements >= self.next
    }

    /// Records a full count of the memory, `bytes`, and the number of elements and tasks, `elements`.
    pub(super) fn counted(&mut self, bytes: u64, elements: usize) {
        (self.counted, self.since) = (bytes, 0);
        self.next = self.next.max(elements + elements / 4);
    }

    /// Adds the size of prepared or cached data to the memory use.
    pub(super) fn added(&mut self, bytes: usize) {
        self.since += bytes as u64;
    }

    /// Adds the size of the newly stored column `column` to the memory use.
    #[inline]
    pub(super) fn count_kept(&mut self, rows: &Selection, column: &Column) {
        self.since += (size_of::<StoredColumn>() + rows.bytes() + column.bytes()) as u64;
    }
}

/// Size in bytes of the cache entry of a branch or of a combination of parent values, without the elements in it.
const CACHE_ENTRY_BYTES: u64 = 128;

/// A counter of bytes that counts shared data once, even if there are many references to it.
#[derive(Default)]
struct SharedByteCounter {
    met: FxHashSet<usize>,
    bytes: usize,
}

impl SharedByteCounter {
    fn rows(&mut self, rows: &Selection) {
        if self.met.insert(rows.address()) {
            self.bytes += rows.bytes();
        }
    }

    fn stored(&mut self, stored: &StoredColumn) {
        self.rows(&stored.rows);
        if self.met.insert(stored.column.address()) {
            self.bytes += stored.column.bytes();
        }
    }
}

impl RootEvaluation<'_> {
    /// Returns an error if the block exceeds its memory limit, or if the run has been interrupted or has passed its
    /// deadline.
    #[inline]
    pub(super) fn check_bytes_and_time(&mut self, slot: ColumnSlot) -> Result<(), ModelError> {
        let element = &self.block.instructions[slot.index()].element;
        check_time(&self.block.limit.until, element)?;
        let elements = self.block.touched.len() + self.tasks.len();
        if self
            .block
            .bytes
            .is_count_due(elements, self.block.grant.bytes())
        {
            self.count_bytes(slot, elements)?;
        }
        Ok(())
    }

    #[cold]
    fn count_bytes(&mut self, slot: ColumnSlot, elements: usize) -> Result<(), ModelError> {
        let mut count = SharedByteCounter::default();
        count.bytes += self.tasks.capacity() * size_of::<EvaluationTask>();
        for task in &self.tasks {
            match task {
                EvaluationTask::Enter(_, rows, _)
                | EvaluationTask::Finish(_, rows, _)
                | EvaluationTask::Unshared { rows, .. } => {
                    count.rows(rows);
                }
                EvaluationTask::Singles(singles) => count.bytes += singles.bytes(),
                EvaluationTask::Join(_, rows, sources) => {
                    count.rows(rows);
                    count.bytes += size_of_val(&**sources) + ALLOCATION;
                    for (_, rows) in sources {
                        count.rows(rows);
                    }
                }
            }
        }
        self.alone
            .iter()
            .flatten()
            .for_each(|one| count.stored(one));
        let stored = self.block.values.iter().flatten();
        stored.for_each(|stored| count.stored(stored));
        let met = count.met.len() * 2 * size_of::<usize>();
        let block = &mut *self.block;
        let counted = (count.bytes + met) as u64 + block.structure();
        block.bytes.counted(counted, elements);
        block.allow(slot, block.bytes.made_bytes() + counted)
    }
}

impl Block {
    /// Returns an error if `needed` bytes exceed the block's memory limit.
    pub(super) fn allow(&mut self, slot: ColumnSlot, needed: u64) -> Result<(), ModelError> {
        if self.grant.allows(needed) {
            return Ok(());
        }
        let element = &self.instructions[slot.index()].element;
        Err(too_much_memory(&self.limit, element, needed))
    }

    /// Returns the approximate number of bytes that remain allocated from one block to the next.
    pub(super) fn kept_bytes(&self) -> u64 {
        self.bytes.made_bytes()
            + self.dictionaries.bytes() as u64
            + self.remembered as u64 * CACHE_ENTRY_BYTES
    }

    /// Returns the approximate number of bytes that the first run of a block took, which had few worlds. Divided by the number of
    /// worlds, this is an upper bound of the bytes for each world, because columns also have fixed costs.
    pub fn bytes_of_first_run(&self) -> u64 {
        self.bytes.bytes_since_count()
    }

    /// Returns the approximate number of bytes that the block takes while it holds no worlds, including the model's elements.
    pub fn bytes_between_runs(&self) -> u64 {
        /// Approximate size in bytes of an element of the model, including its name.
        const ELEMENT: u64 = 320;
        self.bytes.made_bytes() + self.structure() + self.elements_in_every_world() as u64 * ELEMENT
    }

    /// Returns the size in bytes of the elements with their cached data, without the elements' values in the worlds.
    fn structure(&self) -> u64 {
        // A list that has just grown may be half empty; each slot also has an entry in a table.
        let slots = self.instructions.capacity() * size_of::<ColumnInstruction>()
            + self.values.capacity() * size_of::<Option<StoredColumn>>()
            + self.instructions.len() * 3 * size_of::<u64>();
        let known = self.instructions.iter().map(ColumnInstruction::bytes);
        (slots + self.dictionaries.bytes() + self.lineage.bytes() + known.sum::<usize>()) as u64
    }
}

/// A number of bytes that the blocks of several threads may take together; each block requests more memory when it
/// needs it.
#[derive(Debug)]
pub struct Pool {
    left: AtomicU64,
    /// Maximum number of bytes that each block may keep from one run to the next.
    kept: u64,
    /// Number of bytes that a block requests from the pool at once. A block keeps the requested bytes over several
    /// runs, because counting memory takes time.
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

/// The memory that a block may use, taken from a memory pool or fixed.
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

    /// Creates a grant that takes bytes from `pool` as they are needed.
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
        // Requests more than the missing bytes, because threads then seldom use the pool at the same time; if that fails, requests only the
        // missing bytes.
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

    /// True if `kept` exceeds the number of bytes that a block may keep from one run to the next.
    pub(super) fn is_full(&self, kept: u64) -> bool {
        kept > self.kept
    }

    /// Returns unused bytes to the pool, but keeps `bytes` bytes and one portion.
    pub(super) fn shrink_to(&mut self, bytes: u64) {
        if let Some(pool) = &self.pool
            && let Some(more) = self.bytes.checked_sub(bytes + pool.portion)
        {
            pool.release(more);
            self.bytes -= more;
        }
    }
}
