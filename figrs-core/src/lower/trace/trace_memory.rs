//! The memory of a trace, against its limit.
//!
//! Nodes and values are counted afresh when the world has a quarter more elements than at the last count: so counting takes
//! amortised constant time for each.

use super::change::StructureUndo;
use super::node::{InputEdge, NodeUse, TraceNode};
use super::register::ValueRegister;
use super::{Trace, measured};
use crate::element::footprint::ALLOCATION;
use crate::element::node::{AnyElement, ChainOp};
use crate::error::{Fault, ModelError};

/// Elements in the world before the first count.
const FIRST: usize = 1 << 8;

/// Memory use of a trace.
#[derive(Debug)]
pub(super) struct TraceMemory {
    /// Size in bytes of the elements that Chains made.
    pub(super) made: u64,
    /// Size in bytes of the nodes and their values, by the last count.
    counted: u64,
    /// Number of nodes at that count.
    nodes: usize,
    /// Number of elements in the world that triggers the next count.
    next: usize,
    /// Size of the elements, in bytes, that triggers the next eviction of those outside the world.
    purge_at: u64,
}

impl TraceMemory {
    pub(super) fn new(limit: u64) -> Self {
        Self {
            made: 0,
            counted: 0,
            nodes: 0,
            next: FIRST,
            purge_at: limit / 4,
        }
    }

    /// True if elements outside the world are to be evicted.
    pub(super) fn is_full(&self) -> bool {
        self.made > self.purge_at
    }

    /// Records an eviction of the elements outside the world.
    pub(super) fn purged(&mut self, freed: i64, limit: u64) {
        self.made = self.made.saturating_add_signed(freed);
        // The world itself cannot be evicted; an eighth more is allowed for elements outside.
        self.purge_at = (limit / 4).max(self.made + limit / 8);
    }
}

impl Trace {
    /// The element that a Chain's function gives for the values of its parents.
    pub(super) fn called(
        &mut self,
        number: u32,
        op: &dyn ChainOp,
    ) -> Option<Result<AnyElement, Fault>> {
        let call = || self.arguments(number, Self::present, |arguments| op.call(arguments));
        let (element, made) = measured(call);
        self.bytes.made = self.bytes.made.saturating_add_signed(made.bytes);
        element
    }

    /// An error if the trace exceeds its memory limit.
    pub(super) fn check_bytes(&mut self, number: u32) -> Result<(), ModelError> {
        let new = self.nodes.len().saturating_sub(self.bytes.nodes) * size_of::<TraceNode>();
        let needed = self.bytes.made + self.bytes.counted + new as u64;
        if needed <= self.limit.bytes && self.alive < self.bytes.next {
            return Ok(());
        }
        let operations = self.operations.capacity() * size_of::<StructureUndo>();
        let lists = operations + self.own.capacity() * size_of::<ValueRegister>();
        let nodes =
            self.nodes.capacity() * size_of::<TraceNode>() + self.numbering.capacity() * ALLOCATION;
        let held: usize = self.nodes.iter().map(TraceNode::heap_bytes).sum();
        self.bytes.counted = (lists + nodes + held) as u64;
        self.bytes.nodes = self.nodes.len();
        self.bytes.next = self.bytes.next.max(self.alive + self.alive / 4);
        let element = &self.nodes[number as usize].element;
        self.limit
            .check(element, self.bytes.made + self.bytes.counted)
    }
}

impl TraceNode {
    /// Approximate heap size in bytes, besides its own size and its element.
    fn heap_bytes(&self) -> usize {
        let uses = self.uses.capacity() * size_of::<NodeUse>();
        let inputs = self.inputs.capacity() * size_of::<InputEdge>();
        let branches = self.branches.capacity() * size_of::<u32>();
        let keys = self.keys.capacity() * size_of::<ValueRegister>();
        let values = self.value.heap_bytes() + self.old.value.heap_bytes();
        uses + inputs + branches + keys + size_of_val(&*self.parents) + values + 4 * ALLOCATION
    }
}
