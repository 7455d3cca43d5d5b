//! Memory use of a block of worlds, compared with its limit, and the pool of memory that several blocks of worlds share.

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

/// Number of random variables and tasks of a block at which the memory of the block is measured for the first time.
const FIRST_COUNT_AT: usize = 1 << 8;

/// Memory use of a block: the last complete measurement, and the sizes of the values that were added after it.
#[derive(Debug)]
pub(super) struct BlockMemory {
    /// Memory footprint of the thread before the block's `Chain` elements created further elements. The block stays on one thread, so that the
    /// footprint of the thread can be compared.
    before: Footprint,
    /// Size in bytes of the block of worlds at the last measurement, without the elements created by `Chain` elements.
    counted: u64,
    /// Size in bytes of the values that were stored after the last measurement.
    since: u64,
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
    /// Returns the size in bytes of the random variables that `Chain` elements have created and that still exist.
    pub(super) fn made_bytes(&self) -> u64 {
        self.before.bytes_since()
    }

    /// Returns the size in bytes of the values that were stored after the last measurement of memory, and of the elements that `Chain` elements have
    /// created.
    pub(super) fn bytes_since_count(&self) -> u64 {
        self.made_bytes() + self.since
    }

    /// Starts a new run of the block, which keeps `kept` bytes of the previous run.
    pub(super) fn start(&mut self, kept: u64) {
        (self.counted, self.since) = (kept.saturating_sub(self.made_bytes()), 0);
    }

    /// True if the memory of the block must be measured anew; the block has `elements` elements and tasks, and may use `granted` bytes.
    #[inline]
    pub(super) fn is_count_due(&self, elements: usize, granted: u64) -> bool {
        self.made_bytes() + self.counted + self.since > granted || elements >= self.next
    }

    /// Records a complete measurement of the block's memory: `bytes` bytes for `elements` elements and tasks.
    pub(super) fn counted(&mut self, bytes: u64, elements: usize) {
        (self.counted, self.since) = (bytes, 0);
        self.next = self.next.max(elements + elements / 4);
    }

    pub(super) fn added(&mut self, bytes: usize) {
        self.since += bytes as u64;
    }

    #[inline]
    pub(super) fn count_kept(&mut self, rows: &Selection, column: &Column) {
        self.since += (size_of::<StoredColumn>() + rows.bytes() + column.bytes()) as u64;
    }
}

/// Size in bytes of a cache entry for a branch or for a combination of parent values, without the elements that the entry holds.
const CACHE_ENTRY_BYTES: u64 = 128;

/// Adds up the bytes of stored data; data with several references are counted only once.
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
        if !self.met.insert(stored.column.address()) {
            return;
        }
        if let Column::Classes(classes, _) = &stored.column {
            self.bytes += classes.bytes_without_sets();
            classes.sets().for_each(|rows| self.rows(rows));
        } else {
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
    pub(super) fn allow(&mut self, slot: ColumnSlot, needed: u64) -> Result<(), ModelError> {
        if self.grant.allows(needed) {
            return Ok(());
        }
        let element = &self.instructions[slot.index()].element;
        Err(too_much_memory(&self.limit, element, needed))
    }

    /// Returns the approximate number of bytes that a block of worlds keeps for its next run.
    pub(super) fn kept_bytes(&self) -> u64 {
        self.bytes.made_bytes()
            + self.dictionaries.bytes() as u64
            + self.remembered as u64 * CACHE_ENTRY_BYTES
    }

    /// Returns the approximate number of bytes that the first run of a block took. For the estimate of a block's memory, the first run must evaluate
    /// only a few worlds. Divided by the number of worlds, the estimate is an upper bound of the bytes for each world, because columns also have
    /// fixed costs.
    pub fn bytes_of_first_run(&self) -> u64 {
        self.bytes.bytes_since_count()
    }

    /// Returns the approximate number of bytes of the block while it contains no worlds, including the elements of the model.
    pub fn bytes_between_runs(&self) -> u64 {
        /// Approximate size in bytes of an element of the model, including its name.
        const ELEMENT: u64 = 320;
        self.bytes.made_bytes() + self.structure() + self.elements_in_every_world() as u64 * ELEMENT
    }

    /// Returns the size in bytes of the block's elements and their caches, without the values of the elements in the worlds.
    fn structure(&self) -> u64 {
        // A list that has just grown may be half empty. Each element also has an entry in a hash table.
        let slots = self.instructions.capacity() * size_of::<ColumnInstruction>()
            + self.values.capacity() * size_of::<Option<StoredColumn>>()
            + self.instructions.len() * 3 * size_of::<u64>();
        let known = self.instructions.iter().map(ColumnInstruction::bytes);
        (slots + self.dictionaries.bytes() + self.lineage.bytes() + known.sum::<usize>()) as u64
    }
}

/// The number of bytes that the blocks of several threads may use together; each block requests memory when it needs more.
#[derive(Debug)]
pub struct Pool {
    left: AtomicU64,
    /// Maximum number of bytes that a block of worlds may keep for its next run.
    kept: u64,
    /// Number of bytes that a block requests from the pool at once. A block keeps requested bytes over several runs, because measuring its memory
    /// takes time.
    portion: u64,
}

impl Pool {
    /// Creates a pool of `bytes` bytes for the blocks of worlds of `threads` threads.
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

/// The memory that a block of worlds may use: requested from a pool, or a fixed number of bytes.
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
        // The block requests more bytes than it needs, so that threads rarely access the pool at the same time. If the pool has fewer
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

    /// True if `kept` bytes are more than a block is allowed to keep for its next run.
    pub(super) fn is_full(&self, kept: u64) -> bool {
        kept > self.kept
    }

    /// Returns unused bytes to the pool; the block keeps `bytes` bytes, and one more portion of the size that it requests at once.
    pub(super) fn shrink_to(&mut self, bytes: u64) {
        if let Some(pool) = &self.pool
            && let Some(more) = self.bytes.checked_sub(bytes + pool.portion)
        {
            pool.release(more);
            self.bytes -= more;
        }
    }
}
