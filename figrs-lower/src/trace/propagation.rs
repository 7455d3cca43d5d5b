//! Re-evaluation of a world after a proposal, in topological order (incremental change propagation).
//!
//! The children of a node are visited only if the node's value has changed. Nodes that belong to every world are visited in the order of their
//! topological heights. Because nodes are visited in the order of their heights, each node is evaluated once, after all its inputs. Nodes in branches
//! of `Chain` elements are only marked as changed; they are evaluated when a node that belongs to every world needs their values. When a `Chain`
//! selects another element as its result, this element becomes an input of the `Chain`. If the topological height of the `Chain` is too low for its
//! new input, the height is raised, and the `Chain` is evaluated later.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::agenda::UpdateStep;
use super::node::NodeRole;
use super::register::ValueRegister;
use super::state::Trace;
use crate::Chooser;
use crate::world::run::FIRST_CHECK;
use figrs_core::error::{Fault, ModelError};
use rustc_hash::FxHashSet;

impl Trace {
    /// Marks a node for re-evaluation even if its inputs have not changed; the node is evaluated before its children.
    pub(super) fn mark_for_evaluation(&mut self, number: u32) {
        let node = &mut self.nodes[number as usize];
        (node.stale, node.must_evaluate) = (true, true);
        self.agenda.permanent.push(node.height, number);
    }

    pub(super) fn queue_readers(&mut self, number: u32) {
        let mut reader = Some(number);
        while let Some(reads) = reader {
            for i in 0..self.nodes[reads as usize].uses.len() {
                let by = self.nodes[reads as usize].uses[i].by;
                let node = &mut self.nodes[by as usize];
                if node.stale {
                    continue;
                }
                if (by as usize) < self.numbering.permanent() {
                    // A child that is a random choice with a single parent need not wait for other nodes, and keeps its value.
                    let alone = node.role.is_choice() && node.parents.len() == 1;
                    if !(alone && reads == number && self.reweigh(by)) {
                        let node = &mut self.nodes[by as usize];
                        node.stale = true;
                        self.agenda.permanent.push(node.height, by);
                    }
                    continue;
                }
                node.stale = true;
                if node.is_terminal() {
                    self.agenda.later.push(by);
                } else {
                    self.agenda.marks.push(by);
                }
            }
            reader = self.agenda.marks.pop();
        }
    }

    /// Re-evaluates the changed nodes that the world needs, and removes the nodes that the world no longer needs.
    pub(super) fn propagate(&mut self, chooser: &mut dyn Chooser) -> Result<(), ModelError> {
        loop {
            while let Some((height, number)) = self.agenda.permanent.pop() {
                let node = &self.nodes[number as usize];
                if !(node.stale && node.in_world && node.is_used()) {
                    continue;
                }
                if node.height > height {
                    self.agenda.permanent.push(node.height, number);
                } else if !self.update_in_place(number, height) {
                    self.re_evaluate(number, height, chooser)?;
                }
            }
            self.remove_unread();
            if !self.agenda.permanent.is_empty() {
                continue;
            }
            let Some(number) = self.agenda.later.pop() else {
                return Ok(());
            };
            let node = &self.nodes[number as usize];
            if node.stale && node.in_world && node.is_used() {
                self.re_evaluate(number, u32::MAX, chooser)?;
            }
        }
    }

    /// Re-evaluates a node if all its inputs are up to date, which is the usual case. If an input of the node is not up to date, returns `false`
    /// without a change.
    fn update_in_place(&mut self, number: u32, height: u32) -> bool {
        let node = &self.nodes[number as usize];
        if node.must_evaluate {
            return false;
        }
        let arity = node.parents.len();
        let mut due = false;
        for input in node.inputs.iter().take(arity) {
            let input = &self.nodes[input.to as usize];
            if input.stale || input.height >= height {
                return false;
            }
            due |= input.changed == self.epoch;
        }
        match node.role {
            NodeRole::Chain => {
                let Some(present) = node.inputs.get(arity) else {
                    return false;
                };
                let mut present = present.to;
                if let Some((by, result)) = self.pending
                    && by == number
                {
                    present = result;
                }
                let Some(result) = (if due {
                    self.branch(number, Self::present)
                } else {
                    Some(present)
                }) else {
                    return false;
                };
                let result_node = &self.nodes[result as usize];
                let waits = result_node.stale || result_node.height >= height;
                if waits || (result != present && !self.defer_switch(number, result)) {
                    return false;
                }
                self.copy_input(number, result);
                true
            }
            NodeRole::Apply | NodeRole::Score if due => {
                self.compute(number);
                true
            }
            NodeRole::Atomic | NodeRole::Family | NodeRole::Table if due => self.reweigh(number),
            _ => {
                self.nodes[number as usize].stale = due;
                !due
            }
        }
    }

    /// Re-evaluates the node `root`; all nodes whose topological height is lower than `height` are up to date.
    fn re_evaluate(
        &mut self,
        root: u32,
        height: u32,
        chooser: &mut dyn Chooser,
    ) -> Result<(), ModelError> {
        self.agenda.steps.clear();
        self.agenda.steps.push((root, UpdateStep::Enter));
        let mut check_cycles_at = FIRST_CHECK;
        while let Some((number, mut step)) = self.agenda.steps.pop() {
            let node = &self.nodes[number as usize];
            if !node.stale {
                continue;
            }
            let arity = node.parents.len();
            if let UpdateStep::Enter = step {
                let (first, mut high) = (self.agenda.steps.len(), 0);
                self.agenda.steps.push((number, UpdateStep::Ready));
                for input in node.inputs.iter().take(arity).rev() {
                    let input_node = &self.nodes[input.to as usize];
                    high = high.max(input_node.height);
                    if input_node.stale {
                        self.agenda.steps.push((input.to, UpdateStep::Enter));
                    }
                }
                if high > height && self.defer(root, height, high) {
                    return Ok(());
                }
                if self.agenda.steps.len() > first + 1 {
                    continue;
                }
                self.agenda.steps.pop();
                step = UpdateStep::Ready;
            }
            let node = &self.nodes[number as usize];
            if let UpdateStep::Ready = step {
                let epoch = self.epoch;
                let mut parents = node.inputs.iter().take(arity);
                let due = node.must_evaluate
                    || parents.any(|input| self.nodes[input.to as usize].changed == epoch);
                match node.role {
                    NodeRole::Chain => {
                        self.apply_deferred_switch();
                        if due && let Err(error) = self.select(number)? {
                            self.faults.push((number, error));
                        }
                        let node = &self.nodes[number as usize];
                        if let Some(result) = node.inputs.get(arity) {
                            let result_node = &self.nodes[result.to as usize];
                            let (stale, high) = (result_node.stale, result_node.height);
                            if stale {
                                if self.agenda.steps.len() >= check_cycles_at {
                                    check_cycles_at = 2 * self.agenda.steps.len();
                                    self.check_cycles()?;
                                }
                                self.agenda.steps.push((number, UpdateStep::Finish));
                                self.agenda.steps.push((result.to, UpdateStep::Enter));
                            }
                            if high > height && self.defer(root, height, high) {
                                return Ok(());
                            }
                            if stale {
                                continue;
                            }
                        }
                    }
                    _ if !due => {
                        self.nodes[number as usize].stale = false;
                        continue;
                    }
                    NodeRole::Atomic | NodeRole::Family | NodeRole::Table => {
                        if node.must_evaluate {
                            self.raise_above_inputs(number);
                        }
                        self.weigh_choice(number, chooser);
                        continue;
                    }
                    NodeRole::Fixed => {
                        let value = ValueRegister::from(node.given.as_ref());
                        self.set_computed(number, &value);
                        continue;
                    }
                    NodeRole::Apply | NodeRole::Score => {
                        if node.must_evaluate {
                            self.raise_above_inputs(number);
                        }
                        self.compute(number);
                        continue;
                    }
                }
            }
            self.raise_above_inputs(number);
            let node = &self.nodes[number as usize];
            match node.inputs.get(arity).map(|result| result.to) {
                Some(result) => self.copy_input(number, result),
                None => self.set_computed(number, &ValueRegister::default()),
            }
        }
        Ok(())
    }

    /// Returns an error if a `Chain` waits for the value of an element that waits for the same `Chain`.
    #[cold]
    fn check_cycles(&self) -> Result<(), ModelError> {
        let mut waiting = FxHashSet::default();
        for &(number, step) in &self.agenda.steps {
            if matches!(step, UpdateStep::Finish) && !waiting.insert(number) {
                let element = &self.nodes[number as usize].element;
                return Err(element.fault(Fault::Cyclic));
            }
        }
        Ok(())
    }

    /// Defers the evaluation of a node if one of its inputs is above the topological height up to which all nodes are up to date. Returns `true` if
    /// the evaluation of the node is deferred.
    fn defer(&mut self, root: u32, height: u32, high: u32) -> bool {
        let lowest = self.agenda.permanent.lowest();
        if lowest.is_none_or(|lowest| lowest >= high) {
            return false;
        }
        self.raise_to(root, high + 1);
        let raised = self.nodes[root as usize].height;
        if raised > height {
            self.agenda.permanent.push(raised, root);
        }
        raised > height
    }

    fn raise_above_inputs(&mut self, number: u32) {
        let inputs = &self.nodes[number as usize].inputs;
        let heights = inputs.iter().map(|i| self.nodes[i.to as usize].height);
        let highest = heights.max().map_or(0, |height| height + 1);
        self.raise_to(number, highest);
    }

    /// Raises the topological height of a node to `height`, and the heights of its children to at least one more.
    pub(super) fn raise_to(&mut self, number: u32, height: u32) {
        let node = &mut self.nodes[number as usize];
        if node.height >= height {
            return;
        }
        let mut raised = BinaryHeap::from([Reverse((node.height, number))]);
        node.height = height;
        while let Some(Reverse((_, number))) = raised.pop() {
            let height = self.nodes[number as usize].height + 1;
            // If a height exceeds the number of nodes, the graph has a cycle.
            if height as usize > self.nodes.len() {
                return;
            }
            for i in 0..self.nodes[number as usize].uses.len() {
                let by = self.nodes[number as usize].uses[i].by;
                let node = &mut self.nodes[by as usize];
                // A node that must be evaluated gets its new height in the evaluation.
                if node.height < height && !node.must_evaluate {
                    raised.push(Reverse((node.height, by)));
                    node.height = height;
                }
            }
        }
    }
}
