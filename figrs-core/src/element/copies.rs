//! Copies of `Chain` elements and tables: new elements with the same function and the same parents.

use std::any::Any;
use std::panic::Location;

use super::apply::FunctionId;
use super::node::{AnyElement, Kind};
use super::operations::ChainOp;
use crate::counterfactual::branch_memory::BranchMemory;
use crate::element::Element;
use crate::error::Fault;
use crate::value::Value;

/// Creates a new element with the function and the parents of `of`, which is a `Chain` or a table. If `of` is neither a `Chain` nor a table, the
/// result is a `Chain` that returns `of` itself.
pub(super) fn copied<T: Value>(
    of: &AnyElement,
    location: &'static Location<'static>,
) -> Element<T> {
    let kind = if let Kind::Table(parents, op) = of.kind() {
        Kind::Table(parents.clone(), op.clone())
    } else {
        let copy = CopiedFunction(of.clone(), BranchMemory::default());
        Kind::Chain(of.parents().into(), Box::new(copy))
    };
    Element::from_kind("Iid", location, kind)
}

struct CopiedFunction(AnyElement, BranchMemory);

impl ChainOp for CopiedFunction {
    fn call(&self, arguments: &[&dyn Any]) -> Result<AnyElement, Fault> {
        self.1.result(arguments, || self.call_anew(arguments))
    }

    fn memory(&self) -> Option<&BranchMemory> {
        Some(&self.1)
    }

    fn call_anew(&self, arguments: &[&dyn Any]) -> Result<AnyElement, Fault> {
        match self.0.kind() {
            Kind::Chain(_, op) => op.call_anew(arguments),
            _ => Ok(self.0.clone()),
        }
    }

    fn identity(&self) -> Option<FunctionId> {
        match self.0.kind() {
            Kind::Chain(_, op) if !self.1.is_active() => op.identity(),
            _ => None,
        }
    }
}
