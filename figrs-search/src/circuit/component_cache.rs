//! A least-recently-used cache of the values of components, with a memory limit.

use std::hash::BuildHasherDefault;

use hashbrown::HashMap;
use rustc_hash::FxHasher;

/// Hash of a connected component of a search: the sum, modulo `2^128`, of the random keys of its undecided atoms, open clauses and residual tables
/// (restrictions of tables to the remaining values).
///
/// The keys of atoms, clauses and tables are random numbers from a fixed seed. Because the keys are random, the probability that two different
/// components have the same hash is `2^-128`, with one exception. If two components differ only by `m` in the number of equal residual tables, the
/// probability of equal hashes is at most `m / 2^128`. By the union bound, the probability that a search of `n` different components confuses any two
/// of them is at most `n^2 / 2^129`, multiplied by `m` in the worst case. For `n = 10^10` components, the probability of a confusion is below
/// `10^-18`.
pub(super) type ComponentHash = u128;

#[derive(Clone, Copy, Debug)]
struct CachedValue<V> {
    value: V,
    /// The use count of the whole cache at the time when the value was last used.
    used: u64,
}

/// A hash table of the values of connected components, with a maximum size. If the cache is full, the least recently used half of its entries is
/// removed.
#[derive(Clone, Debug)]
pub(super) struct ComponentCache<V> {
    values: HashMap<ComponentHash, CachedValue<V>, BuildHasherDefault<FxHasher>>,
    /// The keys of the cache in the order of insertion, for the removal of all entries that were inserted after a certain time.
    entered: Vec<ComponentHash>,
    /// Maximum number of entries of the cache.
    capacity: usize,
    /// Number of slots of the hash table at its maximum size.
    places: usize,
    clock: u64,
    pub(super) evictions: u64,
}

impl<V: Copy> ComponentCache<V> {
    /// Number of bytes of a slot of the hash table.
    const PLACE_BYTES: usize = size_of::<(ComponentHash, CachedValue<V>)>() + 1;
    /// Maximum number of bytes that the cache uses for each slot of the hash table. The bytes of a slot include its share of the table, of the
    /// half-sized table from which the table grows, of the list of insertions, and of the times of last use during a sort.
    const MAX_BYTES: usize =
        Self::PLACE_BYTES + Self::PLACE_BYTES.div_ceil(2) + size_of::<ComponentHash>() + 8;

    /// Creates a cache that uses at most `bytes` bytes, or the size of the smallest table if this is larger.
    pub(super) fn new(bytes: u64) -> Self {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        // The number of slots of a hash table is a power of two, and an eighth of the slots stay free.
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

    pub(super) fn bytes(&self) -> usize {
        self.values.allocation_size() + self.entered.capacity() * size_of::<ComponentHash>()
    }

    pub(super) fn get(&mut self, key: ComponentHash) -> Option<V> {
        let found = self.values.get_mut(&key)?;
        self.clock += 1;
        found.used = self.clock;
        Some(found.value)
    }

    /// Inserts `value` into the cache under the key `key`. The argument `marks` has results of [`mark`](Self::mark) in ascending order, which are
    /// updated if entries are removed.
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

    /// Returns true if another entry would enlarge the hash table beyond its maximum size. The slots of removed entries remain used until the hash
    /// table is rehashed, which the table does by itself when less than half of it is used.
    fn is_crowded(&self) -> bool {
        let (taken, values) = (self.values.len(), &self.values);
        taken == values.capacity()
            && taken >= self.capacity / 2
            && values.allocation_size() >= self.places * Self::PLACE_BYTES
    }

    /// Returns the number of keys that have been inserted, as a mark for [`purge`](Self::purge).
    pub(super) fn mark(&self) -> usize {
        self.entered.len()
    }

    /// Removes all entries that were inserted into the cache after the mark `mark`. After the search has found a component without solutions, cached
    /// values of its sibling components may be wrong, because learned clauses may have excluded solutions of these components.
    pub(super) fn purge(&mut self, mark: usize) {
        for key in self.entered.drain(mark..) {
            self.values.remove(&key);
        }
    }

    /// Removes the least recently used half of the entries of the cache.
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
            // The table takes at least a quarter of the allowed memory, without the memory for growing and sorting.
            assert!(largest as u64 >= bytes / 4, "{largest} of {bytes}");
            assert!(cache.evictions > 5, "{} {kept}", cache.evictions);
        }
    }
}
