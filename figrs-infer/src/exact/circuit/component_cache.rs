//! Values of components met before, in bounded memory.

use std::hash::BuildHasherDefault;

use hashbrown::HashMap;
use rustc_hash::FxHasher;

/// Hash of a component: the sum of the numbers of its open atoms, open clauses and residual tables.
///
/// Each part has 128 bits that are drawn at random from a fixed seed, so that two different components have the same sum with
/// probability `2^-128`; a search that meets `n` components confuses two with probability at most `n^2 / 2^129`, which is below
/// `10^-18` for the `10^10` components of a month.
pub(super) type ComponentHash = u128;

#[derive(Clone, Copy, Debug)]
struct CachedValue<V> {
    value: V,
    /// The time of its last use.
    used: u64,
}

/// A cache that forgets what was not used for longest.
#[derive(Clone, Debug)]
pub(super) struct ComponentCache<V> {
    values: HashMap<ComponentHash, CachedValue<V>, BuildHasherDefault<FxHasher>>,
    /// The keys in the order of their entry, to take back those since some time.
    entered: Vec<ComponentHash>,
    capacity: usize,
    clock: u64,
    pub(super) hits: u64,
    pub(super) evictions: u64,
}

impl<V: Copy> ComponentCache<V> {
    /// Bytes of an entry, with its share of free places and its key in the list of entries.
    const ENTRY_BYTES: usize =
        2 * (size_of::<(ComponentHash, CachedValue<V>)>() + 1) + 2 * size_of::<ComponentHash>();

    pub(super) fn new(bytes: u64) -> Self {
        let capacity = usize::try_from(bytes).unwrap_or(usize::MAX) / Self::ENTRY_BYTES;
        Self {
            values: HashMap::default(),
            entered: Vec::new(),
            capacity: capacity.max(2),
            clock: 0,
            hits: 0,
            evictions: 0,
        }
    }

    pub(super) fn get(&mut self, key: ComponentHash) -> Option<V> {
        let found = self.values.get_mut(&key)?;
        self.clock += 1;
        self.hits += 1;
        found.used = self.clock;
        Some(found.value)
    }

    /// Enters a value. `marks` are positions as [`mark`](Self::mark) gave them, ascending: they stay valid.
    pub(super) fn insert<'m>(
        &mut self,
        key: ComponentHash,
        value: V,
        marks: impl Iterator<Item = &'m mut usize>,
    ) {
        if self.entered.len() >= self.capacity {
            self.evict(marks);
        }
        self.clock += 1;
        let used = self.clock;
        self.values.insert(key, CachedValue { value, used });
        self.entered.push(key);
    }

    /// The present time, for [`purge`](Self::purge).
    pub(super) fn mark(&self) -> usize {
        self.entered.len()
    }

    /// Forgets all entries since a time: values of components beside one without solution need not be right, as learned
    /// clauses may exclude solutions of theirs.
    pub(super) fn purge(&mut self, mark: usize) {
        for key in self.entered.drain(mark..) {
            self.values.remove(&key);
        }
    }

    /// Forgets the half of the entries that was not used for longest.
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
