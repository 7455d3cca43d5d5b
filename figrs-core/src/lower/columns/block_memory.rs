//! Memory use of a block, against its limit.
//!
//! Sizes of elements and columns are added up as they are made, which counts shared parts more than once and leaves out
//! some of the caches. All is counted afresh when that sum is over the limit, or when there are a quarter more elements
//! than at the last count: so counting takes amortised constant time for each element.

use rustc_hash::FxHashSet;

use super::block::{Block, ColumnInstruction, ColumnSlot, CombinationMemo};
use super::branch::Branch;
use super::column::{Column, StoredColumn};
use super::draw::{AtomicSampler, PooledSampler};
use super::run::{EvaluationTask, RootEvaluation};
use super::selection::Selection;
use crate::element::footprint::{ALLOCATION, Footprint};
use crate::error::ModelError;

/// Number of elements and tasks before the first count.
const FIRST: usize = 1 << 8;
/// Size in bytes of a cached branch or combination, besides its elements.
const CACHE_ENTRY_BYTES: u64 = 128;

/// Memory use of a block, as far as it is added up.
#[derive(Debug)]
pub(super) struct BlockMemory {
    /// Footprint before Chains made any element: a block stays on its thread.
    before: Footprint,
    /// Size of everything else at the last count.
    counted: u64,
    /// Size of the values kept since then.
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
            next: FIRST,
        }
    }
}

impl BlockMemory {
    /// Bytes of the elements that Chains made and that are still held.
    pub(super) fn made(&self) -> u64 {
        self.before.bytes_since()
    }

    /// Bytes of the values kept since the last count, with the elements that Chains made.
    fn recent(&self) -> u64 {
        self.made() + self.since
    }

    /// Resets the count to so many bytes kept.
    pub(super) fn start(&mut self, kept: u64) {
        (self.counted, self.since) = (kept.saturating_sub(self.made()), 0);
    }

    /// Counts prepared or cached data.
    pub(super) fn added(&mut self, bytes: usize) {
        self.since += bytes as u64;
    }

    /// Counts values that are kept.
    #[inline]
    pub(super) fn kept(&mut self, rows: &Selection, column: &Column) {
        self.since += (size_of::<StoredColumn>() + rows.bytes() + column.bytes()) as u64;
    }
}

/// Counter that counts shared data once, however often it is referred to.
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
    /// An error if the block exceeds its memory limit.
    #[inline]
    pub(super) fn check_bytes(&mut self, slot: ColumnSlot) -> Result<(), ModelError> {
        let BlockMemory {
            counted,
            since,
            next,
            ..
        } = self.block.bytes;
        let made = self.block.bytes.made();
        let elements = self.block.touched.len() + self.tasks.len();
        if made + counted + since > self.block.grant.bytes() || elements >= next {
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
                | EvaluationTask::Alone { rows, .. } => {
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
        block.bytes.counted = (count.bytes + met) as u64 + block.structure();
        block.bytes.since = 0;
        block.bytes.next = block.bytes.next.max(elements + elements / 4);
        let needed = block.bytes.made() + block.bytes.counted;
        block.allow(slot, needed)
    }
}

impl Block {
    /// An error if the block may not take so many bytes.
    pub(super) fn allow(&mut self, slot: ColumnSlot, needed: u64) -> Result<(), ModelError> {
        if self.grant.allows(needed) {
            return Ok(());
        }
        Err(ModelError::TooMuchMemory {
            element: self.instructions[slot.index()].element.label(),
            needed,
            limit: self.limit.bytes,
        })
    }

    /// Approximate number of bytes kept from block to block.
    pub(super) fn kept_bytes(&self) -> u64 {
        let books: usize = self
            .books
            .iter()
            .map(super::dictionary::Dictionary::bytes)
            .sum();
        self.bytes.made() + books as u64 + self.remembered as u64 * CACHE_ENTRY_BYTES
    }

    /// About how many bytes a first run of few rows took: an upper bound for each row, since columns have costs of their own.
    pub fn bytes_of_first_run(&self) -> u64 {
        self.bytes.recent()
    }

    /// About how many bytes the block takes while it holds no worlds, with the elements of its model.
    pub fn bytes_between_runs(&self) -> u64 {
        /// Bytes of an element of a model with its name.
        const ELEMENT: u64 = 320;
        self.bytes.made() + self.structure() + self.lasting_elements() as u64 * ELEMENT
    }

    /// Size in bytes of the elements with their cached data, without their values in rows.
    fn structure(&self) -> u64 {
        // A list that has just grown is up to half empty; a slot is found in a table as well.
        let slots = self.instructions.capacity() * size_of::<ColumnInstruction>()
            + self.values.capacity() * size_of::<Option<StoredColumn>>()
            + self.instructions.len() * 3 * size_of::<u64>();
        let books: usize = self
            .books
            .iter()
            .map(super::dictionary::Dictionary::bytes)
            .sum();
        let known = self.instructions.iter().map(ColumnInstruction::bytes);
        let ancestors = self.ancestors.iter().map(|rows| size_of_val(&**rows));
        let lineage = self.lineage.iter().flatten();
        let lineage = lineage.map(|rows| size_of_val(&**rows));
        (slots + books + known.chain(ancestors).chain(lineage).sum::<usize>()) as u64
    }
}

impl ColumnInstruction {
    fn bytes(&self) -> usize {
        let parents = self.parents.as_ref().map_or(0, |all| size_of_val(&**all));
        let prepared = self
            .prepared
            .as_ref()
            .map_or(0, |one| AtomicSampler::bytes(one));
        parents + prepared + self.memo.bytes() + ALLOCATION
    }
}

impl CombinationMemo {
    fn bytes(&self) -> usize {
        let lists = (self.books.capacity() + self.encoders.capacity()) * size_of::<u64>();
        let branches = self.branches.capacity() * size_of::<Option<Branch>>();
        let drawn = self.branches.iter().flatten();
        let drawn: usize = drawn
            .filter_map(Branch::ready)
            .map(PooledSampler::bytes)
            .sum();
        let translations = self.translations.values();
        let translations: usize = translations.map(|table| size_of_val(&***table)).sum();
        let results = size_of_val(&*self.results);
        lists + branches + drawn + translations + results + self.combinations.bytes()
    }
}
