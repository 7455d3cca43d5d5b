//! Proposals: what they change, and how a change is kept or undone.

use super::node::Source;
use super::{Site, Trace};
use crate::datum::Datum;
use crate::error::ModelError;

/// How a proposal changes the world, as differences of natural logarithms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// Of the probabilities of the free choices that both worlds have.
    pub prior: f64,
    /// Of the likelihoods and weights of the evidence; not a number where `possible` is false.
    pub likelihood: f64,
    /// The probability of the free choices that only the new world has; they were drawn from their priors.
    pub fresh: f64,
    /// The probability of the free choices that only the old world has.
    pub stale: f64,
    /// How many free choices the old world has, and the new one.
    pub choices: (usize, usize),
    /// How many likelihoods are densities, in the old world and in the new one.
    pub densities: (usize, usize),
    /// Whether the new world has a positive weight, and all that was proposed is a free choice of it.
    pub possible: bool,
}

/// What a node was before the proposal.
#[derive(Debug)]
pub(super) struct Snapshot {
    node: u32,
    /// The old value, if it was `replaced`.
    pub(super) value: Option<Datum>,
    pub(super) replaced: bool,
    log: f64,
    weight: f64,
    in_world: bool,
    pub(super) free: bool,
    /// The number of the value that was proposed or drawn for a choice.
    pub(super) own: Option<u32>,
}

/// A change of structure, to be undone in reverse order.
#[derive(Debug)]
pub(super) enum Operation {
    Link {
        by: u32,
    },
    Unlink {
        by: u32,
        to: u32,
        at: u32,
        demand: Option<Datum>,
    },
    /// Of the last input, which led to another node.
    Switch {
        by: u32,
        to: u32,
        at: u32,
    },
    Demand {
        by: u32,
        input: usize,
        old: Option<Datum>,
    },
    /// Of the node itself.
    Demanded {
        node: u32,
        old: Option<Datum>,
    },
    Freed,
    Unfreed {
        node: u32,
        position: u32,
    },
}

impl Trace {
    /// Takes a snapshot of a node, once a proposal, and tells its number.
    #[inline]
    pub(super) fn touch(&mut self, number: u32, in_world: bool) -> usize {
        let free = self.is_free(number);
        let epoch = self.epoch;
        let node = &mut self.nodes[number as usize];
        if node.touched.0 == epoch {
            return node.touched.1 as usize;
        }
        node.touched = (epoch, self.snapshots.len() as u32);
        self.snapshots.push(Snapshot {
            node: number,
            value: None,
            replaced: false,
            log: node.log,
            weight: node.weight,
            in_world,
            free: free && in_world,
            own: None,
        });
        self.snapshots.len() - 1
    }

    /// Notes the value that a choice has where it is free.
    pub(super) fn take_own(&mut self, snapshot: usize, value: Datum) {
        self.snapshots[snapshot].own = Some(self.own.len() as u32);
        self.own.push(value);
    }

    /// Whether a node is a free choice of the world.
    #[inline]
    pub(super) fn is_free(&self, number: u32) -> bool {
        let node = &self.nodes[number as usize];
        node.in_world && node.role.is_choice() && node.demand.is_none()
    }

    fn begin(&mut self) {
        self.snapshots.clear();
        self.operations.clear();
        self.own.clear();
        self.shared.clear();
        self.faults.clear();
        self.orphans.clear();
        self.statuses.clear();
        self.entering.clear();
        self.agenda.clear();
        self.later.clear();
        self.steps.clear();
        self.before = (self.alive, self.densities);
        self.epoch = self.epoch.wrapping_add(1);
        if self.epoch == 0 {
            self.epoch = 1;
            for node in &mut self.nodes {
                (node.touched, node.changed) = ((0, 0), 0);
            }
        }
    }

    /// Starts with a world whose choices are all drawn from their priors, but for those that observations decide.
    ///
    /// An impossible world is told by [`Change::possible`]; the trace then waits for another start.
    pub fn restart(&mut self, source: &mut dyn Source) -> Result<Change, ModelError> {
        self.purge();
        for node in &mut self.nodes {
            node.uses.clear();
            node.inputs.clear();
            node.loose = u32::from(node.root);
            node.in_world = false;
            (node.stale, node.must) = (true, true);
            (node.demand, node.value) = (None, None);
        }
        self.choices.clear();
        (self.alive, self.densities) = (0, 0);
        self.begin();
        for i in 0..self.roots.len() {
            let root = self.roots[i];
            if !std::mem::replace(&mut self.nodes[root as usize].in_world, true) {
                self.entering.push(root);
            }
            self.enter_all()?;
        }
        self.later.extend_from_slice(&self.roots);
        self.settle_all(source)?;
        let change = self.finish()?;
        self.keep();
        Ok(change)
    }

    /// Gives some free choices other values, draws the choices that are new from their priors, and re-evaluates what
    /// depends on them. The change must then be [kept](Self::keep) or [undone](Self::undo).
    pub fn propose(
        &mut self,
        values: &[(Site, Datum)],
        source: &mut dyn Source,
    ) -> Result<Change, ModelError> {
        self.begin();
        for (site, value) in values {
            let number = site.0;
            let snapshot = self.touch(number, true);
            self.take_own(snapshot, value.clone());
            self.require(number);
        }
        self.settle_all(source)?;
        let mut change = self.finish()?;
        // They were touched first.
        for snapshot in self.snapshots.iter().take(values.len()) {
            change.possible &= self.is_free(snapshot.node);
        }
        Ok(change)
    }

    /// Sums up the differences and brings the list of free choices up to date.
    fn finish(&mut self) -> Result<Change, ModelError> {
        let mut change = Change {
            prior: 0.0,
            likelihood: 0.0,
            fresh: 0.0,
            stale: 0.0,
            choices: (self.choices.len(), 0),
            densities: (self.densities, 0),
            possible: true,
        };
        for i in 0..self.snapshots.len() {
            let old = &self.snapshots[i];
            let number = old.node;
            let free = self.is_free(number);
            let node = &mut self.nodes[number as usize];
            change.possible &= !node.in_world || node.log + node.weight > f64::NEG_INFINITY;
            match (old.free, free) {
                (true, true) => change.prior += node.log - old.log,
                (true, false) => change.stale += old.log,
                (false, true) => change.fresh += node.log,
                (false, false) => {}
            }
            if old.in_world {
                change.likelihood -= old.weight;
                if !old.free {
                    change.likelihood -= old.log;
                }
            }
            if node.in_world {
                change.likelihood += node.weight;
                if !free {
                    change.likelihood += node.log;
                }
            }
            if node.role.is_choice() {
                let counted = old.in_world && !old.free;
                let counts = node.in_world && !free;
                if counted != counts && node.is_continuous() {
                    self.densities -= usize::from(counted);
                    self.densities += usize::from(counts);
                }
            }
            if old.free && !free {
                let position = self.nodes[number as usize].position;
                self.choices.swap_remove(position as usize);
                if let Some(&moved) = self.choices.get(position as usize) {
                    self.nodes[moved as usize].position = position;
                }
                let node = number;
                self.operations.push(Operation::Unfreed { node, position });
            } else if free && !old.free {
                self.nodes[number as usize].position = self.choices.len() as u32;
                self.choices.push(number);
                self.operations.push(Operation::Freed);
            }
        }
        change.choices.1 = self.choices.len();
        change.densities.1 = self.densities;
        self.check_shared()?;
        for (number, error) in self.faults.drain(..) {
            if change.possible && self.nodes[number as usize].in_world {
                return Err(error);
            }
        }
        Ok(change)
    }

    /// A continuous choice that an observation decides must have no other use: its density would not be counted.
    fn check_shared(&mut self) -> Result<(), ModelError> {
        while let Some(number) = self.shared.pop() {
            let node = &mut self.nodes[number as usize];
            let demanded = node.uses.len() + usize::from(node.root) > node.loose as usize;
            let both = node.in_world && node.given.is_none() && node.loose > 0 && demanded;
            if both && node.is_continuous() {
                return Err(ModelError::SharedObservation {
                    element: node.element.label(),
                });
            }
        }
        Ok(())
    }

    /// Keeps the change that was proposed last.
    pub fn keep(&mut self) {
        for snapshot in &self.snapshots {
            let node = &mut self.nodes[snapshot.node as usize];
            if !node.in_world {
                node.value = None;
            }
        }
        self.snapshots.clear();
        self.operations.clear();
        self.purge();
    }

    /// Undoes the change that was proposed last.
    pub fn undo(&mut self) {
        while let Some(operation) = self.operations.pop() {
            match operation {
                Operation::Link { by } => self.relink(by),
                Operation::Unlink { by, to, at, demand } => self.restore_link(by, to, at, demand),
                Operation::Switch { by, to, at } => self.switch_back(by, to, at),
                Operation::Demand { by, input, old } => {
                    self.set_demand(by, input, old);
                }
                Operation::Demanded { node, old } => self.nodes[node as usize].demand = old,
                Operation::Freed => {
                    self.choices.pop();
                }
                Operation::Unfreed { node, position } => {
                    let last = self.choices.len();
                    self.choices.push(node);
                    self.choices.swap(position as usize, last);
                    for at in [position as usize, last] {
                        self.nodes[self.choices[at] as usize].position = at as u32;
                    }
                }
            }
        }
        for old in &mut self.snapshots {
            let node = &mut self.nodes[old.node as usize];
            if old.replaced {
                std::mem::swap(&mut node.value, &mut old.value);
            }
            (node.log, node.weight) = (old.log, old.weight);
            node.in_world = old.in_world;
            (node.stale, node.must) = (!old.in_world, !old.in_world);
        }
        self.snapshots.clear();
        (self.alive, self.densities) = self.before;
        self.purge();
    }
}
