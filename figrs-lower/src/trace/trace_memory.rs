//! The memory of a trace, against its limit.
//!
//! Nodes and values are counted anew when the world has a quarter more elements than at the last count: counting therefore takes
//! amortised constant time for each.

use super::node::TraceNode;

/// Elements in the world before the first count.
const FIRST_COUNT_AT: usize = 1 << 8;

/// Memory use of a trace.
#[derive(Debug)]
pub(super) struct TraceMemory {
    /// Size in bytes of the elements that Chains made.
    made: u64,
    /// Size in bytes of the nodes and their values, at the last count.
    counted: u64,
    /// Number of nodes at that count.
    nodes: usize,
    /// Number of elements in the world that triggers the next count.
    next: usize,
    /// Size of all elements, in bytes, that triggers the next eviction of elements outside the world.
    purge_at: u64,
}

impl TraceMemory {
    pub(super) fn new(limit: u64) -> Self {
        Self {
            made: 0,
            counted: 0,
            nodes: 0,
            next: FIRST_COUNT_AT,
            purge_at: limit / 4,
        }
    }

    /// Counts elements that a call made and left alive.
    pub(super) fn add_made(&mut self, bytes: i64) {
        self.made = self.made.saturating_add_signed(bytes);
    }

    /// Bytes of the elements, and of the nodes at the last count.
    pub(super) fn bytes(&self) -> u64 {
        self.made + self.counted
    }

    /// True if everything has to be counted anew, given the numbers of nodes and of elements in the world.
    pub(super) fn is_count_due(&self, nodes: usize, alive: usize, limit: u64) -> bool {
        let new = nodes.saturating_sub(self.nodes) * size_of::<TraceNode>();
        self.bytes() + new as u64 > limit || alive >= self.next
    }

    /// Records a count of bytes.
    pub(super) fn counted(&mut self, bytes: u64, nodes: usize, alive: usize) {
        (self.counted, self.nodes) = (bytes, nodes);
        self.next = self.next.max(alive + alive / 4);
    }

    /// True if elements outside the world are to be evicted.
    pub(super) fn is_full(&self) -> bool {
        self.made > self.purge_at
    }

    /// Records an eviction of the elements outside the world.
    pub(super) fn record_eviction(&mut self, freed: i64, limit: u64) {
        self.add_made(freed);
        // The world itself cannot be evicted; an eighth more is allowed for elements outside.
        self.purge_at = (limit / 4).max(self.made + limit / 8);
    }
}
