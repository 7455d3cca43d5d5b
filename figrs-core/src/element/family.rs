//! Elements whose distribution is a member of a [`Family`].

use std::iter;
use std::marker::PhantomData;
use std::ops::Range;
use std::panic::Location;
use std::sync::Arc;

use rand::Rng;

use super::distribution::{Distribution, Family, Outcomes, Space, Tails, WrongParameter};
use super::likelihood::{Likelihood, Term};
use super::node::{AnyElement, Kind};
use super::open_family::{OpenFamily, ParameterSource};
use super::param::{Number, Operand};
use crate::element::{Element, atomic_at};
use crate::random::Stream;
use crate::value::Value;

/// The member of a family with these parameters, one each: atomic where all are numbers, else a Chain on the elements among
/// them.
pub(crate) fn family_at<T: Value, F: Family<T>>(
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

/// A parameter, or a list of them that is one element.
#[derive(Clone, Debug)]
pub(crate) enum Parameter {
    One(Operand),
    Many(Element<Vec<f64>>),
}

/// As [`family_at`], with lists of parameters.
pub(crate) fn family_of<T: Value, F: Family<T>>(
    constructor: &'static str,
    location: &'static Location<'static>,
    family: F,
    parameters: impl IntoIterator<Item = Parameter>,
) -> Element<T> {
    let mut parameters = parameters.into_iter();
    let mut numbers = Vec::with_capacity(parameters.size_hint().0);
    let first = loop {
        match parameters.next() {
            Some(Parameter::One(Operand::Number(number))) => numbers.push(number),
            Some(parent) => break parent,
            None => {
                let member = FamilyMember::new(Arc::new(family), numbers);
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
            Parameter::Many(element) => element.erased().clone(),
        };
        sources.push(ParameterSource::Parent(parents.len()));
        parents.push(parent);
    }
    let op = OpenFamily {
        constructor,
        location,
        family: Arc::new(family),
        sources,
        values: PhantomData,
    };
    Element::from_kind(constructor, location, Kind::Chain(parents, Box::new(op)))
}

/// The member of a family with constant parameters.
pub(super) fn constant_member<F>(family: F, parameters: &[f64]) -> FamilyMember<F> {
    let parameters = parameters.iter().map(|&x| Number::Constant(x)).collect();
    FamilyMember::new(Arc::new(family), parameters)
}

/// One member of a family.
#[derive(Debug)]
pub(super) struct FamilyMember<F> {
    family: Arc<F>,
    parameters: Vec<Number>,
    /// Their values, if none can change.
    constants: Option<Vec<f64>>,
}

impl<F> FamilyMember<F> {
    pub(super) fn new(family: Arc<F>, parameters: Vec<Number>) -> Self {
        let mut constants = Some(Vec::with_capacity(parameters.len()));
        for number in &parameters {
            match (number, &mut constants) {
                (Number::Constant(x), Some(constants)) => constants.push(*x),
                _ => constants = None,
            }
        }
        Self {
            family,
            parameters,
            constants,
        }
    }

    fn with_numbers<R>(&self, read: impl FnOnce(&F, &[f64]) -> R) -> R {
        if let Some(constants) = &self.constants {
            return read(&self.family, constants);
        }
        let mut numbers = Parameters::default();
        for parameter in &self.parameters {
            numbers.push(parameter.get());
        }
        read(&self.family, numbers.as_slice())
    }
}

impl<T: Value, F: Family<T>> Distribution<T> for FamilyMember<F> {
    fn check(&self) -> Result<(), String> {
        self.with_numbers(F::check)
            .map_err(|wrong| message(family_name(&*self.family, &wrong), &self.parameters, &wrong))
    }

    fn outcomes(&self) -> Outcomes<T> {
        self.family.outcomes(&self.parameters)
    }

    fn log_prob(&self, value: &T) -> f64 {
        self.with_numbers(|family, numbers| family.log_prob(numbers, value))
    }

    fn sample(&self, rng: &mut dyn Rng) -> T {
        self.with_numbers(|family, numbers| family.sample(numbers, rng))
    }

    fn sample_many(&self, count: usize, rng: &mut Stream) -> Vec<T> {
        self.with_numbers(|family, numbers| {
            let draw = |_| family.sample(numbers, rng);
            (0..count).map(draw).collect()
        })
    }

    fn tails(&self, value: &T) -> Option<Tails> {
        self.with_numbers(|family, numbers| family.tails(numbers, value))
    }

    fn space(&self) -> Space {
        self.family.space()
    }

    fn numbers(&self) -> &[Number] {
        if self.constants.is_some() {
            &[]
        } else {
            &self.parameters
        }
    }

    fn likelihood(&self, open: Range<usize>, value: &T, likelihood: &mut Likelihood) {
        self.with_numbers(|family, numbers| family.likelihood(numbers, open, value, likelihood));
    }

    fn conjugate_terms(&self) -> &'static [Term] {
        self.family.conjugate_terms()
    }

    fn sample_conditional(&self, likelihood: &Likelihood, rng: &mut dyn Rng) -> Option<T> {
        self.with_numbers(|family, numbers| family.sample_conditional(numbers, likelihood, rng))
    }

    fn describe(&self) -> String {
        self.family.describe(&self.parameters)
    }

    fn heap_bytes(&self) -> usize {
        let parameters = self.parameters.capacity() * size_of::<Number>();
        parameters + self.constants.heap_bytes() + own_bytes::<T, F>(&self.family)
    }
}

/// Heap size in bytes of a family that nothing else holds yet.
pub(super) fn own_bytes<T: Value, F: Family<T>>(family: &Arc<F>) -> usize {
    if Arc::strong_count(family) == 1 {
        size_of::<F>() + family.heap_bytes()
    } else {
        0
    }
}

pub(super) fn family_name<T: Value>(
    family: &impl Family<T>,
    wrong: &WrongParameter,
) -> &'static str {
    let names = family.parameters();
    // The last name goes for the rest of a list.
    let name = names.get(wrong.index).or(names.last());
    name.copied().unwrap_or("parameter")
}

pub(super) fn message(name: &str, parameters: &[Number], wrong: &WrongParameter) -> String {
    match parameters.get(wrong.index) {
        Some(number) => format!("{name} {number:?} {}", wrong.problem),
        None => format!("{name} {}", wrong.problem),
    }
}

/// The parameters of a family, on the stack as long as they are few.
#[derive(Default)]
pub(super) struct Parameters {
    few: [f64; Self::FEW],
    many: Vec<f64>,
    len: usize,
}

impl Parameters {
    const FEW: usize = 4;

    #[inline]
    pub(super) fn push(&mut self, number: f64) {
        if self.len < Self::FEW {
            self.few[self.len] = number;
        } else {
            if self.len == Self::FEW {
                self.many.extend_from_slice(&self.few);
            }
            self.many.push(number);
        }
        self.len += 1;
    }

    #[inline]
    pub(super) fn as_slice(&self) -> &[f64] {
        if self.len <= Self::FEW {
            &self.few[..self.len]
        } else {
            &self.many
        }
    }
}
