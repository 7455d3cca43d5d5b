//! Members of a [`Family`]: the distributions for given parameters.

use std::ops::Range;
use std::sync::Arc;

use rand::Rng;

use super::distribution::{Distribution, Family, Outcomes, Space, Tails, WrongParameter};
use super::likelihood::{Likelihood, Term};
use super::linear::LinearGaussian;
use super::param::Number;
use crate::random::Stream;
use crate::value::Value;

pub(super) fn constant_member<F>(family: F, parameters: &[f64]) -> FamilyMember<F> {
    let parameters = parameters.iter().map(|&x| Number::Constant(x)).collect();
    FamilyMember::new(Arc::new(family), parameters)
}

#[derive(Debug)]
pub(super) struct FamilyMember<F> {
    family: Arc<F>,
    parameters: Vec<Number>,
    /// The values of the parameters, if all of them are constants.
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

    fn log_prob_derivative(&self, number: usize, value: &T) -> Option<f64> {
        self.with_numbers(|family, numbers| family.log_prob_derivative(numbers, number, value))
    }

    fn log_prob_with(&self, numbers: &[f64], value: &T) -> Option<Result<f64, String>> {
        let wrong = self.family.check(numbers).err().map(|wrong| {
            let numbers: Vec<Number> = numbers.iter().map(|&x| Number::Constant(x)).collect();
            message(family_name(&*self.family, &wrong), &numbers, &wrong)
        });
        Some(match wrong {
            Some(message) => Err(message),
            None => Ok(self.family.log_prob(numbers, value)),
        })
    }

    fn conjugate_terms(&self) -> &'static [Term] {
        self.family.conjugate_terms()
    }

    fn sample_conditional(&self, likelihood: &Likelihood, rng: &mut dyn Rng) -> Option<T> {
        self.with_numbers(|family, numbers| family.sample_conditional(numbers, likelihood, rng))
    }

    fn posterior(&self, likelihood: &Likelihood) -> Option<Self> {
        let numbers = self.with_numbers(|family, numbers| family.posterior(numbers, likelihood))?;
        let numbers = numbers.into_iter().map(Number::Constant).collect();
        Some(Self::new(Arc::clone(&self.family), numbers))
    }

    fn moments(&self) -> Option<Vec<(f64, f64)>> {
        self.with_numbers(F::moments)
    }

    fn student_t_of_spread(&self) -> Option<(f64, f64)> {
        self.with_numbers(F::student_t_of_spread)
    }

    fn linear_gaussian(&self) -> Option<LinearGaussian> {
        let parameters: Vec<Option<f64>> = self.parameters.iter().map(|p| Some(p.get())).collect();
        self.family.linear_gaussian(&parameters)
    }

    fn describe(&self) -> String {
        self.family.describe(&self.parameters)
    }

    fn heap_bytes(&self) -> usize {
        let parameters = self.parameters.capacity() * size_of::<Number>();
        parameters + self.constants.heap_bytes() + own_bytes::<T, F>(&self.family)
    }
}

/// Returns the number of bytes that a family takes on the heap; zero if there are other references
/// to the family.
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
    // The last name is used for all further entries of a list.
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

/// The parameters of a member of a family, stored on the stack if there are few of them.
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
