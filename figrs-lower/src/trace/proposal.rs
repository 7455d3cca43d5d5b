//! Proposals of a Metropolis-Hastings chain: changes of the world of a trace, which are kept or undone.

use super::change::{Change, StructureUndo};
use super::state::{Site, Trace};
use crate::Chooser;
use figrs_core::{Datum, ModelError};

impl Trace {
    /// Saves the log-probability and weight that a node had before the proposal. Further calls for the same node and the same proposal have no
    /// effect.
    #[inline]
    pub(super) fn save_state(&mut self, number: u32, in_world: bool) {
        let epoch = self.epoch;
        if self.nodes[number as usize].touched == epoch {
            return;
        }
        let free = in_world && self.is_free(number);
        let node = &mut self.nodes[number as usize];
        node.touched = epoch;
        node.old.log = node.log;
        node.old.weight = node.weight;
        node.old.proposed = 0;
        node.old.replaced = false;
        node.old.in_world = in_world;
        node.old.free = free;
        self.undo.touched.push(number);
    }

    /// Stores the value `value` that was proposed or drawn for the free choice (no observation determines it) with the index `number`.
    pub(super) fn save_choice(&mut self, number: u32, value: &Datum) {
        self.nodes[number as usize].old.proposed = self.proposed_values.push(value) as u32;
    }

    #[inline]
    pub(super) fn is_free(&self, number: u32) -> bool {
        let node = &self.nodes[number as usize];
        node.in_world && node.role.is_choice() && node.demand.is_none()
    }

    fn begin_proposal(&mut self) {
        self.undo.begin(self.alive, self.densities);
        self.pending = None;
        self.proposed_values.clear();
        self.faults.clear();
        self.worklist.clear();
        self.agenda.clear();
        self.look_ahead.clear();
        self.begin_epoch();
    }

    #[inline]
    pub(super) fn begin_epoch(&mut self) {
        self.epoch = self.epoch.wrapping_add(1);
        if self.epoch == 0 {
            self.epoch = 1;
            for node in &mut self.nodes {
                (node.touched, node.changed) = (0, 0);
            }
        }
    }

    /// Starts a world in which random choices are drawn from their priors, except for choices whose values observations determine.
    ///
    /// Returns `false` if the drawn world has weight zero; call `restart` again in this case.
    ///
    /// **Errors.** An error if an evaluated element has invalid parameters or a function that fails, or if the world has too many elements.
    pub fn restart(&mut self, chooser: &mut dyn Chooser) -> Result<bool, ModelError> {
        self.evict_if_many();
        for node in &mut self.nodes {
            node.clear_reader_caches();
            node.uses.clear();
            node.inputs.clear();
            node.uses_without_demand = u32::from(node.root);
            node.in_world = false;
            (node.stale, node.must_evaluate) = (true, true);
            node.demand = None;
            node.value.clear();
        }
        self.choices.clear();
        (self.alive, self.densities) = (0, 0);
        self.begin_proposal();
        for i in 0..self.roots.len() {
            let root = self.roots[i];
            if !std::mem::replace(&mut self.nodes[root as usize].in_world, true) {
                self.worklist.entering.push(root);
            }
            self.enter_all()?;
        }
        self.agenda.later.extend_from_slice(&self.roots);
        self.propagate(chooser)?;
        self.finish()?;
        self.keep();
        Ok(self.change.possible)
    }

    /// Proposes the value `value` for the choice `site`, re-evaluates the elements that depend on the choice, and draws choices that are new in the
    /// world from their priors. The [change](Self::change) of the world must then be [kept](Self::keep) or [undone](Self::undo). Returns `false` if
    /// the proposed world is not [possible](Change::possible).
    ///
    /// **Errors.** An error if an evaluated element has invalid parameters or a function that fails, or if the world has too many elements.
    pub fn propose(
        &mut self,
        site: Site,
        value: &Datum,
        chooser: &mut dyn Chooser,
    ) -> Result<bool, ModelError> {
        if let Some(possible) = self.look_ahead(site.0, value) {
            return Ok(possible);
        }
        self.begin_proposal();
        self.save_state(site.0, true);
        self.save_choice(site.0, value);
        // All inputs of the choice are up to date.
        if !self.weigh_proposed(site.0, chooser) {
            self.change = Change::default();
            return Ok(false);
        }
        self.propagate(chooser)?;
        self.finish()?;
        self.change.possible &= self.is_free(site.0);
        Ok(self.change.possible)
    }

    /// Proposes values for several random choices together, as [`propose`](Self::propose) does for one choice.
    pub fn propose_together(
        &mut self,
        values: &[(Site, Datum)],
        chooser: &mut dyn Chooser,
    ) -> Result<bool, ModelError> {
        self.begin_proposal();
        for (site, value) in values {
            self.save_state(site.0, true);
            self.save_choice(site.0, value);
            self.mark_for_evaluation(site.0);
        }
        self.propagate(chooser)?;
        self.finish()?;
        for (site, _) in values {
            self.change.possible &= self.is_free(site.0);
        }
        Ok(self.change.possible)
    }

    /// Computes the differences of log-probabilities between the proposed and the present world, and updates the list of choices that no observation
    /// determines.
    fn finish(&mut self) -> Result<(), ModelError> {
        let (mut prior, mut likelihood, mut fresh, mut stale) = (0.0, 0.0, 0.0, 0.0);
        let mut possible = true;
        let before = (self.choices.len(), self.densities);
        for i in 0..self.undo.touched.len() {
            let number = self.undo.touched[i];
            let free = self.is_free(number);
            let node = &mut self.nodes[number as usize];
            let old = &node.old;
            let was_free = old.free;
            possible &= !node.in_world || node.log + node.weight > f64::NEG_INFINITY;
            if old.in_world && node.in_world && old.free == free {
                let log = node.log - old.log;
                likelihood += node.weight - old.weight;
                if free {
                    prior += log;
                } else {
                    likelihood += log;
                }
                continue;
            }
            match (old.free, free) {
                (true, true) => prior += node.log - old.log,
                (true, false) => stale += old.log,
                (false, true) => fresh += node.log,
                (false, false) => {}
            }
            if old.in_world {
                likelihood -= old.weight;
                if !old.free {
                    likelihood -= old.log;
                }
            }
            if node.in_world {
                likelihood += node.weight;
                if !free {
                    likelihood += node.log;
                }
            }
            if node.role.is_choice() {
                let counted = old.in_world && !was_free;
                let counts = node.in_world && !free;
                if counted != counts && node.is_continuous() {
                    self.densities -= usize::from(counted);
                    self.densities += usize::from(counts);
                }
            }
            if was_free && !free {
                let position = self.nodes[number as usize].position;
                self.choices.swap_remove(position as usize);
                if let Some(&moved) = self.choices.get(position as usize) {
                    self.nodes[moved as usize].position = position;
                }
                let node = number;
                self.undo
                    .operations
                    .push(StructureUndo::Unfreed { node, position });
            } else if free && !was_free {
                self.nodes[number as usize].position = self.choices.len() as u32;
                self.choices.push(number);
                self.undo.operations.push(StructureUndo::Freed);
            }
        }
        self.change = Change {
            prior,
            likelihood,
            added: fresh,
            removed: stale,
            choices: (before.0, self.choices.len()),
            densities: (before.1, self.densities),
            possible,
        };
        self.check_shared()?;
        for (number, error) in self.faults.drain(..) {
            if possible && self.nodes[number as usize].in_world {
                return Err(error);
            }
        }
        Ok(())
    }

    /// Returns an error if an observation determines a continuous choice on which another element also depends, because the likelihood would then
    /// lack the density of the choice.
    fn check_shared(&mut self) -> Result<(), ModelError> {
        while let Some(number) = self.worklist.shared.pop() {
            let node = &mut self.nodes[number as usize];
            let demanded =
                node.uses.len() + usize::from(node.root) > node.uses_without_demand as usize;
            let both =
                node.in_world && node.given.is_none() && node.uses_without_demand > 0 && demanded;
            if both && node.is_continuous() {
                return Err(ModelError::SharedObservation {
                    element: node.element.label(),
                });
            }
        }
        Ok(())
    }

    /// Keeps the change of the world that was proposed last.
    pub fn keep(&mut self) {
        if self.apply_look_ahead() {
            return;
        }
        self.apply_deferred_switch();
        for &number in &self.undo.touched {
            let node = &mut self.nodes[number as usize];
            node.old.value.clear();
            if !node.in_world {
                node.value.clear();
            }
        }
        self.undo.touched.clear();
        self.undo.operations.clear();
        self.evict_if_many();
    }

    /// Undoes the change of the world that was proposed last.
    pub fn undo(&mut self) {
        if self.discard_look_ahead() {
            return;
        }
        self.pending = None;
        while let Some(operation) = self.undo.operations.pop() {
            match operation {
                StructureUndo::Link { by } => self.undo_add_input(by),
                StructureUndo::Unlink { by, to, at, demand } => {
                    self.restore_link(by, to, at, demand);
                }
                StructureUndo::Switch { by, to, at } => self.undo_switch(by, to, at),
                StructureUndo::Demand { by, input, old } => {
                    self.set_demand(by, input, old);
                }
                StructureUndo::Demanded { node, old } => {
                    self.set_demanded(node, old);
                }
                StructureUndo::Freed => {
                    self.choices.pop();
                }
                StructureUndo::Unfreed { node, position } => {
                    let last = self.choices.len();
                    self.choices.push(node);
                    self.choices.swap(position as usize, last);
                    for at in [position as usize, last] {
                        self.nodes[self.choices[at] as usize].position = at as u32;
                    }
                }
            }
        }
        for &number in &self.undo.touched {
            let node = &mut self.nodes[number as usize];
            if node.old.replaced {
                node.value.take(&mut node.old.value);
            }
            node.log = node.old.log;
            node.weight = node.old.weight;
            node.in_world = node.old.in_world;
            (node.stale, node.must_evaluate) = (!node.in_world, !node.in_world);
        }
        self.undo.touched.clear();
        (self.alive, self.densities) = self.undo.before;
        self.evict_if_many();
    }
}
