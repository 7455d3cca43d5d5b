//! Numeric arguments of elements.

use super::Element;
use super::param::{Number, Param};

/// Numeric argument of an element: a constant, a [`Param`], or an element.
#[derive(Clone, Debug)]
pub enum Operand {
    /// A constant or a parameter.
    Number(Number),
    /// Another element's value.
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
