//! Functions of the elements of the counterfactual world.

use std::any::Any;
use std::sync::{Arc, Weak};

use super::twin_world::TwinWorld;
use crate::element::node::{AnyElement, Kind, ParentList};
use crate::element::operations::{ApplyOp, ChainOp};
use crate::error::Fault;
use crate::value::datum::Datum;
use crate::value::support::{AnyColumn, SupportBuilder};

pub(super) struct FixedValue {
    of: AnyElement,
    value: Datum,
}

impl FixedValue {
    /// Builds the element that replaces the element `of` in the counterfactual world and always has the value `value`.
    pub(super) fn element(of: &AnyElement, value: Datum) -> AnyElement {
        let of = of.clone();
        let value = Self {
            of: of.clone(),
            value,
        };
        of.with_kind(Kind::Apply(ParentList::new(), Arc::new(value)))
    }
}

impl ApplyOp for FixedValue {
    fn call(&self, _: &[&dyn Any]) -> Result<Datum, Fault> {
        Ok(self.value.clone())
    }

    fn intern(&self, _: &[&dyn Any], values: &mut SupportBuilder) -> Result<usize, Fault> {
        interned(self.value.as_any(), values)
    }

    fn call_many(&self, _: &[&dyn AnyColumn], count: usize) -> Result<Box<dyn AnyColumn>, Fault> {
        let mut values = self.of.no_values();
        interned(self.value.as_any(), &mut values)?;
        Ok(values.decode(&vec![0; count]))
    }
}

fn interned(value: &dyn Any, values: &mut SupportBuilder) -> Result<usize, Fault> {
    values
        .insert(value)
        .ok_or_else(|| Fault::Row("a value of another type was set".into()))
}

/// The function of the twin of a `Chain`: maps the values of the twin's parents to the twin of the element that the `Chain` returns.
pub(super) struct TwinChain {
    chain: AnyElement,
    world: Weak<TwinWorld>,
}

impl TwinChain {
    pub(super) fn new(chain: &AnyElement, world: Weak<TwinWorld>) -> Result<Self, Fault> {
        match chain.kind() {
            Kind::Chain(_, op) if op.memory().is_some() => Ok(Self {
                chain: chain.clone(),
                world,
            }),
            _ => Err(Fault::Row(
                "its results cannot be shared by two worlds".into(),
            )),
        }
    }
}

impl ChainOp for TwinChain {
    fn call(&self, arguments: &[&dyn Any]) -> Result<AnyElement, Fault> {
        let (Kind::Chain(_, op), Some(world)) = (self.chain.kind(), self.world.upgrade()) else {
            let ended = "its counterfactual no longer exists; keep the counterfactual as long as its targets are in use";
            return Err(Fault::Row(ended.into()));
        };
        let result = op.call(arguments)?;
        world.check()?;
        TwinWorld::twin(&world, &result)
    }
}

/// The counterfactual twin of a row of a conditional table, or of a member of a family of distributions. The parents of the twin of a row are the
/// parents of the original, their twins, and the original itself. If the parents and their twins have the same values, the twin of a row equals the
/// original; otherwise the twin is drawn independently of the original.
pub(super) struct TwinRow(pub(super) AnyElement);

impl ChainOp for TwinRow {
    fn call(&self, arguments: &[&dyn Any]) -> Result<AnyElement, Fault> {
        let parents = self.0.parents();
        let (own, rest) = arguments.split_at(parents.len());
        let (twins, row) = rest.split_at(parents.len());
        let mut is_same = true;
        for (parent, (own, twin)) in parents.iter().zip(own.iter().zip(twins)) {
            let mut values = parent.no_values();
            is_same &= values.insert(*own) == values.insert(*twin);
        }
        let fixed = |of: &AnyElement, value: &dyn Any| {
            let mut values = of.no_values();
            interned(value, &mut values)?;
            Ok(FixedValue::element(of, values.datum(0)))
        };
        if is_same {
            return fixed(&self.0, row[0]);
        }
        match self.0.kind() {
            Kind::Chain(_, op) => op.call(twins),
            Kind::Table(_, op) => {
                let values = parents.iter().zip(twins);
                let values = values.map(|(parent, value)| fixed(parent, *value));
                let parents = values.collect::<Result<_, Fault>>()?;
                Ok(self.0.with_kind(Kind::Table(parents, op.clone())))
            }
            _ => unreachable!("only rows of tables and members of families have such twins"),
        }
    }
}
