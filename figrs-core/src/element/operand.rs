//! Numeric arguments of elements.

use super::Element;
use super::param::{Number, Param};

/// A numeric argument of an element: a constant, a [`Param`], or an element.
#[derive(Clone, Debug)]
pub enum Operand {
    /// The argument is a constant or a [`Param`].
    Number(Number),
    /// The argument is the value of another element.
    Element(Element<f64>),
}

impl From<f64> for Operand {
    fn from(x: f64) -> Self {
        Self::Number(Number::Constant(x))
    }
}

impl From<Param> for Operand {
    fn from(param: Param) -> Self {
        Self::Number(Number::Param(param))
    }
}

impl From<&Param> for Operand {
    fn from(param: &Param) -> Self {
        param.clone().into()
    }
}

impl From<Element<f64>> for Operand {
    fn from(element: Element<f64>) -> Self {
        Self::Element(element)
    }
}

impl From<&Element<f64>> for Operand {
    fn from(element: &Element<f64>) -> Self {
        Self::Element(element.clone())
    }
}
