//! Sets of states, numbered in the order in which the sweep finds them, and compact lists of small non-negative integers.

use std::hash::Hasher;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::FxHasher;

use super::dictionary::StateKey;
use super::growth::{table, vector};

/// A set of distinct states, numbered in the order in which the sweep found them.
#[derive(Debug)]
pub(super) struct StateSet<const W: usize> {
    keys: Vec<StateKey<W>>,
    numbers: HashTable<u32>,
    /// The sum of the hashes of the states, which does not depend on their order.
    fingerprint: u64,
}

impl<const W: usize> StateSet<W> {
    pub(super) fn new() -> Self {
        Self {
            keys: Vec::new(),
            numbers: HashTable::new(),
            fingerprint: 0,
        }
    }

    pub(super) fn from_keys(keys: Vec<StateKey<W>>) -> Self {
        let mut numbers = HashTable::with_capacity(keys.len());
        let print = keys.iter().map(hash).fold(0, u64::wrapping_add);
        for (number, key) in (0..).zip(&keys) {
            numbers.insert_unique(hash(key), number, |&n: &u32| hash(&keys[n as usize]));
        }
        Self {
            keys,
            numbers,
            fingerprint: print,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns the number of states and the hash of the set, which are equal for equal sets and almost never equal for different sets.
    pub(super) fn print(&self) -> (usize, u64) {
        (self.len(), self.fingerprint)
    }

    pub(super) fn keys(&self) -> &[StateKey<W>] {
        &self.keys
    }

    pub(super) fn into_keys(self) -> Vec<StateKey<W>> {
        self.keys
    }

    pub(super) fn contains(&self, key: &StateKey<W>) -> bool {
        let same = |&n: &u32| self.keys[n as usize] == *key;
        self.numbers.find(hash(key), same).is_some()
    }

    /// Returns the index of a state; a new state is added and gets the next index.
    #[inline]
    pub(super) fn number(&mut self, key: StateKey<W>) -> u32 {
        let keys = &mut self.keys;
        let same = |&n: &u32| keys[n as usize] == key;
        let hashed = hash(&key);
        match (self.numbers).entry(hashed, same, |&n| hash(&keys[n as usize])) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(free) => {
                let number = keys.len() as u32;
                free.insert(number);
                self.fingerprint = self.fingerprint.wrapping_add(hashed);
                keys.push(key);
                number
            }
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes_with(0)
    }

    /// Returns the approximate size of the set in bytes, with room for `more` further states.
    pub(super) fn bytes_with(&self, more: usize) -> usize {
        let numbers = (self.numbers.len(), self.numbers.capacity());
        vector(&self.keys, more) + table(size_of::<u32>(), numbers, more)
    }
}

#[inline]
fn hash<const W: usize>(key: &StateKey<W>) -> u64 {
    let mut hasher = FxHasher::default();
    for &word in key.words() {
        // The word is hashed as bytes, because the hash function then mixes all bits.
        hasher.write(&word.to_ne_bytes());
    }
    hasher.finish()
}

/// A list of non-negative integers, each stored in as many bytes as the largest integer needs.
#[derive(Debug)]
pub(super) enum PackedIntegers {
    Bytes(Vec<u8>),
    Halves(Vec<u16>),
    Words(Vec<u32>),
}

impl Default for PackedIntegers {
    fn default() -> Self {
        Self::Bytes(Vec::new())
    }
}

impl PackedIntegers {
    #[inline]
    pub(super) fn push(&mut self, number: u32) {
        match self {
            Self::Bytes(numbers) => {
                if let Ok(number) = u8::try_from(number) {
                    return numbers.push(number);
                }
                *self = Self::Halves(numbers.iter().copied().map(u16::from).collect());
                self.push(number);
            }
            Self::Halves(numbers) => {
                if let Ok(number) = u16::try_from(number) {
                    return numbers.push(number);
                }
                *self = Self::Words(numbers.iter().copied().map(u32::from).collect());
                self.push(number);
            }
            Self::Words(numbers) => numbers.push(number),
        }
    }

    #[inline]
    pub(super) fn get(&self, at: usize) -> u32 {
        match self {
            Self::Bytes(numbers) => u32::from(numbers[at]),
            Self::Halves(numbers) => u32::from(numbers[at]),
            Self::Words(numbers) => numbers[at],
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Bytes(numbers) => numbers.len(),
            Self::Halves(numbers) => numbers.len(),
            Self::Words(numbers) => numbers.len(),
        }
    }

    pub(super) fn contains(&self, number: u32) -> bool {
        (0..self.len()).any(|at| self.get(at) == number)
    }

    pub(super) fn append(&mut self, others: &Self) {
        for at in 0..others.len() {
            self.push(others.get(at));
        }
    }

    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Bytes(numbers) => numbers.len(),
            Self::Halves(numbers) => 2 * numbers.len(),
            Self::Words(numbers) => 4 * numbers.len(),
        }
    }

    /// Returns the size of the list in bytes, with room for `more` further integers.
    pub(super) fn bytes_with(&self, more: usize) -> usize {
        match self {
            Self::Bytes(numbers) => vector(numbers, more),
            Self::Halves(numbers) => vector(numbers, more),
            Self::Words(numbers) => vector(numbers, more),
        }
    }

    pub(super) fn shrink(&mut self) {
        match self {
            Self::Bytes(numbers) => numbers.shrink_to_fit(),
            Self::Halves(numbers) => numbers.shrink_to_fit(),
            Self::Words(numbers) => numbers.shrink_to_fit(),
        }
    }
}
