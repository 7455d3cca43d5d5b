//! The element that replaces a decision: a function of the known values.

use std::any::Any;
use std::sync::Arc;

use super::node::{AnyElement, ApplyOp, Kind};
use crate::error::Fault;
use crate::value::column::AnyColumn;
use crate::value::datum::Datum;
use crate::value::support::{Support, SupportBuilder};

/// A policy of a decision: chooses the index of an option for the values of some elements.
pub trait ChoosePolicy: Send + Sync {
    /// Returns the index of the option that is chosen for these values.
    ///
    /// **Errors.** Fails if the policy has no choice for these values.
    fn choose(&self, known: &[&dyn Any]) -> Result<usize, Fault>;
}

/// The function of an element whose value is the chosen option.
struct ChosenOption<P> {
    options: Support,
    policy: P,
}

impl AnyElement {
    /// The element that replaces this decision: a policy chooses among these options, given the known values.
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
