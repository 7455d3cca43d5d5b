//! Replacement of a decision by a policy, which is a function of the values that are known at the decision.

use std::any::Any;
use std::sync::Arc;

use super::node::{AnyElement, Kind};
use super::operations::ApplyOp;
use super::step::with_arguments;
use crate::element::Element;
use crate::error::Fault;
use crate::value::datum::Datum;
use crate::value::support::{AnyColumn, Support, SupportBuilder};

/// A policy of a decision: a function from the values of some elements to the index of an option.
pub trait ChoosePolicy: Send + Sync {
    /// Returns the index of the option that the policy chooses if the elements on which the decision depends have the values `known`.
    ///
    /// **Errors.** `choose` fails if the policy has no choice for the values `known`.
    fn choose(&self, known: &[&dyn Any]) -> Result<usize, Fault>;
}

struct ChosenOption<P> {
    options: Support,
    policy: P,
}

impl AnyElement {
    /// Creates an element that replaces the decision `self`: the function `policy` of the values of the elements `known` chooses its value from
    /// `options`.
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
        let chosen = self.with_kind(Kind::Apply(known.into(), Arc::new(op)));
        if let Some(name) = self.label().name {
            chosen.set_name(name);
        }
        chosen
    }
}

/// A policy of a decision that reads the index of the chosen option, or a number that stands for this index, as the value of an element.
struct OptionOfIndex {
    /// For each number that the policy may read, the index of the option that the number stands for; if the list is empty, the number is itself the
    /// index.
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
    /// Creates an element with the value type of `self`, whose value is selected from `values` by the value of `index`.
    ///
    /// If `options` is empty, the value of `index` is an index in `values`; otherwise it is an index in `options`, and the entry of `options` at this
    /// index is an index in `values`.
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
        Ok(self.options.decode(&self.options_of(arguments, count)?))
    }

    fn options(&self) -> Option<&Support> {
        Some(&self.options)
    }

    fn options_of(&self, arguments: &[&dyn AnyColumn], count: usize) -> Result<Vec<u32>, Fault> {
        let option = |row| {
            let values = arguments.iter().map(|column| column.any(row));
            with_arguments(values, |values| Ok(self.policy.choose(values)? as u32))
        };
        (0..count).map(option).collect()
    }
}
