//! The value of one node, whose inputs are up to date.

use std::any::Any;

use super::Trace;
use super::node::{Prior, Role, Source};
use crate::datum::Datum;
use crate::error::{Fault, ModelError};
use crate::node::{Kind, MemberFault};

impl Trace {
    /// The values of a node's parents, if all of them have one.
    pub(super) fn arguments<R>(
        &self,
        number: u32,
        read: impl FnOnce(&[&dyn Any]) -> R,
    ) -> Option<R> {
        const MOST: usize = 8;
        let node = &self.nodes[number as usize];
        let value = |to: u32| Some(self.nodes[to as usize].value.as_ref()?.as_any());
        match &*node.parents {
            [] => Some(read(&[])),
            &[only] => Some(read(&[value(only)?])),
            &[first, second] => Some(read(&[value(first)?, value(second)?])),
            parents if parents.len() <= MOST => {
                let mut arguments: [&dyn Any; MOST] = [&(); MOST];
                for (argument, &parent) in arguments.iter_mut().zip(parents) {
                    *argument = value(parent)?;
                }
                Some(read(&arguments[..parents.len()]))
            }
            parents => {
                let arguments: Option<Vec<&dyn Any>> =
                    parents.iter().map(|&parent| value(parent)).collect();
                Some(read(&arguments?))
            }
        }
    }

    /// Evaluates an Apply or a Score.
    pub(super) fn compute(&mut self, number: u32) {
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
    pub(super) fn settle(&mut self, number: u32, computed: Option<Datum>) {
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
        (node.stale, node.must) = (false, false);
        if !same {
            node.changed = self.epoch;
            let old = std::mem::replace(&mut node.value, value);
            let snapshot = &mut self.snapshots[node.touched.1 as usize];
            if !std::mem::replace(&mut snapshot.replaced, true) {
                snapshot.value = old;
            }
            self.notify(number);
        }
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

    /// The log-probability of the value that a choice has, for other values of its parents.
    fn weigh_again(&self, number: u32, value: &Datum) -> Result<Option<f64>, ModelError> {
        let node = &self.nodes[number as usize];
        let element = &node.element;
        let Kind::Chain(_, op) = element.kind() else {
            return self.with_prior(number, |prior| prior.log_prob(value));
        };
        let Some(family) = op.family() else {
            return Ok(None);
        };
        let weighed = self.arguments(number, |arguments| {
            family.checked_log_prob(arguments, value.as_any())
        });
        weighed.transpose().map_err(|fault| match fault {
            MemberFault::Parameters(problem) => element.invalid(problem),
            MemberFault::Function(fault) => element.fault(fault),
        })
    }

    /// Weighs a choice that keeps its value; `false` if it has none, or something is wrong.
    pub(super) fn weigh_kept(&mut self, number: u32) -> bool {
        let node = &self.nodes[number as usize];
        let Some(value) = &node.value else {
            return false;
        };
        let Ok(Some(log)) = self.weigh_again(number, value) else {
            return false;
        };
        self.touch(number, true);
        let node = &mut self.nodes[number as usize];
        (node.log, node.stale) = (log, false);
        true
    }

    /// Gives a choice its value and its log-probability.
    pub(super) fn weigh_choice(&mut self, number: u32, source: &mut dyn Source) {
        if !self.nodes[number as usize].must && self.weigh_kept(number) {
            return;
        }
        let snapshot = self.touch(number, true);
        let node = &self.nodes[number as usize];
        let old = &self.snapshots[snapshot];
        let own = if node.demand.is_some() {
            node.demand.clone()
        } else if let Some(own) = old.own {
            Some(self.own[own as usize].clone())
        } else if old.free && old.replaced {
            old.value.clone()
        } else if old.free {
            node.value.clone()
        } else {
            None
        };
        let known = own.as_ref().and_then(Datum::get::<bool>);
        let known = known.map(|&truth| node.truths[usize::from(truth)]);
        if let (Some(log), Some(_)) = (known.filter(|log| !log.is_nan()), &own) {
            self.nodes[number as usize].log = log;
            self.assign(number, own);
            return;
        }
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
                if let (Role::Atomic, Some(&truth)) = (node.role, value.get::<bool>()) {
                    node.truths[usize::from(truth)] = log;
                }
                if node.demand.is_none() {
                    self.take_own(snapshot, value.clone());
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
