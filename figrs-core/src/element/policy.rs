//! Replacement of a decision by a policy, which is a function of the known values.

use std::any::Any;
use std::sync::Arc;

use super::node::{AnyElement, ApplyOp, Kind};
use crate::element::Element;
use crate::error::Fault;
use crate::value::column::AnyColumn;
use crate::value::datum::Datum;
use crate::value::support::{Support, SupportBuilder};

/// A policy of a decision: a function from the values of some elements to the index of an option.
pub trait ChoosePolicy: Send + Sync {
    /// Returns the index of the option that the policy chooses for the values `known`.
    ///
    /// **Errors.** `choose` fails if the policy has no choice for these values.
    fn choose(&self, known: &[&dyn Any]) -> Result<usize, Fault>;
}

/// The function of the element that has the value of the chosen option.
struct ChosenOption<P> {
    options: Support,
    policy: P,
}

impl AnyElement {
    /// Creates the element that replaces this decision: `policy` chooses among `options`, given the known values.
    #[doc(hidden)]
    #[must_use]
    pub fn chosen(
        &self,
        options: &Support,
        known: Vec<AnyElement>,
        policy: impl ChoosePolicy + 'static,
    ) -> AnyElement {
        let options = options.clone();
        let op = ChosenOption { options, policy };
        let chosen = self.with_kind(Kind::Apply(known, Arc::new(op)));
        if let Some(name) = self.label().name {
            chosen.set_name(name);
        }
        chosen
    }
}

/// A policy of a decision that chooses an option by the value of an index element.
struct OptionOfIndex {
    /// For each index, the option; an empty list stands for all options in order.
    options: Vec<u32>,
}

impl ChoosePolicy for OptionOfIndex {
    fn choose(&self, known: &[&dyn Any]) -> Result<usize, Fault> {
        let index = known
            .first()
            .and_then(|index| index.downcast_ref::<usize>());
        let index = *index.ok_or_else(|| Fault::Row("no index is known".to_owned()))?;
        Ok(self
            .options
            .get(index)
            .map_or(index, |&option| option as usize))
    }
}

impl AnyElement {
    /// Creates an element of this element's type whose value is chosen by `index`.
    ///
    /// For each value of `index`, `options` has an index in `values`; an empty list stands for equal indices.
    #[doc(hidden)]
    #[must_use]
    pub fn by_index(&self, values: &Support, options: Vec<u32>, index: &Element<usize>) -> Self {
        let known = vec![index.erased().clone()];
        self.chosen(values, known, OptionOfIndex { options })
    }
}

impl<P: ChoosePolicy> ApplyOp for ChosenOption<P> {
    fn call(&self, arguments: &[&dyn Any]) -> Result<Datum, Fault> {
        Ok(self.options.datum(self.policy.choose(arguments)?))
    }

    fn intern(&self, arguments: &[&dyn Any], values: &mut SupportBuilder) -> Result<usize, Fault> {
        let option = self.options.any(self.policy.choose(arguments)?);
        let place = values.insert(option);
        place.ok_or_else(|| Fault::Row("an option of another type was chosen".into()))
    }

    fn call_many(
        &self,
        arguments: &[&dyn AnyColumn],
        count: usize,
    ) -> Result<Box<dyn AnyColumn>, Fault> {
        let mut chosen = Vec::with_capacity(count);
        for row in 0..count {
            let values: Vec<&dyn Any> = arguments.iter().map(|column| column.any(row)).collect();
            chosen.push(self.policy.choose(&values)? as u32);
        }
        Ok(self.options.decode(&chosen))
    }
}
