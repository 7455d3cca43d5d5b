//! Evaluation of elements for given codes of the values that they read: values of functions, and outcomes of random choices.

use std::any::Any;
use std::ops::Range;

use figrs_core::internals::Kind;
use figrs_core::{AnyElement, ModelError};
use figrs_factor::graph::WorldWeight;

use super::branch;
use super::branch::{ChoiceOutcomes, outcomes_given};
use super::coded_elements::{CodedElements, WeightedValue};
use super::dictionary::{ValueDictionaries, WeightDictionary};
use super::element_order::OrderedElement;
use super::explore::ExplorationError;

impl CodedElements {
    /// Returns the value of an element that is not a random choice; `None` if evidence excludes the value.
    pub(super) fn value(
        &mut self,
        place: usize,
        reads: &[u32],
    ) -> Result<Option<WeightedValue>, ExplorationError> {
        let class = self.classes.of[place];
        if let Some(known) = self.values[class].get(reads) {
            return Ok(known);
        }
        let slot = &self.linear.slots[place];
        let of = self.types[place];
        let mut scored = WeightDictionary::ONE;
        let code = match (&slot.fixed, slot.element.kind()) {
            (Some(value), _) => number(&mut self.codes, of, value.as_any()),
            (None, Kind::Apply(parents, op)) => {
                let arguments = self.arguments(slot, parents.len(), reads);
                let value = op.call(&arguments);
                let value = value.map_err(|fault| slot.element.fault(fault))?;
                number(&mut self.codes, of, value.as_any())
            }
            (None, Kind::Score(_, evidence)) => {
                let value = self.arguments(slot, 1, reads)[0];
                let (linear, log) = evidence.weight(&slot.element, value)?;
                let weight = WorldWeight { linear, log };
                if weight.is_zero() {
                    self.remember_value(class, reads, None);
                    return Ok(None);
                }
                scored = self.weighing.number(weight);
                reads[0]
            }
            (None, _) => unreachable!("a random choice has outcomes"),
        };
        let weight = weigh(&self.codes, &mut self.weighing, slot, of, code)?;
        let outcome = weight.map(|weight| (code, self.weighing.product(scored, weight)));
        self.remember_value(class, reads, outcome);
        Ok(outcome)
    }

    /// Returns the outcomes of a random choice, as a range of indices in the list of all outcomes.
    pub(super) fn row(
        &mut self,
        place: usize,
        reads: &[u32],
    ) -> Result<Range<usize>, ExplorationError> {
        let class = self.classes.of[place];
        if let Some(known) = self.rows[class].get(reads) {
            return Ok(known);
        }
        let slot = &self.linear.slots[place];
        let found = self.choice(slot, place, reads)?;
        self.merged |= found.merged;
        if let Some(owned) = found.owned {
            self.owners.insert(owned.id(), (owned, place));
        }
        if let Some(density) = found.density {
            let before = self.densities.insert(class, density);
            if before.is_some_and(|before| before != density) {
                return Err(mixed(slot).into());
            }
        }
        let of = self.types[place];
        let start = self.outcomes.len();
        for (value, weight) in found.outcomes {
            if weight.is_zero() {
                continue;
            }
            let code = number(&mut self.codes, of, value.as_any());
            if let Some(evidence) = weigh(&self.codes, &mut self.weighing, slot, of, code)? {
                let weight = self.weighing.number(weight);
                let weight = self.weighing.product(weight, evidence);
                self.outcomes.push((code, weight));
            }
        }
        let row = start..self.outcomes.len();
        self.reserved = self.reserved.max(2 * row.len());
        let grown = self.rows[class].insert(reads, row.clone(), self.reserved);
        self.remembered = self.remembered.saturating_add_signed(grown);
        Ok(row)
    }

    /// Returns the outcomes of a random choice, before evidence on it is applied.
    fn choice(
        &self,
        slot: &OrderedElement,
        place: usize,
        reads: &[u32],
    ) -> Result<ChoiceOutcomes, ExplorationError> {
        let element = &slot.element;
        let parents = element.parents().len();
        let arguments = self.arguments(slot, parents, reads);
        let op = match element.kind() {
            Kind::Chain(_, op) if op.family().is_none() => op,
            _ => {
                let outcomes = outcomes_given(element, &arguments, slot.observed())?;
                return Ok(ChoiceOutcomes::as_separate_worlds(outcomes));
            }
        };
        let others = slot.reads[parents..].iter();
        let mut captured = Vec::new();
        for (&place, &code) in others.zip(&reads[parents..]) {
            let element = self.linear.slots[place].element.clone();
            let value = self.codes.values[self.types[place]].datum(code as usize);
            captured.push((element, value));
        }
        let call = || op.call(&arguments).map_err(|fault| element.fault(fault));
        let interventions = &self.linear.interventions;
        let may_own = |element: &AnyElement| self.may_own(place, element);
        let limits = (&may_own as &dyn Fn(&AnyElement) -> bool, self.memory);
        branch::outcomes(slot, interventions, &captured, limits, &call)
    }

    /// Returns the values of the parents of an element; `reads` contains the codes of these values.
    fn arguments(&self, slot: &OrderedElement, parents: usize, reads: &[u32]) -> Vec<&dyn Any> {
        let places = slot.reads[..parents].iter();
        let value = |(&place, &code): (&usize, &u32)| {
            self.codes.values[self.types[place]].any(code as usize)
        };
        places.zip(reads).map(value).collect()
    }
}

fn number(codes: &mut ValueDictionaries, of: usize, value: &dyn Any) -> u32 {
    let number = codes.values[of].insert(value);
    number.expect("values are numbered by their type") as u32
}

/// Returns the index of the weight that the evidence on an element gives to the value `code`; `None` if the evidence excludes the value.
fn weigh(
    codes: &ValueDictionaries,
    weighing: &mut WeightDictionary,
    slot: &OrderedElement,
    of: usize,
    code: u32,
) -> Result<Option<u32>, ExplorationError> {
    let mut total = WeightDictionary::ONE;
    for evidence in &slot.evidence {
        let value = codes.values[of].any(code as usize);
        let (linear, log) = evidence.weight(&slot.element, value)?;
        let weight = WorldWeight { linear, log };
        if weight.is_zero() {
            return Ok(None);
        }
        let number = weighing.number(weight);
        total = weighing.product(total, number);
    }
    Ok(Some(total))
}

fn mixed(slot: &OrderedElement) -> ModelError {
    let value = slot.observed().map(|value| format!("{value:?}"));
    ModelError::MixedObservation {
        element: slot.element.label(),
        value: value.unwrap_or_default(),
    }
}
