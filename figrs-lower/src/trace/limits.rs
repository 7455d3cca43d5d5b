//! Limits of a trace (a world that a Markov chain changes step by step): checks, memory use, and the removal of nodes that no longer belong to the
//! world.
//!
//! The memory use is computed again when the number of elements in the world has grown by a quarter since the last computation. The computation of
//! the memory use thus takes amortised constant time for each element.

use super::change::StructureUndo;
use super::node::TraceNode;
use super::state::Trace;
use crate::numbering::Numbered;
use figrs_core::element::footprint::{ALLOCATION, Footprint};
use figrs_core::error::ModelError;
use figrs_core::limits::{check_bytes, check_time};

/// Number of elements in the world at which the memory use is computed for the first time.
const FIRST_COUNT_AT: usize = 1 << 8;

#[derive(Debug)]
pub(super) struct TraceMemory {
    /// Size in bytes of the elements that `Chain` elements have created.
    made: u64,
    /// Size in bytes of the nodes and their values when the memory use was last computed.
    counted: u64,
    nodes: usize,
    /// Number of elements in the world at which the memory use is computed again.
    next: usize,
    /// Limit for the size in bytes of the elements that `Chain` elements have created; above it, elements outside the world are removed.
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

    pub(super) fn add_made(&mut self, bytes: i64) {
        self.made = self.made.saturating_add_signed(bytes);
    }

    /// Returns the size in bytes of the created elements, and of the nodes when their size was last computed.
    pub(super) fn bytes(&self) -> u64 {
        self.made + self.counted
    }

    /// True if the memory use must be computed again, for `nodes` nodes and `alive` elements in the world.
    pub(super) fn is_count_due(&self, nodes: usize, alive: usize, limit: u64) -> bool {
        let new = nodes.saturating_sub(self.nodes) * size_of::<TraceNode>();
        self.bytes() + new as u64 > limit || alive >= self.next
    }

    /// Records a new computation of the memory use: `bytes` is the size of the nodes and their values.
    pub(super) fn counted(&mut self, bytes: u64, nodes: usize, alive: usize) {
        (self.counted, self.nodes) = (bytes, nodes);
        self.next = self.next.max(alive + alive / 4);
    }

    /// True if elements outside the world must be removed, because those that `Chain` elements have created use too much memory.
    pub(super) fn is_full(&self) -> bool {
        self.made > self.purge_at
    }

    /// Records the removal of the elements that do not belong to the world, which freed `freed` bytes.
    pub(super) fn record_eviction(&mut self, freed: i64, limit: u64) {
        self.add_made(freed);
        // The elements of the world cannot be removed; an eighth of the limit is allowed for elements outside the world.
        self.purge_at = (limit / 4).max(self.made + limit / 8);
    }
}

/// Maximum number of elements outside the world that are kept because a `Chain` may select their branch again; more elements are removed.
const MAX_CACHED: usize = 1 << 16;

impl Trace {
    /// Returns an error if the world has too many elements, if the deadline of the sampler has passed, or if the sampler was interrupted.
    pub(super) fn check_limit(&self, reached: usize, node: u32) -> Result<(), ModelError> {
        check_time(&self.limit.until, &self.nodes[node as usize].element)?;
        if reached >= self.limit.elements {
            return Err(self.too_many(node, self.limit.elements));
        }
        Ok(())
    }

    pub(super) fn check_bytes(&mut self, number: u32) -> Result<(), ModelError> {
        if !self
            .bytes
            .is_count_due(self.nodes.len(), self.alive, self.limit.expansion_memory)
        {
            return Ok(());
        }
        let operations = self.undo.operations.capacity() * size_of::<StructureUndo>();
        let lists = operations + self.proposed_values.bytes();
        let nodes =
            self.nodes.capacity() * size_of::<TraceNode>() + self.numbering.capacity() * ALLOCATION;
        let held: usize = self.nodes.iter().map(TraceNode::heap_bytes).sum();
        let counted = (lists + nodes + held) as u64;
        self.bytes.counted(counted, self.nodes.len(), self.alive);
        let element = &self.nodes[number as usize].element;
        check_bytes(&self.limit, element, self.bytes.bytes())
    }

    /// Removes the nodes of elements that no longer belong to the world, if there are too many.
    pub(super) fn evict_if_many(&mut self) {
        let few =
            self.nodes.len() - self.vacant.len() <= self.alive + self.permanent() + MAX_CACHED;
        if few && !self.bytes.is_full() {
            return;
        }
        let ((), freed) = Footprint::measured(|| self.evict());
        self.bytes
            .record_eviction(freed.bytes, self.limit.expansion_memory);
    }

    fn evict(&mut self) {
        let Some(other) = self.nodes.first().map(|node| node.element.clone()) else {
            return;
        };
        for node in &mut self.nodes {
            node.boolean_branch = None;
            node.branches.clear();
            node.keys.clear();
        }
        for number in self.permanent()..self.nodes.len() {
            let node = &mut self.nodes[number];
            if !node.in_world && !node.vacant {
                self.numbering.remove(&node.element);
                node.vacate();
                // This assignment drops the node's old element, and all elements to which only the old element refers.
                node.element = other.clone();
                self.vacant.push(number as u32);
            }
        }
    }
}
