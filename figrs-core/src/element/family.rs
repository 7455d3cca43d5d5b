//! Elements whose distribution is a member of a [`Family`] for given parameters.

use std::fmt::Debug;
use std::iter;
use std::marker::PhantomData;
use std::ops::Range;
use std::panic::Location;
use std::sync::Arc;

use rand::Rng;
use smallvec::SmallVec;

use super::distribution::{Distribution, Family, Outcomes, Space, Tails, WrongParameter};
use super::likelihood::{Likelihood, Term};
use super::linear::LinearGaussian;
use super::node::{Kind, ParentList};
use super::open_family::{OpenFamily, ParameterSource};
use super::param::{Number, Operand};
use crate::element::{Atomic, Element, atomic_at};
use crate::random::Stream;
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
    ($value:ty, $constructor:literal, $family:ident, $parameters:expr) => {
        compiled_family!($value, $constructor, $family, $family, $parameters)
    };
    ($value:ty, $constructor:literal, $type:ty, $family:expr, $parameters:expr) => {{
        fn member(
            location: &'static std::panic::Location<'static>,
            family: $type,
            parameters: Vec<$crate::element::param::Operand>,
        ) -> $crate::element::Element<$value> {
            $crate::element::family_at($constructor, location, family, parameters)
        }
        member(Location::caller(), $family, $parameters)
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
        family: family.into_shared(),
        sources,
        values: PhantomData,
    };
    Element::from_kind(constructor, location, Kind::Chain(parents, Box::new(op)))
}

/// The family of a member, which the member owns or shares with other members.
pub(super) trait FamilyHandle: Clone + Debug + Send + Sync + 'static {
    type Family;

    fn family(&self) -> &Self::Family;

    fn into_shared(self) -> Arc<Self::Family>;

    /// Returns the number of bytes of the family itself, without the heap memory that it holds; `None` if other references to the family exist.
    fn bytes(&self) -> Option<usize>;
}

impl<F: Debug + Send + Sync + 'static> FamilyHandle for Arc<F> {
    type Family = F;

    fn family(&self) -> &F {
        self
    }

    fn into_shared(self) -> Self {
        self
    }

    fn bytes(&self) -> Option<usize> {
        (Self::strong_count(self) == 1).then_some(size_of::<F>())
    }
}

/// A family that is stored in its member, without an allocation.
#[derive(Clone, Debug)]
pub(super) struct OwnFamily<F>(pub(super) F);

impl<F: Clone + Debug + Send + Sync + 'static> FamilyHandle for OwnFamily<F> {
    type Family = F;

    fn family(&self) -> &F {
        &self.0
    }

    fn into_shared(self) -> Arc<F> {
        Arc::new(self.0)
    }

    fn bytes(&self) -> Option<usize> {
        Some(0)
    }
}

pub(super) fn constant_member<F>(family: F, parameters: &[f64]) -> FamilyMember<OwnFamily<F>> {
    FamilyMember {
        family: OwnFamily(family),
        parameters: MemberParameters::Constants(parameters.into()),
    }
}

/// The distribution of a family for given parameters.
#[derive(Debug)]
pub(super) struct FamilyMember<H> {
    family: H,
    parameters: MemberParameters,
}

#[derive(Debug)]
enum MemberParameters {
    Constants(SmallVec<[f64; 2]>),
    Numbers(Vec<Number>),
}

impl<H: FamilyHandle> FamilyMember<H> {
    fn family(&self) -> &H::Family {
        self.family.family()
    }

    pub(super) fn new(family: H, parameters: Vec<Number>) -> Self {
        let constants = parameters.iter().map(|number| match number {
            Number::Constant(x) => Some(*x),
            Number::Param(_) => None,
        });
        let constants: Option<SmallVec<_>> = constants.collect();
        let parameters = match constants {
            Some(constants) => MemberParameters::Constants(constants),
            None => MemberParameters::Numbers(parameters),
        };
        Self { family, parameters }
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

impl<T: Value, F: Family<T>, H: FamilyHandle<Family = F>> Distribution<T> for FamilyMember<H> {
    fn check(&self) -> Result<(), String> {
        let checked = self.with_values(|values| self.family().check(values));
        checked.map_err(|wrong| {
            let name = family_name(self.family(), &wrong);
            self.with_numbers(|numbers| message(name, numbers, &wrong))
        })
    }

    fn outcomes(&self) -> Outcomes<T> {
        self.with_numbers(|numbers| self.family().outcomes(numbers))
    }

    fn log_prob(&self, value: &T) -> f64 {
        self.with_values(|values| self.family().log_prob(values, value))
    }

    fn sample(&self, rng: &mut dyn Rng) -> T {
        self.with_values(|values| self.family().sample(values, rng))
    }

    fn sample_many(&self, count: usize, rng: &mut Stream) -> Vec<T> {
        self.with_values(|values| {
            let draw = |_| self.family().sample(values, rng);
            (0..count).map(draw).collect()
        })
    }

    fn tails(&self, value: &T) -> Option<Tails> {
        self.with_values(|values| self.family().tails(values, value))
    }

    fn space(&self) -> Space {
        self.family().space()
    }

    fn numbers(&self) -> &[Number] {
        match &self.parameters {
            MemberParameters::Constants(_) => &[],
            MemberParameters::Numbers(numbers) => numbers,
        }
    }

    fn likelihood(&self, open: Range<usize>, value: &T, likelihood: &mut Likelihood) {
        self.with_values(|values| self.family().likelihood(values, open, value, likelihood));
    }

    fn log_prob_derivative(&self, number: usize, value: &T) -> Option<f64> {
        self.with_values(|values| self.family().log_prob_derivative(values, number, value))
    }

    fn log_prob_with(&self, numbers: &[f64], value: &T) -> Option<Result<f64, String>> {
        let wrong = self.family().check(numbers).err().map(|wrong| {
            let numbers: Vec<Number> = numbers.iter().map(|&x| Number::Constant(x)).collect();
            message(family_name(self.family(), &wrong), &numbers, &wrong)
        });
        Some(match wrong {
            Some(message) => Err(message),
            None => Ok(self.family().log_prob(numbers, value)),
        })
    }

    fn conjugate_terms(&self) -> &'static [Term] {
        self.family().conjugate_terms()
    }

    fn sample_conditional(&self, likelihood: &Likelihood, rng: &mut dyn Rng) -> Option<T> {
        self.with_values(|values| self.family().sample_conditional(values, likelihood, rng))
    }

    fn posterior(&self, likelihood: &Likelihood) -> Option<Self> {
        let numbers = self.with_values(|values| self.family().posterior(values, likelihood))?;
        Some(Self {
            family: self.family.clone(),
            parameters: MemberParameters::Constants(numbers.into()),
        })
    }

    fn moments(&self) -> Option<Vec<(f64, f64)>> {
        self.with_values(|values| self.family().moments(values))
    }

    fn student_t_of_spread(&self) -> Option<(f64, f64)> {
        self.with_values(|values| self.family().student_t_of_spread(values))
    }

    fn linear_gaussian(&self) -> Option<LinearGaussian> {
        let parameters =
            self.with_values(|values| values.iter().copied().map(Some).collect::<Vec<_>>());
        self.family().linear_gaussian(&parameters)
    }

    fn describe(&self) -> String {
        self.with_numbers(|numbers| self.family().describe(numbers))
    }

    fn heap_bytes(&self) -> usize {
        let parameters = match &self.parameters {
            MemberParameters::Constants(constants) if constants.spilled() => {
                constants.capacity() * size_of::<f64>()
            }
            MemberParameters::Constants(_) => 0,
            MemberParameters::Numbers(numbers) => numbers.capacity() * size_of::<Number>(),
        };
        parameters + own_bytes::<T, H>(&self.family)
    }
}

/// Returns the number of bytes of a family, with the heap memory that it holds; zero if other references to the family exist.
pub(super) fn own_bytes<T: Value, H: FamilyHandle<Family: Family<T>>>(handle: &H) -> usize {
    handle
        .bytes()
        .map_or(0, |bytes| bytes + handle.family().heap_bytes())
}

pub(super) fn family_name<T: Value>(
    family: &impl Family<T>,
    wrong: &WrongParameter,
) -> &'static str {
    let names = family.parameters();
    // The parameters that follow the last name are entries of a list, and share the last name.
    let name = names.get(wrong.index).or(names.last());
    name.copied().unwrap_or("parameter")
}

pub(super) fn message(name: &str, parameters: &[Number], wrong: &WrongParameter) -> String {
    match parameters.get(wrong.index) {
        Some(number) => format!("{name} {number:?} {}", wrong.problem),
        None if wrong.index == WrongParameter::WHOLE => wrong.problem.clone(),
        None => format!("{name} {}", wrong.problem),
    }
}

pub(super) type Parameters = SmallVec<[f64; 4]>;
