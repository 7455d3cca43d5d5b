//! Parameters with the values that they had at one time.

use rustc_hash::FxHashSet;

use super::node::AnyElement;
use super::param::{Number, Param};
use crate::model::Model;

/// The parameters on which answers depend, each with its value at one time.
#[derive(Clone, Debug, Default)]
pub struct ParameterValues(Vec<(Param, f64)>);

impl ParameterValues {
    /// Returns the present values of the parameters of the distributions on which the targets and the evidence of a model depend.
    ///
    /// The elements that the functions of `Chain` elements create are not searched.
    pub fn of_model(model: &Model, targets: &[AnyElement]) -> Self {
        let statements = model.evidence().iter().map(|(element, _)| element);
        let policies = model.policies().iter().map(|(_, policy)| policy);
        let mut open: Vec<&AnyElement> = targets.iter().chain(statements).chain(policies).collect();
        let mut elements: FxHashSet<_> = open.iter().map(|element| element.id()).collect();
        let mut values = Values::default();
        while let Some(element) = open.pop() {
            values.add_numbers_of(element);
            if let Some(family) = element.kind().family() {
                values.add(family.fixed_numbers());
            }
            let parents = element.parents().iter();
            open.extend(parents.filter(|parent| elements.insert(parent.id())));
        }
        values.found
    }

    /// Returns the present values of the parameters of the distributions of `elements`.
    pub fn of<'e>(elements: impl Iterator<Item = &'e AnyElement>) -> Self {
        let mut values = Values::default();
        elements.for_each(|element| values.add_numbers_of(element));
        values.found
    }

    /// Returns the first parameter whose value has changed since these values were read; `None` if there is none.
    pub fn changed(&self) -> Option<&Param> {
        let mut parameters = self.0.iter();
        let changed = parameters.find(|(param, value)| param.get().to_bits() != value.to_bits());
        changed.map(|(param, _)| param)
    }
}

/// Values that are being collected: each parameter counts once.
#[derive(Default)]
struct Values {
    found: ParameterValues,
    seen: FxHashSet<usize>,
}

impl Values {
    fn add_numbers_of(&mut self, element: &AnyElement) {
        if let Some(op) = element.kind().atomic() {
            self.add(op.numbers());
        }
    }

    fn add<'n>(&mut self, numbers: impl IntoIterator<Item = &'n Number>) {
        for number in numbers {
            if let Number::Param(param) = number
                && self.seen.insert(param.id())
            {
                self.found.0.push((param.clone(), param.get()));
            }
        }
    }
}
