//! Elements whose distribution is a member of a [`Family`].

use std::iter;
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::Arc;

use super::distribution::Family;
use super::family_member::{FamilyHandle, FamilyMember, OwnFamily};
use super::node::{AnyElement, Kind};
use super::open_family::{OpenFamily, ParameterSource};
use super::operand::Operand;
use crate::element::{Atomic, Element, atomic_at};
use crate::value::Value;

impl Atomic {
    /// Creates an element of `family` with the parameters `parameters`; each parameter is a number, a [`Param`](crate::Param), or an element.
    ///
    /// All entries of the list of parameters must have the same type. If some entries of the list are numbers and others are elements,
    /// convert each entry to an
    /// [`Operand`]:
    ///
    /// ```
    /// # use figrs_core::rand::{Rng, RngExt};
    /// # use figrs_core::{Atomic, Beta, Family, Number, Operand, Outcomes, WrongParameter};
    /// # #[derive(Debug)]
    /// # struct Triangle;
    /// # impl Family<f64> for Triangle {
    /// #     fn parameters(&self) -> &'static [&'static str] { &["lower", "upper"] }
    /// #     fn check(&self, _: &[f64]) -> Result<(), WrongParameter> { Ok(()) }
    /// #     fn outcomes(&self, _: &[Number]) -> Outcomes<f64> { Outcomes::Continuous }
    /// #     fn log_prob(&self, _: &[f64], _: &f64) -> f64 { 0.0 }
    /// #     fn sample<R: Rng + ?Sized>(&self, _: &[f64], rng: &mut R) -> f64 { rng.random() }
    /// # }
    /// let upper = Beta::new(2.0, 3.0);
    /// let triangle = Atomic::family(Triangle, [Operand::from(0.0), Operand::from(&upper)]);
    /// # drop(triangle);
    /// ```
    #[track_caller]
    pub fn family<T: Value>(
        family: impl Family<T>,
        parameters: impl IntoIterator<Item = impl Into<Operand>>,
    ) -> Element<T> {
        let parameters = parameters
            .into_iter()
            .map(|parameter| Parameter::One(parameter.into()));
        member_of("Atomic", Location::caller(), Arc::new(family), parameters)
    }
}

/// Creates the member of `family` with the parameters `parameters`, one for each parameter name.
///
/// The created element is atomic if all parameters are numbers; otherwise it is a Chain whose parents are the elements among the parameters.
pub(crate) fn family_at<T: Value, F: Family<T> + Clone>(
    constructor: &'static str,
    location: &'static Location<'static>,
    family: F,
    parameters: Vec<Operand>,
) -> Element<T> {
    family_of(
        constructor,
        location,
        family,
        parameters.into_iter().map(Parameter::One),
    )
}

/// Defines a function like [`family_at`] for one type of family.
///
/// A constructor is generic in its parameters, and is therefore compiled in the crate that calls it. Code that depends only on the
/// family is compiled once, in this crate.
macro_rules! compiled_family {
    ($value:ty, $constructor:literal, $type:ty, $family:expr, $parameters:expr) => {{
        fn member(
            location: &'static std::panic::Location<'static>,
            family: $type,
            parameters: Vec<$crate::element::operand::Operand>,
        ) -> $crate::element::Element<$value> {
            $crate::element::family_at($constructor, location, family, parameters)
        }
        member(Location::caller(), $family, $parameters)
    }};
}
pub(crate) use compiled_family;

/// A parameter of a family, or one element whose value is a list of parameters.
#[derive(Clone, Debug)]
pub(crate) enum Parameter {
    One(Operand),
    List(Element<Vec<f64>>),
}

pub(crate) fn family_of<T: Value, F: Family<T> + Clone>(
    constructor: &'static str,
    location: &'static Location<'static>,
    family: F,
    parameters: impl IntoIterator<Item = Parameter>,
) -> Element<T> {
    member_of(constructor, location, OwnFamily(family), parameters)
}

fn member_of<T: Value, F: Family<T>>(
    constructor: &'static str,
    location: &'static Location<'static>,
    family: impl FamilyHandle<Family = F>,
    parameters: impl IntoIterator<Item = Parameter>,
) -> Element<T> {
    let mut parameters = parameters.into_iter();
    let mut numbers = Vec::with_capacity(parameters.size_hint().0);
    let first = loop {
        match parameters.next() {
            Some(Parameter::One(Operand::Number(number))) => numbers.push(number),
            Some(parent) => break parent,
            None => {
                let member = FamilyMember::new(family, numbers);
                return atomic_at(constructor, location, member);
            }
        }
    };
    let mut parents: Vec<AnyElement> = Vec::new();
    let mut sources: Vec<ParameterSource> =
        numbers.into_iter().map(ParameterSource::Number).collect();
    for parameter in iter::once(first).chain(parameters) {
        let parent = match parameter {
            Parameter::One(Operand::Number(number)) => {
                sources.push(ParameterSource::Number(number));
                continue;
            }
            Parameter::One(Operand::Element(element)) => element.erased().clone(),
            Parameter::List(element) => element.erased().clone(),
        };
        sources.push(ParameterSource::Parent(parents.len()));
        parents.push(parent);
    }
    let op = OpenFamily {
        constructor,
        location,
        family: family.into_shared(),
        sources,
        values: PhantomData,
    };
    Element::from_kind(constructor, location, Kind::Chain(parents, Box::new(op)))
}
