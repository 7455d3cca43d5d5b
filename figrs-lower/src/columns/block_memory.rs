//! Memory use of a block, against its limit.
//!
//! Sizes of elements and columns are added up as they are made, which counts shared parts more than once and ignores
//! some of the caches. Everything is counted anew when that sum exceeds the limit, or when there are a quarter more elements
//! than at the last count: counting therefore takes amortised constant time for each element.

use super::column::{Column, StoredColumn};
use super::selection::Selection;
use figrs_core::element::footprint::Footprint;

/// Number of elements and tasks that triggers the first count of memory.
const FIRST_COUNT_AT: usize = 1 << 8;

/// Memory use of a block: the last full count, and the sizes added since.
#[derive(Debug)]
pub(super) struct BlockMemory {
    /// Footprint before Chains made any element: a block stays on its thread.
    before: Footprint,
    /// Size of everything else at the last count.
    counted: u64,
    /// Size of the values kept since the last count.
    since: u64,
    /// Number of elements and tasks that triggers the next count.
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
    /// Bytes of the elements that Chains made and that are still held.
    pub(super) fn made_bytes(&self) -> u64 {
        self.before.bytes_since()
    }

    /// Bytes of the values kept since the last count, with the elements that Chains made.
    pub(super) fn bytes_since_count(&self) -> u64 {
        self.made_bytes() + self.since
    }

    /// Resets the count to `kept` bytes.
    pub(super) fn start(&mut self, kept: u64) {
        (self.counted, self.since) = (kept.saturating_sub(self.made_bytes()), 0);
    }

    /// True if everything has to be counted anew, given the number of elements and tasks.
    #[inline]
    pub(super) fn is_count_due(&self, elements: usize, granted: u64) -> bool {
        self.made_bytes() + self.counted + self.since > granted || elements >= self.next
    }

    /// Records a count of bytes, with the number of elements and tasks.
    pub(super) fn counted(&mut self, bytes: u64, elements: usize) {
        (self.counted, self.since) = (bytes, 0);
        self.next = self.next.max(elements + elements / 4);
    }

    /// Counts prepared or cached data.
    pub(super) fn added(&mut self, bytes: usize) {
        self.since += bytes as u64;
    }

    /// Counts values that are kept.
    #[inline]
    pub(super) fn count_kept(&mut self, rows: &Selection, column: &Column) {
        self.since += (size_of::<StoredColumn>() + rows.bytes() + column.bytes()) as u64;
    }
}
