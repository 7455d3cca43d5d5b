//! Limits of a trace: errors if they are exceeded, and eviction of nodes outside the world.

use super::change::StructureUndo;
use super::node::TraceNode;
use super::state::Trace;
use crate::limit::measured;
use crate::numbering::Numbered;
use figrs_core::element::footprint::ALLOCATION;
use figrs_core::error::ModelError;

/// Maximum number of elements outside the world that are cached for branches that are taken again.
const MAX_CACHED: usize = 1 << 16;

impl Trace {
    /// An error if the world reaches too many elements, or the run is over.
    pub(super) fn check_limit(&self, reached: usize, node: u32) -> Result<(), ModelError> {
        self.limit.check_time(&self.nodes[node as usize].element)?;
        if reached >= self.limit.elements {
            return Err(self.too_many(node, self.limit.elements));
        }
        Ok(())
    }

    /// An error if the trace exceeds its memory limit.
    pub(super) fn check_bytes(&mut self, number: u32) -> Result<(), ModelError> {
        if !self
            .bytes
            .is_count_due(self.nodes.len(), self.alive, self.limit.bytes)
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
        self.limit.check(element, self.bytes.bytes())
    }

    /// Evicts the nodes outside the world, if they have become many.
    pub(super) fn evict_if_many(&mut self) {
        let few =
            self.nodes.len() - self.vacant.len() <= self.alive + self.permanent() + MAX_CACHED;
        if few && !self.bytes.is_full() {
            return;
        }
        let ((), freed) = measured(|| self.evict());
        self.bytes.record_eviction(freed.bytes, self.limit.bytes);
    }

    /// Evicts the nodes outside the world.
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
                // Drops the element, and all elements that only it holds.
                node.element = other.clone();
                self.vacant.push(number as u32);
            }
        }
    }
}
