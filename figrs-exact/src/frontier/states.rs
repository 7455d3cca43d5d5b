//! Sets of states, numbered in the order in which the sweep finds them.

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
