//! A least-recently-used cache of the values of components, in bounded memory.

use std::hash::BuildHasherDefault;

use hashbrown::HashMap;
use rustc_hash::FxHasher;

/// Hash of a component: the sum, modulo `2^128`, of the keys of its open atoms, open clauses and residual tables.
///
/// The keys are drawn at random, from a fixed seed, so that two different components have the same sum with
/// probability `2^-128`, or at most `m / 2^128` if they differ only in the number of equal residual tables, by `m`. By the union
/// bound over pairs, a search of `n` different components confuses two with probability at most `n^2 / 2^129`, `m` times that at
/// worst: below `10^-18` for `n = 10^10`.
pub(super) type ComponentHash = u128;

#[derive(Clone, Copy, Debug)]
struct CachedValue<V> {
    value: V,
    /// The time of its last use.
    used: u64,
}

/// A hash table of values of bounded size; when it is full, the least recently used half is removed.
#[derive(Clone, Debug)]
pub(super) struct ComponentCache<V> {
    values: HashMap<ComponentHash, CachedValue<V>, BuildHasherDefault<FxHasher>>,
    /// The keys in the order of insertion, so that the entries since a position can be removed.
    entered: Vec<ComponentHash>,
    /// Maximum number of entries.
    capacity: usize,
    /// Number of places of the hash table for that capacity.
    places: usize,
    clock: u64,
    pub(super) evictions: u64,
}

impl<V: Copy> ComponentCache<V> {
    /// Bytes of a place of the hash table.
    const PLACE_BYTES: usize = size_of::<(ComponentHash, CachedValue<V>)>() + 1;
    /// Maximum number of bytes for each place: of the table and the one of half its size from which it grows; of the key in the list
    /// of entries; of the time of use, when times are sorted.
    const MAX_BYTES: usize =
        Self::PLACE_BYTES + Self::PLACE_BYTES.div_ceil(2) + size_of::<ComponentHash>() + 8;

    /// A cache that never takes more than `bytes` bytes, except for the smallest table.
    pub(super) fn new(bytes: u64) -> Self {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        // The number of places of a hash table is a power of two, and an eighth of them stays free.
        let places = 1 << (bytes / Self::MAX_BYTES).max(8).ilog2();
        Self {
            values: HashMap::default(),
            entered: Vec::new(),
            capacity: places / 8 * 7,
            places,
            clock: 0,
            evictions: 0,
        }
    }

    /// Size in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.values.allocation_size() + self.entered.capacity() * size_of::<ComponentHash>()
    }

    pub(super) fn get(&mut self, key: ComponentHash) -> Option<V> {
        let found = self.values.get_mut(&key)?;
        self.clock += 1;
        found.used = self.clock;
        Some(found.value)
    }

    /// Inserts a value. `marks` are positions returned by [`mark`](Self::mark), ascending: they stay valid.
    pub(super) fn insert<'m>(
        &mut self,
        key: ComponentHash,
        value: V,
        marks: impl Iterator<Item = &'m mut usize>,
    ) {
        if self.entered.len() >= self.capacity || self.is_crowded() {
            self.evict(marks);
        }
        self.clock += 1;
        let used = self.clock;
        self.values.insert(key, CachedValue { value, used });
        self.entered.push(key);
    }

    /// True if the largest table would grow for another entry: places of removed entries count until the table is
    /// rehashed, which happens by itself if less than half of it is used.
    fn is_crowded(&self) -> bool {
        let (taken, values) = (self.values.len(), &self.values);
        taken == values.capacity()
            && taken >= self.capacity / 2
            && values.allocation_size() >= self.places * Self::PLACE_BYTES
    }

    /// The present position in the order of insertion, for [`purge`](Self::purge).
    pub(super) fn mark(&self) -> usize {
        self.entered.len()
    }

    /// Removes all entries since a position: beside a component without solutions, the value of another component may be wrong, as learned clauses may exclude
    /// some of its solutions.
    pub(super) fn purge(&mut self, mark: usize) {
        for key in self.entered.drain(mark..) {
            self.values.remove(&key);
        }
    }

    /// Removes the least recently used half of the entries.
    fn evict<'m>(&mut self, marks: impl Iterator<Item = &'m mut usize>) {
        let mut times: Vec<u64> = self.values.values().map(|cached| cached.used).collect();
        let middle = times.len() / 2;
        if !times.is_empty() {
            let (_, &mut median, _) = times.select_nth_unstable(middle);
            self.values.retain(|_, cached| cached.used > median);
        }
        self.evictions += 1;
        let mut marks = marks.peekable();
        let (mut kept, mut at) = (0, 0);
        loop {
            while let Some(mark) = marks.next_if(|mark| **mark <= at) {
                *mark = kept;
            }
            let Some(&key) = self.entered.get(at) else {
                break;
            };
            if self.values.contains_key(&key) {
                self.entered[kept] = key;
                kept += 1;
            }
            at += 1;
        }
        self.entered.truncate(kept);
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    #[test]
    fn a_cache_stays_within_its_bytes() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        for bytes in [5_000, 40_000, 300_000] {
            let mut cache: ComponentCache<u64> = ComponentCache::new(bytes);
            let (mut marks, mut largest, mut kept) = (Vec::new(), 0, 0usize);
            for time in 0..200_000u64 {
                match rng.random_range(0..40) {
                    0 => marks.push(cache.mark()),
                    1 if marks.len() > 3 => cache.purge(marks.pop().expect("three")),
                    2 => {
                        marks.pop();
                    }
                    _ => {
                        let key: u32 = rng.random();
                        cache.insert(u128::from(key), u64::from(key), marks.iter_mut());
                    }
                }
                assert!(marks.is_sorted() && marks.iter().all(|&mark| mark <= cache.mark()));
                largest = largest.max(cache.bytes());
                let key = u128::from(rng.random::<u32>());
                kept += usize::from(cache.get(key).is_some_and(|value| u128::from(value) == key));
                assert!(largest as u64 <= bytes, "{time}: {largest} of {bytes}");
            }
            // The table, without the memory for growing and sorting, takes a good part of the memory allowed.
            assert!(largest as u64 >= bytes / 4, "{largest} of {bytes}");
            assert!(cache.evictions > 5, "{} {kept}", cache.evictions);
        }
    }
}
