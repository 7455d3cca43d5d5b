//! An element whose value is the list of the values of other elements, which may have different types.

use std::any::Any;
use std::panic::Location;
use std::sync::Arc;

use super::node::{AnyElement, Kind};
use super::operations::ApplyOp;
use crate::element::Element;
use crate::error::Fault;
use crate::value::datum::Datum;
use crate::value::support::{AnyColumn, SupportBuilder};

struct ListValues {
    /// The elements whose values are listed; each element gives the type of its value.
    elements: Vec<AnyElement>,
}

impl ListValues {
    fn list(&self, arguments: &[&dyn Any]) -> Result<Vec<Datum>, Fault> {
        let values = self
            .elements
            .iter()
            .zip(arguments)
            .map(|(element, &value)| {
                let mut values = element.no_values();
                let place = values.insert(value);
                let place =
                    place.ok_or_else(|| Fault::Row("a value has another type".to_owned()))?;
                Ok(values.datum(place))
            });
        values.collect()
    }
}

impl ApplyOp for ListValues {
    fn call(&self, arguments: &[&dyn Any]) -> Result<Datum, Fault> {
        Ok(Datum::new(self.list(arguments)?))
    }

    fn intern(&self, arguments: &[&dyn Any], values: &mut SupportBuilder) -> Result<usize, Fault> {
        let place = values.insert(&self.list(arguments)?);
        place.ok_or_else(|| Fault::Row("a value has another type".to_owned()))
    }

    fn call_many(
        &self,
        arguments: &[&dyn AnyColumn],
        count: usize,
    ) -> Result<Box<dyn AnyColumn>, Fault> {
        let mut lists: Vec<Vec<Datum>> = Vec::with_capacity(count);
        for row in 0..count {
            let values: Vec<&dyn Any> = arguments.iter().map(|column| column.any(row)).collect();
            lists.push(self.list(&values)?);
        }
        Ok(Box::new(lists))
    }
}

/// Creates an element whose value is the list of the values of `elements`.
#[track_caller]
pub fn joint_values(elements: Vec<AnyElement>) -> Element<Vec<Datum>> {
    let op = ListValues {
        elements: elements.clone(),
    };
    let kind = Kind::Apply(elements.into(), Arc::new(op));
    Element::from_kind("joint_values", Location::caller(), kind)
}
