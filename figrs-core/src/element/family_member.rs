//! Members of a [`Family`]: the distributions for given parameters.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use rand::Rng;
use smallvec::SmallVec;

use super::distribution::{Distribution, Family, Outcomes, Space, Tails, WrongParameter};
use super::likelihood::{Likelihood, Term};
use super::linear::LinearGaussian;
use super::param::Number;
use crate::random::Stream;
use crate::value::Value;

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
