//! Elements whose distribution is a member of a [`Family`] for given parameters.

use std::any::Any;
use std::fmt::Debug;
use std::iter;
use std::ops::Range;
use std::panic::Location;

use rand::Rng;
use smallvec::SmallVec;

use super::any_family::{MemberValues, SharedFamily};
use super::apply::contained;
use super::atomic::{proper, proper_sum};
use super::distribution::{Family, Space, Tails, WrongParameter};
use super::learned_prior::LearnedPrior;
use super::likelihood::{Likelihood, Term};
use super::linear::LinearGaussian;
use super::node::{Kind, ParentList};
use super::open_family::{OpenFamily, ParameterSource};
use super::operations::{AtomicOp, FiniteOutcomes, NotEnumerable, NumbersReplaced};
use super::param::{Number, Operand};
use crate::element::{Atomic, Element};
use crate::error::Fault;
use crate::random::Stream;
use crate::value::Value;
use crate::value::datum::Datum;
use crate::value::support::AnyColumn;

impl Atomic {
    /// Creates an element of `family` with the parameters `parameters`; each parameter is a number, a [`Param`](crate::Param), or an element.
    ///
    /// All entries of the list `parameters` must have the same Rust type. If some parameters in the list are numbers and others are elements, convert
    /// each of them to an [`Operand`]:
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
        family_of("Atomic", Location::caller(), family, parameters)
    }
}

/// The parameters of a family, without a heap allocation for one or two parameters.
pub(crate) type Operands = SmallVec<[Operand; 2]>;

/// Creates the member of the family `family` with the parameters `parameters`, one for each parameter name.
///
/// If all parameters are numbers, the created element has no parents; otherwise it is a `Chain` whose parents are the elements among the parameters.
pub(crate) fn family_at<T: Value>(
    constructor: &'static str,
    location: &'static Location<'static>,
    family: impl Family<T>,
    parameters: Operands,
) -> Element<T> {
    let mut constants = SmallVec::<[f64; 2]>::new();
    for parameter in &parameters {
        if let Operand::Number(Number::Constant(x)) = parameter {
            constants.push(*x);
        }
    }
    if constants.len() == parameters.len() {
        let member = constant_member(family, constants);
        return Element::from_kind(constructor, location, Kind::Atomic(Box::new(member)));
    }
    let parameters = parameters.into_iter().map(Parameter::One);
    family_of(constructor, location, family, parameters)
}

/// Defines a function like [`family_at`] for one type of family.
///
/// The constructor of an element is generic in its parameters, and is therefore compiled in the crate that calls it. Code that depends only on the
/// family, not on the types of the parameters, is compiled once, in this crate.
macro_rules! compiled_family {
    ($constructor:literal: $family:ident => $value:ty, $parameters:expr) => {
        compiled_family!($constructor: $family => $value, $family, $parameters)
    };
    ($constructor:literal: $type:ty => $value:ty, $family:expr, $parameters:expr) => {{
        fn member(
            location: &'static std::panic::Location<'static>,
            family: $type,
            parameters: $crate::element::family::Operands,
        ) -> $crate::element::Element<$value> {
            $crate::element::family_at($constructor, location, family, parameters)
        }
        let mut parameters = $crate::element::family::Operands::new();
        for parameter in $parameters {
            parameters.push(parameter);
        }
        member(Location::caller(), $family, parameters)
    }};
}
pub(crate) use compiled_family;

/// Implements `Debug` for a family of distributions: its text is the name `$name`.
macro_rules! debug_name {
    ($family:ty, $name:literal) => {
        impl std::fmt::Debug for $family {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str($name)
            }
        }
    };
}
pub(crate) use debug_name;

/// Implements `parameters`, `check` and `outcomes` of a family of distributions with densities, from the check and the name of each parameter.
macro_rules! density_parameters {
    ($($check:ident $name:literal),+) => {
        fn parameters(&self) -> &'static [&'static str] {
            &[$($name),+]
        }

        #[inline]
        #[allow(unused_assignments)]
        fn check(
            &self,
            parameters: &[f64],
        ) -> Result<(), $crate::element::distribution::WrongParameter> {
            let mut index = 0;
            $(
                $check(parameters, index)?;
                index += 1;
            )+
            Ok(())
        }

        fn outcomes(
            &self,
            _: &[$crate::element::param::Number],
        ) -> $crate::element::distribution::Outcomes<f64> {
            $crate::element::distribution::Outcomes::Continuous
        }
    };
}
pub(crate) use density_parameters;

/// A parameter of a family, or one element whose value is a list of parameters.
#[derive(Clone, Debug)]
pub(crate) enum Parameter {
    One(Operand),
    List(Element<Vec<f64>>),
}

pub(crate) fn family_of<T: Value>(
    constructor: &'static str,
    location: &'static Location<'static>,
    family: impl Family<T>,
    parameters: impl IntoIterator<Item = Parameter>,
) -> Element<T> {
    let family = SharedFamily::new(family);
    let kind = kind_of(constructor, location, family, &mut parameters.into_iter());
    Element::from_kind(constructor, location, kind)
}

fn kind_of(
    constructor: &'static str,
    location: &'static Location<'static>,
    family: SharedFamily,
    parameters: &mut dyn Iterator<Item = Parameter>,
) -> Kind {
    let mut numbers: SmallVec<[Number; 2]> = SmallVec::with_capacity(parameters.size_hint().0);
    let first = loop {
        match parameters.next() {
            Some(Parameter::One(Operand::Number(number))) => numbers.push(number),
            Some(parent) => break parent,
            None => {
                return Kind::Atomic(Box::new(FamilyMember::new(family, &numbers)));
            }
        }
    };
    let mut parents = ParentList::new();
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
        family,
        sources,
    };
    Kind::Chain(parents, Box::new(op))
}

/// The distribution of a family for given parameters.
#[derive(Debug)]
pub(super) struct FamilyMember {
    family: SharedFamily,
    parameters: MemberParameters,
    /// The prior distribution, if the element is a parameter to be learned: samplers treat such a parameter as random, and expectation maximisation
    /// learns it.
    prior: Option<Box<LearnedPrior>>,
}

#[derive(Debug)]
enum MemberParameters {
    Constants(SmallVec<[f64; 2]>),
    Numbers(Vec<Number>),
}

pub(super) fn constant_member<T: Value>(
    family: impl Family<T>,
    parameters: impl Into<SmallVec<[f64; 2]>>,
) -> FamilyMember {
    FamilyMember {
        family: SharedFamily::new(family),
        parameters: MemberParameters::Constants(parameters.into()),
        prior: None,
    }
}

/// Creates a parameter to be learned, with the prior distribution `member`.
pub(super) fn learned_at<T: Value>(
    constructor: &'static str,
    location: &'static Location<'static>,
    mut member: FamilyMember,
    prior: LearnedPrior,
) -> Element<T> {
    member.prior = Some(Box::new(prior));
    Element::from_kind(constructor, location, Kind::Atomic(Box::new(member)))
}

impl FamilyMember {
    pub(super) fn new(family: SharedFamily, parameters: &[Number]) -> Self {
        let constants = parameters.iter().map(|number| match number {
            Number::Constant(x) => Some(*x),
            Number::Param(_) => None,
        });
        let constants: Option<SmallVec<_>> = constants.collect();
        let parameters = match constants {
            Some(constants) => MemberParameters::Constants(constants),
            None => MemberParameters::Numbers(parameters.to_vec()),
        };
        Self {
            family,
            parameters,
            prior: None,
        }
    }

    fn with_values<R>(&self, read: impl FnOnce(&[f64]) -> R) -> R {
        match &self.parameters {
            MemberParameters::Constants(constants) => read(constants),
            MemberParameters::Numbers(numbers) => {
                read(&numbers.iter().map(Number::get).collect::<Parameters>())
            }
        }
    }

    fn with_numbers<R>(&self, read: impl FnOnce(&[Number]) -> R) -> R {
        match &self.parameters {
            MemberParameters::Constants(constants) => {
                let numbers = constants.iter().map(|&x| Number::Constant(x));
                read(&numbers.collect::<SmallVec<[Number; 4]>>())
            }
            MemberParameters::Numbers(numbers) => read(numbers),
        }
    }
}

impl AtomicOp for FamilyMember {
    fn check(&self) -> Result<(), String> {
        match contained(|| self.with_values(|values| self.family.check(values))) {
            Err(fault) => Err(fault.to_string()),
            Ok(Ok(())) => Ok(()),
            Ok(Err(wrong)) => {
                Err(self.with_numbers(|numbers| message(&self.family, numbers, &wrong)))
            }
        }
    }

    fn outcomes(&self) -> Result<Result<FiniteOutcomes, NotEnumerable>, Fault> {
        contained(|| self.with_numbers(|numbers| self.family.outcomes(numbers)))?
    }

    fn log_prob(&self, value: &dyn Any) -> Result<f64, Fault> {
        let log = |values: &[f64]| self.family.log_prob(values, value);
        match contained(|| self.with_values(log))? {
            Some(log) => proper(log, || self.family.text(value)),
            None => Ok(f64::NEG_INFINITY),
        }
    }

    fn sample(&self, rng: &mut dyn Rng) -> Result<Datum, Fault> {
        contained(|| self.with_values(|values| self.family.sample(values, rng)))
    }

    fn sample_many(&self, count: usize, rng: &mut Stream) -> Result<Box<dyn AnyColumn>, Fault> {
        contained(|| self.with_values(|values| self.family.sample_many(values, count, rng)))
    }

    fn log_prob_of_all(&self, values: &dyn AnyColumn) -> Result<f64, Fault> {
        let mut logs = Vec::with_capacity(values.len());
        let column = MemberValues::column(values);
        let weigh = |parameters: &[f64]| self.family.log_probs(parameters, column, &mut logs);
        match contained(|| self.with_values(weigh))? {
            Some(()) => proper_sum(&logs, |index| self.family.text(values.any(index))),
            None => Ok(f64::NEG_INFINITY),
        }
    }

    fn tails(&self, value: &dyn Any) -> Result<Option<Tails>, Fault> {
        let tails = contained(|| self.with_values(|values| self.family.tails(values, value)))?;
        Ok(tails.and_then(Tails::clamped))
    }

    fn space(&self) -> Space {
        contained(|| self.family.space()).unwrap_or_default()
    }

    fn numbers(&self) -> &[Number] {
        match &self.parameters {
            MemberParameters::Constants(_) => &[],
            MemberParameters::Numbers(numbers) => numbers,
        }
    }

    fn likelihood(
        &self,
        open: Range<usize>,
        value: &dyn Any,
        likelihood: &mut Likelihood,
    ) -> Result<(), Fault> {
        let value = MemberValues::one(value);
        let add = |values: &[f64]| self.family.likelihood(values, open, value, likelihood);
        if contained(|| self.with_values(add))?.is_none() {
            likelihood.refuse();
        }
        Ok(())
    }

    fn log_prob_derivative(&self, number: usize, value: &dyn Any) -> Result<Option<f64>, Fault> {
        let slope = |values: &[f64]| self.family.log_prob_derivative(values, number, value);
        let slope = contained(|| self.with_values(slope))?;
        Ok(slope.filter(|slope| slope.is_finite()))
    }

    fn log_prob_with(&self, numbers: &[f64], value: &dyn Any) -> Result<NumbersReplaced, Fault> {
        if let Err(wrong) = contained(|| self.family.check(numbers))? {
            return Ok(Some(Err(message(&self.family, numbers, &wrong))));
        }
        let log = contained(|| self.family.log_prob(numbers, value))?;
        let log = log.map(|log| proper(log, || self.family.text(value)));
        Ok(log.transpose()?.map(Ok))
    }

    fn prior(&self) -> Option<&LearnedPrior> {
        self.prior.as_deref()
    }

    fn conjugate_terms(&self) -> &'static [Term] {
        contained(|| self.family.conjugate_terms()).unwrap_or_default()
    }

    fn sample_conditional(
        &self,
        likelihood: &Likelihood,
        rng: &mut dyn Rng,
    ) -> Result<Option<Datum>, Fault> {
        let draw = |values: &[f64]| self.family.sample_conditional(values, likelihood, rng);
        contained(|| self.with_values(draw))
    }

    fn posterior(&self, likelihood: &Likelihood) -> Result<Option<Box<dyn AtomicOp>>, Fault> {
        let posterior = |values: &[f64]| self.family.posterior(values, likelihood);
        let numbers = contained(|| self.with_values(posterior))?;
        Ok(numbers.map(|numbers| -> Box<dyn AtomicOp> {
            Box::new(Self {
                family: self.family.clone(),
                parameters: MemberParameters::Constants(numbers.into()),
                prior: None,
            })
        }))
    }

    fn moments(&self) -> Option<Vec<(f64, f64)>> {
        contained(|| self.with_values(|values| self.family.moments(values))).ok()?
    }

    fn mode(&self) -> Option<Vec<f64>> {
        contained(|| self.with_values(|values| self.family.mode(values))).ok()?
    }

    fn student_t_of_spread(&self) -> Option<(f64, f64)> {
        contained(|| self.with_values(|values| self.family.student_t_of_spread(values))).ok()?
    }

    fn linear_gaussian(&self) -> Option<LinearGaussian> {
        let known: SmallVec<[Option<f64>; 4]> =
            self.with_values(|values| values.iter().copied().map(Some).collect());
        contained(|| self.family.linear_gaussian(&known)).ok()?
    }

    fn describe(&self) -> String {
        self.with_numbers(|numbers| self.family.describe(numbers))
    }

    fn heap_bytes(&self) -> usize {
        let parameters = match &self.parameters {
            MemberParameters::Constants(constants) if constants.spilled() => {
                constants.capacity() * size_of::<f64>()
            }
            MemberParameters::Constants(_) => 0,
            MemberParameters::Numbers(numbers) => numbers.capacity() * size_of::<Number>(),
        };
        let prior = self.prior.as_ref().map_or(0, |_| size_of::<LearnedPrior>());
        parameters + prior + self.family.bytes()
    }
}

/// Returns the message about an invalid parameter of a family.
pub(super) fn message(
    family: &SharedFamily,
    parameters: &[impl Debug],
    wrong: &WrongParameter,
) -> String {
    let names = family.parameters();
    // The parameters that follow the last name are entries of a list, and share the last name.
    let name = names
        .get(wrong.index)
        .or(names.last())
        .unwrap_or(&"parameter");
    match parameters.get(wrong.index) {
        Some(number) => format!("{name} {number:?} {}", wrong.problem),
        None if wrong.index == WrongParameter::WHOLE => wrong.problem.clone(),
        None => format!("{name} {}", wrong.problem),
    }
}

pub(super) type Parameters = SmallVec<[f64; 4]>;
