//! Values, brought up to date in the order of dependency.

use std::any::Any;

use super::Trace;
use super::node::{Prior, Role, Source};
use crate::datum::Datum;
use crate::error::{Fault, ModelError};
use crate::node::Kind;

/// What is to be done for a node.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// Bring its inputs up to date.
    Enter,
    /// All but the result of a Chain is up to date.
    Ready,
    /// So is the result.
    Finish,
}

impl Trace {
    /// Marks what may change with the value of a node.
    pub(super) fn mark_uses(&mut self, number: u32) {
        self.marks.push(number);
        while let Some(number) = self.marks.pop() {
            for i in 0..self.nodes[number as usize].uses.len() {
                let by = self.nodes[number as usize].uses[i].by;
                let node = &self.nodes[by as usize];
                if node.stale {
                    continue;
                }
                let terminal = node.is_terminal();
                if terminal || node.root {
                    self.work.push(by);
                }
                if !terminal {
                    self.marks.push(by);
                }
                self.touch(by, true);
                self.nodes[by as usize].stale = true;
            }
        }
    }

    /// Brings everything up to date that the world needs, and lets go of what it does not.
    pub(super) fn settle_all(&mut self, source: &mut dyn Source) -> Result<(), ModelError> {
        loop {
            let mut next = 0;
            while let Some(&number) = self.work.get(next) {
                next += 1;
                let node = &self.nodes[number as usize];
                if node.stale && node.in_world && node.is_used() {
                    self.pull(number, source)?;
                }
            }
            self.work.clear();
            self.leave_all();
            if self.work.is_empty() {
                return Ok(());
            }
        }
    }

    /// Brings a node up to date.
    fn pull(&mut self, number: u32, source: &mut dyn Source) -> Result<(), ModelError> {
        self.steps.push((number, Step::Enter));
        while let Some((number, step)) = self.steps.pop() {
            let node = &self.nodes[number as usize];
            if !node.stale {
                continue;
            }
            match step {
                Step::Enter => {
                    self.steps.push((number, Step::Ready));
                    for input in node.inputs.iter().take(node.parents.len()).rev() {
                        if self.nodes[input.to as usize].stale {
                            self.steps.push((input.to, Step::Enter));
                        }
                    }
                }
                Step::Ready => {
                    let parents = node.inputs.iter().take(node.parents.len());
                    let epoch = self.epoch;
                    let changed = parents
                        .map(|input| self.nodes[input.to as usize].changed)
                        .any(|changed| changed == epoch);
                    let due = node.must || changed;
                    match node.role {
                        Role::Chain => {
                            if due && let Err(error) = self.select(number)? {
                                self.faults.push((number, error));
                            }
                            self.steps.push((number, Step::Finish));
                            let node = &self.nodes[number as usize];
                            if let Some(result) = node.inputs.get(node.parents.len())
                                && self.nodes[result.to as usize].stale
                            {
                                self.steps.push((result.to, Step::Enter));
                            }
                        }
                        _ if !due => self.nodes[number as usize].stale = false,
                        Role::Atomic | Role::Family | Role::Table => {
                            self.weigh_choice(number, source);
                        }
                        Role::Fixed => {
                            let value = node.given.clone();
                            self.settle(number, value);
                        }
                        Role::Apply | Role::Score => self.compute(number),
                    }
                }
                Step::Finish => {
                    let result = node.inputs.get(node.parents.len());
                    let value = result.and_then(|r| self.nodes[r.to as usize].value.clone());
                    self.settle(number, value);
                }
            }
        }
        Ok(())
    }

    /// The values of a node's parents, if all of them have one.
    pub(super) fn arguments<R>(
        &self,
        number: u32,
        read: impl FnOnce(&[&dyn Any]) -> R,
    ) -> Option<R> {
        const MOST: usize = 8;
        let node = &self.nodes[number as usize];
        let parents = node.inputs.iter().take(node.parents.len());
        let value = |to: u32| Some(self.nodes[to as usize].value.as_ref()?.as_any());
        if node.parents.len() <= MOST {
            let mut arguments: [&dyn Any; MOST] = [&(); MOST];
            for (argument, input) in arguments.iter_mut().zip(parents) {
                *argument = value(input.to)?;
            }
            Some(read(&arguments[..node.parents.len()]))
        } else {
            let arguments: Option<Vec<&dyn Any>> = parents.map(|input| value(input.to)).collect();
            Some(read(&arguments?))
        }
    }

    /// Evaluates an Apply or a Score.
    fn compute(&mut self, number: u32) {
        let node = &self.nodes[number as usize];
        let value = match node.element.kind() {
            Kind::Apply(_, op) => {
                let called = self.arguments(number, |arguments| op.call(arguments));
                let called = called.transpose();
                called.map_err(|fault| node.element.fault(fault))
            }
            Kind::Score(..) => {
                let parent = node.inputs.first();
                Ok(parent.and_then(|parent| self.nodes[parent.to as usize].value.clone()))
            }
            Kind::Atomic(_) | Kind::Chain(..) | Kind::Table(..) => Ok(None),
        };
        let value = value.unwrap_or_else(|error| {
            self.faults.push((number, error));
            None
        });
        self.settle(number, value);
    }

    /// Gives a node that is not a choice the value that it computes to; none if that failed.
    fn settle(&mut self, number: u32, computed: Option<Datum>) {
        self.touch(number, true);
        let node = &mut self.nodes[number as usize];
        let failed = computed.is_none();
        let agrees = node.demand.is_none() || failed || node.demand == computed;
        node.log = if agrees { 0.0 } else { f64::NEG_INFINITY };
        let value = match (&node.demand, failed) {
            (Some(demand), false) => Some(demand.clone()),
            _ => computed,
        };
        self.assign(number, value);
    }

    /// Gives a node its value, and weighs the evidence on it if that is new.
    fn assign(&mut self, number: u32, value: Option<Datum>) {
        let epoch = self.epoch;
        let node = &mut self.nodes[number as usize];
        let same = node.value == value;
        let score = match node.element.kind() {
            Kind::Score(_, evidence) if node.role == Role::Score => Some(evidence),
            _ => None,
        };
        if !same || node.must {
            node.weight = 0.0;
            if let Some(value) = &value {
                for evidence in node.evidence.iter().chain(score) {
                    match evidence.weight(&node.element, value.as_any()) {
                        Ok((_, log)) => node.weight += log,
                        Err(error) => self.faults.push((number, error)),
                    }
                }
            }
        }
        if !same {
            node.value = value;
            node.changed = epoch;
        }
        (node.stale, node.must) = (false, false);
    }

    /// Reads the prior of a choice, whose parents are up to date; nothing if one of them has no value.
    fn with_prior<R>(
        &self,
        number: u32,
        read: impl FnOnce(&Prior<'_>) -> Result<R, Fault>,
    ) -> Result<Option<R>, ModelError> {
        let node = &self.nodes[number as usize];
        let element = &node.element;
        let done = self.arguments(number, |arguments| {
            let read = |prior: &Prior| read(prior).map_err(|fault| element.fault(fault));
            match element.kind() {
                Kind::Atomic(op) => {
                    if !node.checked {
                        op.check().map_err(|problem| element.invalid(problem))?;
                    }
                    read(&Prior::Atomic(&**op)).map(Some)
                }
                Kind::Chain(_, op) => {
                    let Some(family) = op.family() else {
                        return Ok(None);
                    };
                    let checked = family.check(arguments);
                    checked.map_err(|problem| element.invalid(problem))?;
                    read(&Prior::Family(&**op, family, arguments)).map(Some)
                }
                Kind::Table(_, op) => {
                    if !node.checked {
                        op.check().map_err(|problem| element.invalid(problem))?;
                    }
                    let mut parents = arguments.iter().zip(op.states()).enumerate();
                    let row = parents.try_fold(0, |row, (parent, (&value, states))| {
                        let state = states.index_of(value).ok_or(parent)?;
                        Ok::<_, usize>(row * states.len() + state)
                    });
                    let row = row.map_err(|parent| element.fault(Fault::no_state(parent)))?;
                    let columns = op.values().len();
                    let row = op.weights().row(row * columns, columns);
                    read(&Prior::Row(op.values(), row)).map(Some)
                }
                Kind::Apply(..) | Kind::Score(..) => Ok(None),
            }
        });
        done.unwrap_or(Ok(None))
    }

    /// Gives a choice its value and its log-probability.
    fn weigh_choice(&mut self, number: u32, source: &mut dyn Source) {
        let snapshot = self.touch(number, true);
        let node = &self.nodes[number as usize];
        let own = match &node.demand {
            Some(demand) => Some(demand.clone()),
            None => self.snapshots[snapshot].own.clone(),
        };
        let weighed = self.with_prior(number, |prior| {
            let value = match own {
                Some(value) => value,
                None => source.draw(prior)?,
            };
            let log = prior.log_prob(&value)?;
            Ok((value, log))
        });
        let value = match weighed {
            Ok(Some((value, log))) => {
                let node = &mut self.nodes[number as usize];
                (node.log, node.checked) = (log, true);
                if node.demand.is_none() {
                    self.snapshots[snapshot].own = Some(value.clone());
                }
                Some(value)
            }
            Ok(None) => None,
            Err(error) => {
                self.faults.push((number, error));
                None
            }
        };
        self.assign(number, value);
    }

    /// A value for a site from its prior, given the present values of its parents.
    pub fn draw(
        &self,
        site: super::Site,
        source: &mut dyn Source,
    ) -> Result<Option<Datum>, ModelError> {
        self.with_prior(site.0, |prior| source.draw(prior))
    }

    /// The log-probability that a site has a value, given the present values of its parents.
    pub fn log_prior(&self, site: super::Site, value: &Datum) -> Result<Option<f64>, ModelError> {
        self.with_prior(site.0, |prior| prior.log_prob(value))
    }
}
