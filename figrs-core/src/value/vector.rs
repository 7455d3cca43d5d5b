//! List arguments of constructors of elements.

use crate::element::param::Operand;
use crate::element::{Element, Parameter};

/// List argument of an element's constructor: a list whose entries are numbers, [`Param`](crate::Param)s or
/// elements, or a single element whose value is a list.
#[derive(Clone, Debug)]
pub struct Vector(Vec<Parameter>);

impl Vector {
    pub(crate) fn parameters(self) -> Vec<Parameter> {
        self.0
    }
}

impl<O: Into<Operand>> From<Vec<O>> for Vector {
    fn from(entries: Vec<O>) -> Self {
        let entries = entries.into_iter().map(|x| Parameter::One(x.into()));
        Self(entries.collect())
    }
}

impl<O: Into<Operand>, const N: usize> From<[O; N]> for Vector {
    fn from(entries: [O; N]) -> Self {
        let entries = entries.into_iter().map(|x| Parameter::One(x.into()));
        Self(entries.collect())
    }
}

impl From<Element<Vec<f64>>> for Vector {
    fn from(element: Element<Vec<f64>>) -> Self {
        Self(vec![Parameter::List(element)])
    }
}

impl From<&Element<Vec<f64>>> for Vector {
    fn from(element: &Element<Vec<f64>>) -> Self {
        element.clone().into()
    }
}
