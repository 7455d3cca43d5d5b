//! Memo tables of classes of equivalent elements: from the values that an element reads to its results.

use rustc_hash::FxHashMap;

use super::growth::table;

/// Overhead of the allocator in bytes for each allocation.
const ALLOCATION: usize = 16;

/// Number of dictionary codes that are packed into one machine word of a key.
const CODES_PER_KEY: usize = (u128::BITS / u32::BITS) as usize;

/// The results of one class of elements; the key of a result has the codes of the values that the element reads.
#[derive(Debug)]
enum MemoTable<R> {
    Few(FxHashMap<u128, R>),
    Lists(FxHashMap<Box<[u32]>, R>),
}

/// Memo table of a class of equivalent elements; it is dropped if lookups rarely find a result.
#[derive(Debug)]
pub(super) struct ClassMemo<R> {
    known: Option<MemoTable<R>>,
    /// `true` if later elements of the sweep may use the memo table.
    shared: bool,
    asked: u32,
    found: u32,
    pub(super) bytes: usize,
}

impl<R: Clone> ClassMemo<R> {
    /// Number of lookups after which a memo table is dropped, unless at least one lookup in `MIN_HIT_DIVISOR` found a result.
    const TRIAL: u32 = 1 << 10;
    const MIN_HIT_DIVISOR: u32 = 8;

    pub(super) fn new(reads: usize, shared: bool) -> Self {
        Self {
            known: Some(if reads <= CODES_PER_KEY {
                MemoTable::Few(FxHashMap::default())
            } else {
                MemoTable::Lists(FxHashMap::default())
            }),
            shared,
            asked: 0,
            found: 0,
            bytes: 0,
        }
    }

    #[inline]
    pub(super) fn get(&mut self, reads: &[u32]) -> Option<R> {
        let found = match self.known.as_ref()? {
            MemoTable::Few(known) => known.get(&packed(reads)).cloned(),
            MemoTable::Lists(known) => known.get(reads).cloned(),
        };
        if !self.shared && self.asked < Self::TRIAL {
            self.asked += 1;
            self.found += u32::from(found.is_some());
            if self.asked == Self::TRIAL && self.found < Self::TRIAL / Self::MIN_HIT_DIVISOR {
                self.known = None;
            }
        }
        found
    }

    /// Stores a result. Returns the growth of the memo table in bytes since the last insertion; its size includes room for `more` results.
    pub(super) fn insert(&mut self, reads: &[u32], result: R, more: usize) -> isize {
        match &mut self.known {
            Some(MemoTable::Few(known)) => {
                known.insert(packed(reads), result);
            }
            Some(MemoTable::Lists(known)) => {
                known.insert(reads.into(), result);
            }
            None => {}
        }
        let before = self.bytes;
        self.bytes = match &self.known {
            Some(MemoTable::Few(known)) => {
                let each = size_of::<(u128, R)>();
                table(each, (known.len(), known.capacity()), more)
            }
            Some(MemoTable::Lists(known)) => {
                let each = size_of::<(Box<[u32]>, R)>();
                let lists = known.len() * (size_of_val(reads) + ALLOCATION);
                table(each, (known.len(), known.capacity()), more) + lists
            }
            None => 0,
        };
        self.bytes.cast_signed() - before.cast_signed()
    }
}

fn packed(reads: &[u32]) -> u128 {
    let packed = |packed, &code| packed << u32::BITS | u128::from(code);
    reads.iter().fold(0, packed)
}
