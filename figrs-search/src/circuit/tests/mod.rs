//! Tests that compare the exhaustive search and its circuit with the sum over all assignments, and tests of the parts of the search.

mod agreement;
mod checkers;
mod problems;
mod scale;

/// A test aid that compares cached values with the values that a second search of the same component finds.
#[derive(Debug)]
pub(super) struct CacheReplay<V> {
    is_same: fn(V, V) -> bool,
    pub(super) compared: usize,
    /// Marks of the cache (numbers of insertions so far) at which the cached value and the newly computed value of a component differed.
    pub(super) differences: Vec<usize>,
}

impl<V> CacheReplay<V> {
    pub(super) fn new(is_same: fn(V, V) -> bool) -> Self {
        Self {
            is_same,
            compared: 0,
            differences: Vec::new(),
        }
    }

    pub(super) fn compare(&mut self, time: usize, known: V, value: V) {
        self.compared += 1;
        if !(self.is_same)(known, value) {
            self.differences.push(time);
        }
    }

    /// Drops the recorded differences of cache entries that have been removed; the entries may be wrong because a component next to them has no
    /// solutions.
    pub(super) fn purge(&mut self, mark: usize) {
        self.differences.retain(|&time| time < mark);
    }
}
