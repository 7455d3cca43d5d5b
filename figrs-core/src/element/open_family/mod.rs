//! Families of distributions whose parameters are elements.

mod rows;

use std::any::Any;
use std::hash::{Hash, Hasher};
use std::iter::repeat_n;
use std::marker::PhantomData;
use std::ops::Range;
use std::panic::Location;
use std::sync::Arc;

use rand::Rng;
use rustc_hash::FxHasher;
use smallvec::SmallVec;

use super::distribution::{Distribution, Family, Outcomes, Space, WrongParameter};
use super::family::{FamilyMember, Parameters, family_name, message, own_bytes};
use super::function::contained;
use super::likelihood::{Likelihood, Term};
use super::linear::LinearGaussian;
use super::node::AnyElement;
use super::operations::{
    ChainOp, FamilyOp, FiniteOutcomes, IidValues, MemberArgument, MemberFault, NotEnumerable,
    OpenArgument,
};
use super::param::Number;
use crate::element::atomic::{proper, proper_sum};
use crate::element::{Element, atomic_at, iid_at, listed};
use crate::error::Fault;
use crate::random::Stream;
use crate::value::datum::Datum;
use crate::value::support::AnyColumn;
use crate::value::{Value, canonical};

/// Source of a parameter of a family: a number, or the value of a parent.
#[derive(Clone, Debug)]
pub(in crate::element) enum ParameterSource {
    Number(Number),
    /// The value of the parent at the contained index: a number, or a list of numbers.
    Parent(usize),
}

/// A family of distributions; some of its parameters are elements, the parents of a Chain.
pub(in crate::element) struct OpenFamily<T, F> {
    pub(in crate::element) constructor: &'static str,
    pub(in crate::element) location: &'static Location<'static>,
    pub(in crate::element) family: Arc<F>,
    pub(in crate::element) sources: Vec<ParameterSource>,
    pub(in crate::element) values: PhantomData<fn() -> T>,
}

fn each(value: &dyn Any, mut give: impl FnMut(f64)) {
    if let Some(&number) = value.downcast_ref::<f64>() {
        give(number);
    } else if let Some(numbers) = value.downcast_ref::<Vec<f64>>() {
        numbers.iter().copied().for_each(give);
    }
}

impl<T: Value, F: Family<T>> OpenFamily<T, F> {
    fn member<'a>(&self, argument: impl Fn(usize) -> MemberArgument<'a>) -> FamilyMember<Arc<F>> {
        let mut parameters = Vec::with_capacity(self.sources.len());
        for source in &self.sources {
            match source {
                ParameterSource::Number(number) => parameters.push(number.clone()),
                ParameterSource::Parent(parent) => match argument(*parent) {
                    MemberArgument::Value(value) => {
                        each(value, |x| parameters.push(Number::Constant(x)));
                    }
                    MemberArgument::Params(params) => {
                        parameters.extend(params.iter().map(Number::from));
                    }
                },
            }
        }
        FamilyMember::new(self.family.clone(), parameters)
    }

    fn member_for(&self, arguments: &[&dyn Any]) -> FamilyMember<Arc<F>> {
        self.member(|parent| MemberArgument::Value(arguments[parent]))
    }

    fn numbers<R>(&self, arguments: &[&dyn Any], read: impl FnOnce(&[f64]) -> R) -> R {
        let mut numbers = Parameters::default();
        for source in &self.sources {
            match source {
                ParameterSource::Number(number) => numbers.push(number.get()),
                ParameterSource::Parent(parent) => each(arguments[*parent], |x| numbers.push(x)),
            }
        }
        read(numbers.as_slice())
    }

    /// Calls `read` with the parameters, for arguments that are single numbers. Returns `None` if `read` returns `None` or panics.
    #[inline]
    fn with_numbers<R>(
        &self,
        arguments: &[f64],
        read: impl FnOnce(&[f64]) -> Option<R>,
    ) -> Option<R> {
        let mut numbers = Parameters::default();
        for source in &self.sources {
            numbers.push(match source {
                ParameterSource::Number(number) => number.get(),
                ParameterSource::Parent(parent) => arguments[*parent],
            });
        }
        let numbers = numbers.as_slice();
        contained(|| read(numbers)).ok().flatten()
    }

    /// Returns the sum of the log-probabilities of the independent values `values`.
    fn sum(&self, numbers: &[f64], values: &IidValues<'_>) -> Result<f64, Fault> {
        match values {
            IidValues::Values(values) => match values.as_any().downcast_ref::<Vec<T>>() {
                Some(values) => proper_sum(values, |value| self.family.log_prob(numbers, value)),
                None => Ok(f64::NEG_INFINITY),
            },
            IidValues::Statistics(statistics) => {
                let log = self.family.log_prob_of_all(numbers, statistics);
                proper(*statistics, log)
            }
        }
    }

    /// Returns the indices of the parameters that the parent `parent` supplies.
    fn range(&self, arguments: &[&dyn Any], parent: usize) -> Range<usize> {
        let mut start = 0;
        for source in &self.sources {
            let mut count = 0;
            match source {
                ParameterSource::Number(_) => count = 1,
                ParameterSource::Parent(at) => each(arguments[*at], |_| count += 1),
            }
            if matches!(source, ParameterSource::Parent(at) if *at == parent) {
                return start..start + count;
            }
            start += count;
        }
        start..start
    }

    fn wrong(&self, numbers: &[f64], wrong: &WrongParameter) -> String {
        let numbers: Vec<Number> = numbers.iter().map(|&x| Number::Constant(x)).collect();
        message(family_name(&*self.family, wrong), &numbers, wrong)
    }
}

impl<T: Value, F: Family<T>> ChainOp for OpenFamily<T, F> {
    fn call(&self, arguments: &[&dyn Any]) -> Result<AnyElement, Fault> {
        let member = self.member_for(arguments);
        let element: Element<T> = atomic_at(self.constructor, self.location, member);
        Ok(element.erased().clone())
    }

    fn family(&self) -> Option<&dyn FamilyOp> {
        Some(self)
    }

    fn heap_bytes(&self) -> usize {
        self.sources.capacity() * size_of::<ParameterSource>() + own_bytes::<T, _>(&self.family)
    }
}

impl<T: Value, F: Family<T>> FamilyOp for OpenFamily<T, F> {
    fn check(&self, arguments: &[&dyn Any]) -> Result<(), String> {
        let checked = contained(|| self.numbers(arguments, |numbers| self.family.check(numbers)));
        match checked {
            Err(fault) => Err(fault.to_string()),
            Ok(Ok(())) => Ok(()),
            Ok(Err(wrong)) => Err(self.numbers(arguments, |numbers| self.wrong(numbers, &wrong))),
        }
    }

    fn is_continuous(&self) -> bool {
        let numbers = self.sources.iter().map(|source| match source {
            ParameterSource::Number(number) => number.clone(),
            ParameterSource::Parent(_) => Number::Constant(f64::NAN),
        });
        let numbers: SmallVec<[Number; 4]> = numbers.collect();
        matches!(
            contained(|| self.family.outcomes(&numbers)),
            Ok(Outcomes::Continuous)
        )
    }

    fn outcomes(
        &self,
        arguments: &[&dyn Any],
    ) -> Result<Result<FiniteOutcomes, NotEnumerable>, Fault> {
        let member = self.member_for(arguments);
        listed(contained(|| member.outcomes())?)
    }

    fn log_prob(&self, arguments: &[&dyn Any], value: &dyn Any) -> Result<f64, Fault> {
        let Some(typed) = value.downcast_ref::<T>() else {
            return Ok(f64::NEG_INFINITY);
        };
        let log =
            contained(|| self.numbers(arguments, |numbers| self.family.log_prob(numbers, typed)))?;
        proper(typed, log)
    }

    fn log_prob_for_numbers(&self, arguments: &[f64], value: &dyn Any) -> Option<f64> {
        let value = value.downcast_ref::<T>()?;
        let weighed = self.with_numbers(arguments, |numbers| {
            self.family.check(numbers).ok()?;
            Some(self.family.log_prob(numbers, value))
        });
        weighed.filter(|&log| log < f64::INFINITY)
    }

    fn log_probs_of_values(
        &self,
        arguments: &[f64],
        values: &[f64],
        logs: &mut Vec<f64>,
    ) -> Option<()> {
        self.with_numbers(arguments, |numbers| {
            self.family.check(numbers).ok()?;
            for value in values {
                let value = (value as &dyn Any).downcast_ref::<T>()?;
                logs.push(self.family.log_prob(numbers, value));
            }
            Some(())
        })
    }

    fn max_log_prob(&self, value: &dyn Any) -> Option<f64> {
        let value = value.downcast_ref::<T>()?;
        // If the value of a parent is a list, the parent supplies several parameters, and the lengths differ.
        if self.sources.len() != self.family.parameters().len() {
            return None;
        }
        let parameters: Vec<Option<f64>> = self
            .sources
            .iter()
            .map(|source| match source {
                ParameterSource::Number(number) => Some(number.get()),
                ParameterSource::Parent(_) => None,
            })
            .collect();
        contained(|| self.family.max_log_prob(&parameters, value))
            .ok()
            .flatten()
    }

    fn takes_params(&self) -> bool {
        true
    }

    fn member(&self, arguments: &[MemberArgument<'_>]) -> Option<AnyElement> {
        let member = self.member(|parent| arguments[parent]);
        let element: Element<T> = atomic_at(self.constructor, self.location, member);
        Some(element.erased().clone())
    }

    fn sample(&self, arguments: &[&dyn Any], rng: &mut dyn Rng) -> Result<Datum, Fault> {
        contained(|| self.numbers(arguments, |numbers| self.family.sample(numbers, rng)))
            .map(Datum::new)
    }

    fn space(&self) -> Space {
        contained(|| self.family.space()).unwrap_or_default()
    }

    fn likelihood(
        &self,
        arguments: &[&dyn Any],
        open: usize,
        value: &dyn Any,
        likelihood: &mut Likelihood,
    ) -> Result<(), Fault> {
        let Some(typed) = value.downcast_ref::<T>() else {
            likelihood.refuse();
            return Ok(());
        };
        let range = self.range(arguments, open);
        contained(|| {
            self.numbers(arguments, |numbers| {
                self.family.likelihood(numbers, range, typed, likelihood);
            });
        })
    }

    fn likelihood_of_all(
        &self,
        arguments: &[&dyn Any],
        open: usize,
        values: &IidValues<'_>,
        likelihood: &mut Likelihood,
    ) -> Result<(), Fault> {
        let range = self.range(arguments, open);
        contained(|| {
            self.numbers(arguments, |numbers| match values {
                IidValues::Values(values) => match values.as_any().downcast_ref::<Vec<T>>() {
                    Some(values) => {
                        for value in values {
                            let open = range.clone();
                            self.family.likelihood(numbers, open, value, likelihood);
                        }
                    }
                    None => likelihood.refuse(),
                },
                IidValues::Statistics(statistics) => {
                    self.family
                        .likelihood_of_all(numbers, range, statistics, likelihood);
                }
            });
        })
    }

    fn likelihood_of_values(
        &self,
        arguments: &[f64],
        values: &[f64],
        likelihood: &mut Likelihood,
    ) -> Option<()> {
        let is_open = |source: &ParameterSource| matches!(source, ParameterSource::Parent(0));
        let open = self.sources.iter().position(is_open)?;
        self.with_numbers(arguments, |numbers| {
            self.family.check(numbers).ok()?;
            for value in values {
                let value = (value as &dyn Any).downcast_ref::<T>()?;
                (self.family).likelihood(numbers, open..open + 1, value, likelihood);
            }
            Some(())
        })
    }

    fn linear_gaussian(
        &self,
        arguments: &[OpenArgument<'_>],
    ) -> Result<Option<LinearGaussian>, String> {
        let mut parameters: SmallVec<[Option<f64>; 4]> = SmallVec::new();
        for source in &self.sources {
            match source {
                ParameterSource::Number(number) => parameters.push(Some(number.get())),
                ParameterSource::Parent(parent) => match arguments[*parent] {
                    OpenArgument::Known(value) => each(value, |x| parameters.push(Some(x))),
                    OpenArgument::Open(numbers) => parameters.extend(repeat_n(None, numbers)),
                },
            }
        }
        // An unknown parameter is checked as if it were zero.
        let numbers: Parameters = parameters.iter().map(|x| x.unwrap_or(0.0)).collect();
        match contained(|| self.family.check(&numbers)) {
            Err(fault) => return Err(fault.to_string()),
            Ok(Err(wrong)) => return Err(self.wrong(&numbers, &wrong)),
            Ok(Ok(())) => {}
        }
        contained(|| self.family.linear_gaussian(&parameters)).map_err(|fault| fault.to_string())
    }

    fn conjugate_terms(&self) -> &'static [Term] {
        contained(|| self.family.conjugate_terms()).unwrap_or_default()
    }

    fn sample_conditional(
        &self,
        arguments: &[&dyn Any],
        likelihood: &Likelihood,
        rng: &mut dyn Rng,
    ) -> Result<Option<Datum>, Fault> {
        let drawn = contained(|| {
            let draw = |numbers: &[f64]| self.family.sample_conditional(numbers, likelihood, rng);
            self.numbers(arguments, draw)
        })?;
        Ok(drawn.map(Datum::new))
    }

    fn sample_many(
        &self,
        arguments: &[&dyn AnyColumn],
        count: usize,
        rng: &mut Stream,
    ) -> Result<Box<dyn AnyColumn>, MemberFault> {
        let mut values = Vec::with_capacity(count);
        self.for_rows(arguments, count, |numbers| {
            values.push(canonical(self.family.sample(numbers, rng)));
            Ok(())
        })?;
        Ok(Box::new(values))
    }

    fn log_probs(
        &self,
        arguments: &[&dyn AnyColumn],
        count: usize,
        value: &dyn Any,
    ) -> Result<Vec<f64>, MemberFault> {
        let Some(value) = value.downcast_ref::<T>() else {
            return Ok(vec![f64::NEG_INFINITY; count]);
        };
        let mut logs = Vec::with_capacity(count);
        self.for_rows(arguments, count, |numbers| {
            logs.push(proper(value, self.family.log_prob(numbers, value))?);
            Ok(())
        })?;
        Ok(logs)
    }

    fn statistics(&self, values: &dyn AnyColumn) -> Option<Vec<f64>> {
        let values = values.as_any().downcast_ref::<Vec<T>>()?;
        let statistics = contained(|| self.family.statistics(values)).ok()??;
        // Sums that overflowed cannot be used.
        let all_finite = statistics.iter().all(|x| x.is_finite());
        all_finite.then_some(statistics)
    }

    fn log_prob_of_all(
        &self,
        arguments: &[&dyn Any],
        values: &IidValues<'_>,
    ) -> Result<f64, Fault> {
        contained(|| self.numbers(arguments, |numbers| self.sum(numbers, values)))?
    }

    fn log_prob_of_all_for_numbers(
        &self,
        arguments: &[f64],
        values: &IidValues<'_>,
    ) -> Option<f64> {
        self.with_numbers(arguments, |numbers| {
            self.family.check(numbers).ok()?;
            self.sum(numbers, values).ok()
        })
    }

    fn log_probs_of_all(
        &self,
        arguments: &[&dyn AnyColumn],
        count: usize,
        values: &IidValues<'_>,
    ) -> Result<Vec<f64>, MemberFault> {
        let mut logs = Vec::with_capacity(count);
        self.for_rows(arguments, count, |numbers| {
            logs.push(self.sum(numbers, values)?);
            Ok(())
        })?;
        Ok(logs)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn is_same_as(&self, other: &dyn FamilyOp) -> bool {
        let Some(other) = other.as_any().downcast_ref::<Self>() else {
            return false;
        };
        let same = |(a, b): (&ParameterSource, &ParameterSource)| match (a, b) {
            (ParameterSource::Number(a), ParameterSource::Number(b)) => a.is_same_as(b),
            (ParameterSource::Parent(a), ParameterSource::Parent(b)) => a == b,
            _ => false,
        };
        self.sources.len() == other.sources.len()
            && self.sources.iter().zip(&other.sources).all(same)
            && contained(|| self.family.is_same_as(&other.family)).unwrap_or(false)
    }

    fn digest(&self) -> u64 {
        let mut hasher = FxHasher::default();
        for source in &self.sources {
            match source {
                ParameterSource::Number(number) => number.get().feed(&mut hasher),
                ParameterSource::Parent(parent) => parent.hash(&mut hasher),
            }
        }
        hasher.finish()
    }

    fn list(&self, of: &AnyElement, values: &[&Datum]) -> Option<(AnyElement, Datum)> {
        let typed = values.iter().map(|value| value.get::<T>().cloned());
        let typed: Vec<T> = typed.collect::<Option<_>>()?;
        let (constructor, location) = of.constructor_call();
        let list = iid_at::<T>(of, typed.len(), constructor, location);
        if let Some(name) = of.label().name {
            list.erased().set_name(name);
        }
        Some((list.erased().clone(), Datum::new(typed)))
    }
}
