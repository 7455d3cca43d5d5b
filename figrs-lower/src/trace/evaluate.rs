//! Computes the value of a node of a trace (a world that a Markov chain changes), given the values of its inputs.

use std::any::Any;

use super::node::NodeRole;
use super::register::ValueRegister;
use super::state::{Site, Trace};
use crate::Chooser;
use figrs_core::element::node::{AnyElement, Kind};
use figrs_core::element::step::{Choice, with_arguments, with_list};
use figrs_core::error::ModelError;
use figrs_core::value::datum::{Datum, Plain};

impl Trace {
    /// Calls the function `read` with the values of a node's parents, if all parents have a value. The argument `value` is a function that returns
    /// one of the stored values of a parent, such as the [`present`](Self::present) value.
    #[inline]
    pub(super) fn arguments<'a, R>(
        &'a self,
        number: u32,
        value: impl Fn(&'a Self, u32) -> &'a ValueRegister,
        read: impl FnOnce(&[&dyn Any]) -> R,
    ) -> Option<R> {
        let value = |to: u32| value(self, to);
        match &*self.nodes[number as usize].parents {
            [] => Some(read(&[])),
            &[only] => {
                let only = value(only);
                let plain = only.plain();
                Some(read(&[only.any(&plain)?]))
            }
            &[first, second] => {
                let (first, second) = (value(first), value(second));
                let (one, other) = (first.plain(), second.plain());
                Some(read(&[first.any(&one)?, second.any(&other)?]))
            }
            parents => {
                if parents.iter().any(|&parent| value(parent).is_empty()) {
                    return None;
                }
                let plain = parents.iter().map(|&parent| value(parent).plain());
                Some(with_list(Plain::Bool(false), plain, |plain| {
                    let values = parents.iter().zip(plain);
                    let any = |(&parent, plain)| value(parent).any(plain).unwrap_or(&());
                    with_arguments(values.map(any), read)
                }))
            }
        }
    }

    /// Calls the function `read` with the values of a node's parents, as [`arguments`](Self::arguments) does, if they are few and all are `f64`
    /// numbers.
    #[inline]
    fn numbers<'a, R>(
        &'a self,
        number: u32,
        value: impl Fn(&'a Self, u32) -> &'a ValueRegister,
        read: impl FnOnce(&[f64]) -> R,
    ) -> Option<R> {
        const MAX_ARGUMENTS: usize = 4;
        let parents = &*self.nodes[number as usize].parents;
        let mut numbers = [0.0; MAX_ARGUMENTS];
        for (number, &parent) in numbers.get_mut(..parents.len())?.iter_mut().zip(parents) {
            *number = value(self, parent).number()?;
        }
        Some(read(&numbers[..parents.len()]))
    }

    /// Evaluates a node that is a deterministic function (`Apply`) or a `Score`.
    pub(super) fn compute(&mut self, number: u32) {
        let node = &self.nodes[number as usize];
        match node.element.kind() {
            Kind::Apply(_, op) => {
                match self.arguments(number, Self::present, |arguments| op.call(arguments)) {
                    Some(Ok(value)) => {
                        return self.set_computed(number, &ValueRegister::from(Some(&value)));
                    }
                    Some(Err(fault)) => self.faults.push((number, node.element.fault(fault))),
                    None => {}
                }
            }
            Kind::Score(..) => {
                if let Some(parent) = node.inputs.first().map(|parent| parent.to) {
                    return self.copy_input(number, parent);
                }
            }
            Kind::Atomic(_) | Kind::Chain(..) | Kind::Table(..) => {}
        }
        self.set_computed(number, &ValueRegister::default());
    }

    /// Sets the value of a node that is not a random choice to the value of one of its inputs.
    #[inline]
    pub(super) fn copy_input(&mut self, number: u32, input: u32) {
        let mut value = ValueRegister::default();
        value.copy(&self.nodes[input as usize].value);
        self.set_computed(number, &value);
    }

    /// Sets the computed value of a node that is not a random choice; the node has no value if the computation failed.
    #[inline]
    pub(super) fn set_computed(&mut self, number: u32, computed: &ValueRegister) {
        self.save_state(number, true);
        let node = &mut self.nodes[number as usize];
        node.log = 0.0;
        if let Some(demand) = &node.demand
            && !computed.is_empty()
        {
            if !computed.holds(demand) {
                node.log = f64::NEG_INFINITY;
            }
            let value = ValueRegister::from(Some(demand));
            return self.assign(number, &value);
        }
        self.assign(number, computed);
    }

    /// Sets the value of a node, and recomputes the weight of the evidence on the node if the value has changed.
    fn assign(&mut self, number: u32, value: &ValueRegister) {
        let node = &mut self.nodes[number as usize];
        let same = node.value == *value;
        let anew = !same || node.must_evaluate;
        (node.stale, node.must_evaluate) = (false, false);
        if !same {
            node.changed = self.epoch;
            if !std::mem::replace(&mut node.old.replaced, true) {
                node.old.value.take(&mut node.value);
            }
            node.value.copy(value);
        }
        if anew && node.weighs {
            self.weigh_evidence(number);
        }
        if !same {
            self.queue_readers(number);
        }
    }

    fn weigh_evidence(&mut self, number: u32) {
        let mut fault = None;
        let weight = self.weight(number, &self.nodes[number as usize].value, &mut fault);
        self.nodes[number as usize].weight = weight;
        self.faults.extend(fault.map(|error| (number, error)));
    }

    /// Returns the log-weight that the evidence on a node gives to its value, if the node has a value; `fault` receives the first error of an
    /// evidence function.
    pub(super) fn weight(
        &self,
        number: u32,
        value: &ValueRegister,
        fault: &mut Option<ModelError>,
    ) -> f64 {
        let node = &self.nodes[number as usize];
        let plain = value.plain();
        let Some(value) = value.any(&plain) else {
            return 0.0;
        };
        let score = match node.element.kind() {
            Kind::Score(_, evidence) if node.role == NodeRole::Score => Some(&**evidence),
            _ => None,
        };
        let mut sum = 0.0;
        for evidence in node.evidence.iter().chain(score) {
            match evidence.weight(&node.element, value) {
                Ok((_, log)) => sum += log,
                Err(error) => *fault = fault.take().or(Some(error)),
            }
        }
        sum
    }

    /// Calls the function `read` with a random choice, whose parents must be up to date; returns `None` if a parent has no value.
    pub(super) fn with_choice<R>(
        &self,
        number: u32,
        read: impl FnOnce(&AnyElement, Choice<'_>) -> Result<R, ModelError>,
    ) -> Result<Option<R>, ModelError> {
        let node = &self.nodes[number as usize];
        let done = self.arguments(number, Self::present, |arguments| {
            if !node.checked {
                node.element.check_parameters()?;
            }
            let choice = node.element.choice(arguments)?;
            choice.map(|choice| read(&node.element, choice)).transpose()
        });
        done.unwrap_or(Ok(None))
    }

    /// Returns the log-probability of `value` for a random choice; `None` if `value` is empty, or if an argument is missing or invalid. The argument
    /// `parent` is a function that returns one of the stored values of a parent.
    #[inline]
    pub(super) fn weigh<'a>(
        &'a self,
        number: u32,
        value: &ValueRegister,
        parent: impl Fn(&'a Self, u32) -> &'a ValueRegister,
    ) -> Option<f64> {
        let node = &self.nodes[number as usize];
        let plain = value.plain();
        let any = value.any(&plain)?;
        match node.element.kind() {
            Kind::Atomic(op) if node.checked => op.log_prob(any).ok(),
            Kind::Chain(_, op) => {
                let family = op.family()?;
                let any = node.summary_of(value).unwrap_or(any);
                self.numbers(number, parent, |numbers| {
                    family.log_prob_for_numbers(numbers, any)
                })?
            }
            Kind::Table(_, op) if node.checked => {
                let row = |arguments: &[&dyn Any]| op.row(arguments).ok();
                let row = self.arguments(number, parent, row)??;
                Choice::Row(op.values(), row).log_prob(any).ok()
            }
            _ => None,
        }
    }

    /// Recomputes the log-probability of a random choice that keeps its value; returns `false` if the log-probability does not exist.
    pub(super) fn reweigh(&mut self, number: u32) -> bool {
        let Some(log) = self.weigh(number, &self.nodes[number as usize].value, Self::present)
        else {
            return false;
        };
        self.save_state(number, true);
        let node = &mut self.nodes[number as usize];
        (node.log, node.stale) = (log, false);
        true
    }

    /// Returns the log-probability of the value `own` of a random choice, given the present values of its parents.
    #[inline]
    pub(super) fn weigh_value(&self, number: u32, own: &ValueRegister) -> Option<f64> {
        let truth = own.truth().map(usize::from);
        let known = truth.map(|truth| self.nodes[number as usize].log_probs[truth]);
        let known = known.filter(|log| !log.is_nan());
        known.or_else(|| self.weigh(number, own, Self::present))
    }

    /// Sets a random choice that no observation determines to the proposed value; returns `false` without a change if the choice cannot have this
    /// value.
    pub(super) fn weigh_proposed(&mut self, number: u32, chooser: &mut dyn Chooser) -> bool {
        let mut own = ValueRegister::default();
        own.copy(self.proposed_values.get(0));
        let Some(log) = self.weigh_value(number, &own) else {
            self.nodes[number as usize].must_evaluate = true;
            self.weigh_choice(number, chooser);
            return true;
        };
        if log == f64::NEG_INFINITY {
            return false;
        }
        let node = &mut self.nodes[number as usize];
        node.weighed_as(log, &own);
        self.assign(number, &own);
        true
    }

    /// Sets the value of a random choice, and the log-probability of this value.
    pub(super) fn weigh_choice(&mut self, number: u32, chooser: &mut dyn Chooser) {
        if !self.nodes[number as usize].must_evaluate && self.reweigh(number) {
            return;
        }
        self.save_state(number, true);
        let node = &self.nodes[number as usize];
        let mut own = ValueRegister::default();
        if let Some(demand) = &node.demand {
            own.set(demand);
        } else if let Some(known) = node.old.proposed.checked_sub(1) {
            own.copy(self.proposed_values.get(known as usize));
        } else if node.old.free && node.old.replaced {
            own.copy(&node.old.value);
        } else if node.old.free {
            own.copy(&node.value);
        }
        if let Some(log) = self.weigh_value(number, &own) {
            self.nodes[number as usize].weighed_as(log, &own);
            self.assign(number, &own);
            return;
        }
        let weighed = self.with_choice(number, |element, choice| {
            let (value, drawn) = match own.datum() {
                Some(value) => (value, false),
                None => (chooser.choose(element, choice)?, true),
            };
            let log = choice.log_prob(value.as_any());
            let log = log.map_err(|fault| element.fault(fault))?;
            Ok((log, value, drawn))
        });
        own.clear();
        match weighed {
            Ok(Some((log, value, drawn))) => {
                own.set(&value);
                let node = &mut self.nodes[number as usize];
                node.checked = true;
                node.weighed_as(log, &own);
                if drawn {
                    self.save_choice(number, &value);
                }
            }
            Ok(None) => {}
            Err(error) => self.faults.push((number, error)),
        }
        self.assign(number, &own);
    }

    /// Draws a value for a random choice from its prior, given the present values of its parents.
    ///
    /// **Errors.** [`ModelError::InvalidParameter`] if a parameter is invalid; [`ModelError::Function`] if a function fails.
    pub fn draw(&self, site: Site, chooser: &mut dyn Chooser) -> Result<Option<Datum>, ModelError> {
        self.with_choice(site.0, |element, choice| chooser.choose(element, choice))
    }

    /// Returns the log-probability of `value` for a random choice, given the present values of its parents.
    ///
    /// **Errors.** The same errors as those of [`draw`](Self::draw).
    pub fn log_prior(&self, site: Site, value: &Datum) -> Result<Option<f64>, ModelError> {
        self.with_choice(site.0, |element, choice| {
            let log = choice.log_prob(value.as_any());
            log.map_err(|fault| element.fault(fault))
        })
    }
}
