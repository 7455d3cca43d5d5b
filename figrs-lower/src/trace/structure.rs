//! Updates the edges of a trace, the set of nodes in the world, and the values that observations require of nodes.

use super::change::StructureUndo;
use super::node::{InputEdge, NodeRole};
use super::readers::NodeUse;
use super::register::ValueRegister;
use super::state::Trace;
use crate::numbering::Numbered;
use figrs_core::element::footprint::Footprint;
use figrs_core::element::node::Kind;
use figrs_core::element::operations::ChainOp;
use figrs_core::{AnyElement, Datum, Fault, ModelError};

/// Maximum number of results (elements that a `Chain` selects) that are cached for a `Chain`.
const BRANCHES: usize = 64;

impl Trace {
    /// Adds an edge to the dependency graph: the node `to` becomes the next input of the node `by`.
    pub(super) fn add_input(&mut self, by: u32, to: u32, demand: Option<Datum>) {
        self.clear_parameter_readers(to);
        let target = &mut self.nodes[to as usize];
        let at = target.uses.len() as u32;
        let input = self.nodes[by as usize].inputs.len() as u32;
        let target = &mut self.nodes[to as usize];
        target.uses.push(NodeUse { by, input });
        target.uses_without_demand += u32::from(demand.is_none());
        let demanded = demand.is_some() || target.uses.len() > target.uses_without_demand as usize;
        if target.in_world {
            if target.given.is_none() && (demand.is_some() || target.demand.is_some()) {
                self.worklist.statuses.push(to);
            }
        } else {
            target.in_world = true;
            self.worklist.entering.push(to);
        }
        let target = &self.nodes[to as usize];
        if demanded && target.uses_without_demand > 0 && target.role.is_choice() {
            self.worklist.shared.push(to);
        }
        let edge = InputEdge { to, at, demand };
        self.nodes[by as usize].inputs.push(edge);
        self.undo.operations.push(StructureUndo::Link { by });
    }

    pub(super) fn remove_last_input(&mut self, by: u32) {
        let Some(InputEdge { to, at, demand }) = self.nodes[by as usize].inputs.pop() else {
            return;
        };
        self.clear_parameter_readers(to);
        let target = &mut self.nodes[to as usize];
        target.uses.swap_remove(at as usize);
        target.uses_without_demand -= u32::from(demand.is_none());
        if !target.is_used() {
            self.worklist.orphans.push(to);
        } else if target.uses_without_demand == 0 || demand.is_some() {
            self.worklist.statuses.push(to);
        }
        if let Some(&NodeUse { by, input }) = self.nodes[to as usize].uses.get(at as usize) {
            self.nodes[by as usize].inputs[input as usize].at = at;
        }
        self.undo
            .operations
            .push(StructureUndo::Unlink { by, to, at, demand });
    }

    pub(super) fn undo_add_input(&mut self, by: u32) {
        if let Some(edge) = self.nodes[by as usize].inputs.pop() {
            self.clear_parameter_readers(edge.to);
            let target = &mut self.nodes[edge.to as usize];
            target.uses.pop();
            target.uses_without_demand -= u32::from(edge.demand.is_none());
        }
    }

    pub(super) fn restore_link(&mut self, by: u32, to: u32, at: u32, demand: Option<Datum>) {
        self.clear_parameter_readers(to);
        let input = self.nodes[by as usize].inputs.len() as u32;
        let target = &mut self.nodes[to as usize];
        let last = target.uses.len() as u32;
        target.uses.push(NodeUse { by, input });
        target.uses.swap(at as usize, last as usize);
        target.uses_without_demand += u32::from(demand.is_none());
        let height = target.height;
        if at != last {
            let moved = target.uses[last as usize];
            self.nodes[moved.by as usize].inputs[moved.input as usize].at = last;
        }
        self.nodes[by as usize]
            .inputs
            .push(InputEdge { to, at, demand });
        self.raise_to(by, height + 1);
    }

    /// Sets the value that the node `by` requires of its input with the index `input`, because of an observation; returns the old value.
    pub(super) fn set_demand(
        &mut self,
        by: u32,
        input: usize,
        demand: Option<Datum>,
    ) -> Option<Datum> {
        let edge = &mut self.nodes[by as usize].inputs[input];
        let old = std::mem::replace(&mut edge.demand, demand);
        let (to, loose) = (edge.to, edge.demand.is_none());
        let target = &mut self.nodes[to as usize];
        target.uses_without_demand += u32::from(loose);
        target.uses_without_demand -= u32::from(old.is_none());
        old
    }

    /// Returns the value that a node must have because its children require it.
    fn demanded(&self, number: u32) -> Option<&Datum> {
        let node = &self.nodes[number as usize];
        match (node.role, &node.given) {
            (NodeRole::Fixed, _) => None,
            (_, Some(given)) => Some(given),
            // Each child of an observed element has the observed value; otherwise the world has weight zero.
            (NodeRole::Score, _) if node.observed().is_some() => node.observed(),
            _ if node.uses_without_demand > 0 => None,
            _ => {
                let NodeUse { by, input } = *node.uses.first()?;
                self.nodes[by as usize].inputs[input as usize]
                    .demand
                    .as_ref()
            }
        }
    }

    /// Returns the values that a node requires of its inputs because of observations; the list may be shorter than the list of inputs.
    fn demands_on_inputs(&self, number: u32) -> Vec<Option<Datum>> {
        let node = &self.nodes[number as usize];
        match (node.element.kind(), node.role) {
            (_, NodeRole::Apply | NodeRole::Score) => node.element.demands(node.demand.as_ref()),
            (Kind::Chain(parents, _), NodeRole::Chain) if node.demand.is_some() => {
                let mut demands = vec![None; parents.len()];
                demands.push(node.demand.clone());
                demands
            }
            _ => Vec::new(),
        }
    }

    /// Adds new nodes, and the inputs of these nodes, to the world.
    pub(super) fn enter_all(&mut self) -> Result<(), ModelError> {
        while let Some(number) = self.worklist.entering.pop() {
            self.check_limit(self.alive, number)?;
            self.check_bytes(number)?;
            self.alive += 1;
            self.record_parents(number);
            self.save_state(number, false);
            let demand = self.demanded(number).cloned();
            self.accept_demand(number, demand);
            let node = &mut self.nodes[number as usize];
            node.in_world = true;
            (node.stale, node.must_evaluate) = (true, true);
            let mut demands = self.demands_on_inputs(number).into_iter();
            for i in 0..self.nodes[number as usize].parents.len() {
                let parent = self.nodes[number as usize].parents[i];
                self.add_input(number, parent, demands.next().flatten());
            }
        }
        self.update_demands();
        Ok(())
    }

    /// Removes nodes without children from the world, and then those of their inputs that have no other children.
    pub(super) fn remove_unread(&mut self) {
        while let Some(number) = self.worklist.orphans.pop() {
            self.apply_deferred_switch();
            let node = &self.nodes[number as usize];
            if node.is_used() || !node.in_world {
                continue;
            }
            self.save_state(number, true);
            let node = &mut self.nodes[number as usize];
            node.in_world = false;
            (node.stale, node.must_evaluate) = (true, true);
            self.accept_demand(number, None);
            self.alive -= 1;
            while !self.nodes[number as usize].inputs.is_empty() {
                self.remove_last_input(number);
            }
        }
        self.update_demands();
    }

    /// Updates the values that observations require of nodes whose children have changed, and the values that these nodes require of their inputs.
    fn update_demands(&mut self) {
        while let Some(number) = self.worklist.statuses.pop() {
            self.apply_deferred_switch();
            let node = &self.nodes[number as usize];
            if !node.in_world || !node.is_used() || self.demanded(number) == node.demand.as_ref() {
                continue;
            }
            self.save_state(number, true);
            let demand = self.demanded(number).cloned();
            self.accept_demand(number, demand);
            self.mark_for_evaluation(number);
            for i in 0..self.nodes[number as usize].uses.len() {
                let by = self.nodes[number as usize].uses[i].by;
                self.mark_for_evaluation(by);
            }
            let mut demands = self.demands_on_inputs(number).into_iter();
            for input in 0..self.nodes[number as usize].inputs.len() {
                let demand = demands.next().flatten();
                let edge = &self.nodes[number as usize].inputs[input];
                if edge.demand != demand {
                    self.worklist.statuses.push(edge.to);
                    let old = self.set_demand(number, input, demand);
                    let by = number;
                    self.undo
                        .operations
                        .push(StructureUndo::Demand { by, input, old });
                }
            }
        }
    }

    fn accept_demand(&mut self, node: u32, demand: Option<Datum>) {
        if self.nodes[node as usize].demand != demand {
            let old = self.set_demanded(node, demand);
            self.undo
                .operations
                .push(StructureUndo::Demanded { node, old });
        }
    }

    /// Sets the value that observations require of a node, without an update of other nodes; returns the old value.
    pub(super) fn set_demanded(&mut self, node: u32, demand: Option<Datum>) -> Option<Datum> {
        for input in 0..self.nodes[node as usize].inputs.len() {
            self.clear_parameter_readers(self.nodes[node as usize].inputs[input].to);
        }
        let node = &mut self.nodes[node as usize];
        if let Some(value) = &demand {
            node.summarise(value);
        }
        std::mem::replace(&mut node.demand, demand)
    }

    /// Returns the cached element that a `Chain` selects for the values of its parents; the argument `value` is a function that returns one of the
    /// stored values of a parent.
    pub(super) fn branch<'a>(
        &'a self,
        number: u32,
        value: impl Fn(&'a Self, u32) -> &'a ValueRegister,
    ) -> Option<u32> {
        let node = &self.nodes[number as usize];
        let arity = node.parents.len();
        let known = (0..node.branches.len()).find(|branch| {
            let key = &node.keys[branch * arity..][..arity];
            let mut parents = node.parents.iter().zip(key);
            parents.all(|(&parent, key)| value(self, parent) == key)
        });
        known.map(|branch| node.branches[branch])
    }

    /// Selects the element that is the result of a `Chain` for the present values of its parents. The inner error is an error of a function of the
    /// user's model.
    pub(super) fn select(&mut self, number: u32) -> Result<Result<(), ModelError>, ModelError> {
        let node = &self.nodes[number as usize];
        let arity = node.parents.len();
        let result = if let Some(known) = self.branch(number, Self::present) {
            known
        } else {
            let element = node.element.clone();
            let Kind::Chain(_, op) = element.kind() else {
                return Ok(Ok(()));
            };
            match self.called(number, &**op) {
                Some(Ok(element)) => self.number_of_result(number, &element),
                failed => {
                    let fault = failed.and_then(Result::err);
                    let error = fault.map(|fault| element.fault(fault));
                    if self.nodes[number as usize].inputs.len() > arity {
                        self.remove_last_input(number);
                    }
                    return Ok(error.map_or(Ok(()), Err));
                }
            }
        };
        let node = &self.nodes[number as usize];
        if node.inputs.get(arity).is_some_and(|edge| edge.to == result) {
            return Ok(Ok(()));
        }
        if self.switch_result(number, result) {
            return Ok(Ok(()));
        }
        let demand = self.nodes[number as usize].demand.clone();
        if self.nodes[number as usize].inputs.len() > arity {
            self.remove_last_input(number);
        }
        self.add_input(number, result, demand);
        self.enter_all()?;
        Ok(Ok(()))
    }

    /// Changes the result of a `Chain` to `result`, if nothing else changes: the old and the new result stay in the world, and no value is required
    /// of the `Chain`. If the new result of the `Chain` would have other effects, returns `false`.
    pub(super) fn switch_result(&mut self, number: u32, result: u32) -> bool {
        let Some((to, at)) = self.may_switch(number, result) else {
            return false;
        };
        self.redirect_last_input(number, to, at, result);
        let by = number;
        self.undo
            .operations
            .push(StructureUndo::Switch { by, to, at });
        true
    }

    /// Changes the result of a `Chain` as `switch_result` does, but updates the edges only when the proposal is accepted, or before the next change
    /// of edges.
    pub(super) fn defer_switch(&mut self, number: u32, result: u32) -> bool {
        self.apply_deferred_switch();
        // The value of the result must not change before the edges are updated, because the `Chain` would not be re-evaluated.
        let lasts = (result as usize) < self.permanent();
        if !lasts && !self.nodes[result as usize].inputs.is_empty() {
            return self.switch_result(number, result);
        }
        let may = self.may_switch(number, result).is_some();
        if may {
            self.pending = Some((number, result));
        }
        may
    }

    /// Updates the edges of the graph after a deferred change of a `Chain`'s result.
    #[inline]
    pub(super) fn apply_deferred_switch(&mut self) {
        if let Some((number, result)) = self.pending.take() {
            self.switch_result(number, result);
        }
    }

    /// If `switch_result` is possible, returns the present result of the `Chain`, and the index of the `Chain` among the nodes that use this result.
    pub(super) fn may_switch(&self, number: u32, result: u32) -> Option<(u32, u32)> {
        let node = &self.nodes[number as usize];
        let arity = node.parents.len();
        let &InputEdge { to, at, ref demand } = node.inputs.get(arity)?;
        let (old, new) = (&self.nodes[to as usize], &self.nodes[result as usize]);
        // The old result stays in the world, because it is a root or has another child that requires no value.
        let stays = (old.uses.len() > 1 || old.root) && old.uses_without_demand > 1;
        let joins = new.in_world
            && new.demand.is_none()
            && new.uses.len() < new.uses_without_demand as usize + 1;
        (demand.is_none() && stays && joins).then_some((to, at))
    }

    fn redirect_last_input(&mut self, by: u32, from: u32, at: u32, to: u32) {
        self.clear_parameter_readers(from);
        self.clear_parameter_readers(to);
        let old = &mut self.nodes[from as usize];
        let NodeUse { input, .. } = old.uses.swap_remove(at as usize);
        old.uses_without_demand -= 1;
        if let Some(&moved) = old.uses.get(at as usize) {
            self.nodes[moved.by as usize].inputs[moved.input as usize].at = at;
        }
        let new = &mut self.nodes[to as usize];
        let at = new.uses.len() as u32;
        new.uses.push(NodeUse { by, input });
        new.uses_without_demand += 1;
        let edge = &mut self.nodes[by as usize].inputs[input as usize];
        (edge.to, edge.at) = (to, at);
    }

    pub(super) fn undo_switch(&mut self, by: u32, to: u32, at: u32) {
        let arity = self.nodes[by as usize].parents.len();
        let edge = &self.nodes[by as usize].inputs[arity];
        let (from, position) = (edge.to, edge.at);
        self.redirect_last_input(by, from, position, to);
        let target = &mut self.nodes[to as usize];
        let last = target.uses.len() - 1;
        target.uses.swap(at as usize, last);
        let height = target.height + 1;
        for position in [at as usize, last] {
            let NodeUse { by, input } = self.nodes[to as usize].uses[position];
            self.nodes[by as usize].inputs[input as usize].at = position as u32;
        }
        self.raise_to(by, height);
    }

    /// Returns the index of the node of `element`, which a `Chain` has selected for the first time, and caches this result.
    fn number_of_result(&mut self, number: u32, element: &AnyElement) -> u32 {
        let result = self.record(element);
        let node = &self.nodes[number as usize];
        let parents = node.inputs.iter().take(node.parents.len());
        let key = parents.map(|input| self.nodes[input.to as usize].value.clone());
        let key: Vec<ValueRegister> = key.collect();
        for i in 0..self.nodes[number as usize].parents.len() {
            let parent = self.nodes[number as usize].parents[i];
            self.nodes[parent as usize].boolean_branch = None;
        }
        let node = &mut self.nodes[number as usize];
        if node.branches.len() < BRANCHES {
            node.branches.push(result);
            node.keys.extend(key);
        } else {
            let first = node.next_branch * key.len();
            node.branches[node.next_branch] = result;
            node.keys.splice(first..first + key.len(), key);
            node.next_branch = (node.next_branch + 1) % BRANCHES;
        }
        result
    }

    /// Returns the element that a `Chain`'s function returns for the present values of its parents.
    fn called(&mut self, number: u32, op: &dyn ChainOp) -> Option<Result<AnyElement, Fault>> {
        let call = || self.arguments(number, Self::present, |arguments| op.call(arguments));
        let (element, made) = Footprint::measured(call);
        self.bytes.add_made(made.bytes);
        element
    }
}
