//! Numbers that may change between queries without rebuilding the model, and numeric arguments of elements.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Element;
use super::label::printable;

/// A named number that an element uses in place of a constant, and that may change without rebuilding the model.
///
/// All clones of a `Param` share one number. An outcome whose weight is a `Param` stays in the model even if the `Param` is zero.
///
/// ```
/// # use figrs_core::{Flip, Param};
/// let rain_rate = Param::new("rain rate", 0.2);
/// let rain = Flip::new(&rain_rate);
/// rain_rate.set(0.6); // `rain` is now more likely
/// # drop(rain);
/// ```
///
/// A `Param` can be saved and loaded with serde, as its name and value. A loaded `Param` is independent of the saved one.
#[derive(Clone)]
pub struct Param(Arc<(String, AtomicU64)>);

impl Param {
    /// Creates a `Param` with the initial value `value`; messages use the name `name`.
    pub fn new(name: impl Into<String>, value: f64) -> Self {
        Self(Arc::new((name.into(), AtomicU64::new(value.to_bits()))))
    }

    /// Returns the name of the `Param`.
    pub fn name(&self) -> &str {
        &self.0.0
    }

    /// Returns the present value of the `Param`.
    pub fn get(&self) -> f64 {
        f64::from_bits(self.0.1.load(Ordering::Relaxed))
    }

    fn is_same_as(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Returns an identity of the `Param` that is unique among the living `Param`s.
    pub fn id(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }

    /// Changes the value of the `Param` for all elements that use it. An inference run in progress may use either the old or the new value.
    pub fn set(&self, value: f64) {
        self.0.1.store(value.to_bits(), Ordering::Relaxed);
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename = "Param")]
struct SavedParam {
    name: String,
    value: f64,
}

impl Serialize for Param {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let name = self.name().to_string();
        let value = self.get();
        SavedParam { name, value }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Param {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        SavedParam::deserialize(deserializer).map(|saved| Self::new(saved.name, saved.value))
    }
}

impl fmt::Debug for Param {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", printable(self.name()), self.get())
    }
}

/// A number in a model: a constant or a [`Param`].
#[derive(Clone)]
pub enum Number {
    /// The number in the model is a constant.
    Constant(f64),
    /// The number is a `Param`, whose value is read at each run.
    Param(Param),
}

impl Number {
    pub(crate) fn is_same_as(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Constant(a), Self::Constant(b)) => a.to_bits() == b.to_bits(),
            (Self::Param(a), Self::Param(b)) => a.is_same_as(b),
            _ => false,
        }
    }

    /// Returns the present value of the constant or the `Param`.
    pub fn get(&self) -> f64 {
        match self {
            Self::Constant(x) => *x,
            Self::Param(param) => param.get(),
        }
    }

    /// True if the number is the constant zero; false for a `Param`, even if its present value is zero.
    pub fn is_structural_zero(&self) -> bool {
        matches!(self, Self::Constant(0.0))
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant(x) => x.fmt(f),
            Self::Param(param) => param.fmt(f),
        }
    }
}

impl From<f64> for Number {
    fn from(x: f64) -> Self {
        Self::Constant(x)
    }
}

impl From<&Param> for Number {
    fn from(param: &Param) -> Self {
        Self::Param(param.clone())
    }
}

/// A numeric argument of an element: a constant, a [`Param`], or an element.
#[derive(Clone, Debug)]
pub enum Operand {
    /// The numeric argument is a constant or a [`Param`].
    Number(Number),
    /// The numeric argument is the value of another element.
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
