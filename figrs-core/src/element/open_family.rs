//! Families of distributions whose parameters are elements.

use std::any::Any;
use std::hash::{Hash, Hasher};
use std::iter::repeat_n;
use std::ops::Range;
use std::panic::Location;

use rand::Rng;
use rustc_hash::FxHasher;
use smallvec::SmallVec;

use super::any_family::{MemberValues, SharedFamily, WrongRow};
use super::apply::contained;
use super::atomic::{proper, proper_sum};
use super::distribution::Space;
use super::family::{FamilyMember, Parameters, message};
use super::likelihood::{Likelihood, Term};
use super::linear::LinearGaussian;
use super::node::{AnyElement, Kind};
use super::operations::{
    AtomicOp, ChainOp, FamilyOp, FiniteOutcomes, IidValues, MemberArgument, MemberFault,
    NotEnumerable, OpenArgument,
};
use super::param::Number;
use super::parameter_rows::ParameterRows;
use crate::error::Fault;
use crate::random::Stream;
use crate::value::Value;
use crate::value::datum::Datum;
use crate::value::support::AnyColumn;

/// Source of a parameter of a family: a number, or the value of a parent.
#[derive(Clone, Debug)]
pub(super) enum ParameterSource {
    Number(Number),
    /// The value of a parent, given by the parent's index: a number, or a list of numbers.
    Parent(usize),
}

/// A family of distributions with elements as parameters; these elements are the parents of a `Chain`.
pub(super) struct OpenFamily {
    pub(super) constructor: &'static str,
    pub(super) location: &'static Location<'static>,
    pub(super) family: SharedFamily,
    pub(super) sources: Vec<ParameterSource>,
}

/// Calls `give` with each number of an argument, which is a number or a list of numbers.
pub(super) fn for_each_number(value: &dyn Any, mut give: impl FnMut(f64)) {
    if let Some(&number) = value.downcast_ref::<f64>() {
        give(number);
    } else if let Some(numbers) = value.downcast_ref::<Vec<f64>>() {
        numbers.iter().copied().for_each(give);
    }
}

impl OpenFamily {
    fn member<'a>(&self, argument: impl Fn(usize) -> MemberArgument<'a>) -> FamilyMember {
        let mut parameters = Vec::with_capacity(self.sources.len());
        for source in &self.sources {
            match source {
                ParameterSource::Number(number) => parameters.push(number.clone()),
                ParameterSource::Parent(parent) => match argument(*parent) {
                    MemberArgument::Value(value) => {
                        for_each_number(value, |x| parameters.push(Number::Constant(x)));
                    }
                    MemberArgument::Params(params) => {
                        parameters.extend(params.iter().map(Number::from));
                    }
                },
            }
        }
        FamilyMember::new(self.family.clone(), &parameters)
    }

    fn member_for(&self, arguments: &[&dyn Any]) -> FamilyMember {
        self.member(|parent| MemberArgument::Value(arguments[parent]))
    }

    fn numbers(&self, arguments: &[&dyn Any]) -> Parameters {
        let mut numbers = Parameters::default();
        for source in &self.sources {
            match source {
                ParameterSource::Number(number) => numbers.push(number.get()),
                ParameterSource::Parent(parent) => {
                    for_each_number(arguments[*parent], |x| numbers.push(x));
                }
            }
        }
        numbers
    }

    /// Calls `read` with the parameters of the member of the family, if they are valid; the arguments are single numbers. Returns `None` if the
    /// function `read` returns `None` or panics.
    #[inline]
    fn with_numbers<R>(
        &self,
        arguments: &[f64],
        read: impl FnOnce(&[f64]) -> Option<R>,
    ) -> Option<R> {
        let numbers = self.sources.iter().map(|source| match source {
            ParameterSource::Number(number) => number.get(),
            ParameterSource::Parent(parent) => arguments[*parent],
        });
        let numbers: Parameters = numbers.collect();
        let checked = || {
            self.family
                .check(&numbers)
                .ok()
                .and_then(|()| read(&numbers))
        };
        contained(checked).ok().flatten()
    }

    /// Returns the sum of the log-probabilities of the independent values `values` under a member of the family. The list `logs` is working memory
    /// whose contents are overwritten.
    fn sum(
        &self,
        numbers: &[f64],
        values: &IidValues<'_>,
        logs: &mut Vec<f64>,
    ) -> Result<f64, Fault> {
        match values {
            IidValues::Values(values) => {
                logs.clear();
                let known = (self.family).log_probs(numbers, MemberValues::column(*values), logs);
                match known {
                    Some(()) => proper_sum(logs, |index| self.family.text(values.any(index))),
                    None => Ok(f64::NEG_INFINITY),
                }
            }
            IidValues::Statistics(statistics) => {
                let log = self.family.log_prob_of_all(numbers, statistics);
                proper(log, || format!("{statistics:?}"))
            }
        }
    }

    fn element(&self, member: FamilyMember) -> AnyElement {
        let values = self.family.no_values();
        let kind = Kind::Atomic(Box::new(member));
        AnyElement::new(self.constructor, self.location, values, kind)
    }

    /// Calls `read` with the parameters of all rows, one member of the family for each row; if a row has invalid parameters, the error describes
    /// them.
    fn for_rows<R>(
        &self,
        arguments: &[&dyn AnyColumn],
        count: usize,
        read: impl FnOnce(&mut ParameterRows<'_>) -> Result<R, WrongRow>,
    ) -> Result<R, MemberFault> {
        let mut rows = ParameterRows::new(&self.sources, arguments, count);
        let read = contained(|| read(&mut rows)).map_err(MemberFault::Function)?;
        read.map_err(|(row, wrong)| {
            MemberFault::Parameters(message(&self.family, rows.numbers(row), &wrong))
        })
    }

    /// Returns the indices of those parameters of the family whose values come from the parent `parent`.
    fn range(&self, arguments: &[&dyn Any], parent: usize) -> Range<usize> {
        let mut start = 0;
        for source in &self.sources {
            let mut count = 0;
            match source {
                ParameterSource::Number(_) => count = 1,
                ParameterSource::Parent(at) => for_each_number(arguments[*at], |_| count += 1),
            }
            if matches!(source, ParameterSource::Parent(at) if *at == parent) {
                return start..start + count;
            }
            start += count;
        }
        start..start
    }

    fn add_likelihood(
        &self,
        arguments: &[&dyn Any],
        open: usize,
        values: MemberValues<'_>,
        likelihood: &mut Likelihood,
    ) -> Result<(), Fault> {
        let (numbers, range) = (self.numbers(arguments), self.range(arguments, open));
        let added = contained(|| self.family.likelihood(&numbers, range, values, likelihood))?;
        if added.is_none() {
            likelihood.refuse();
        }
        Ok(())
    }
}

impl ChainOp for OpenFamily {
    fn call(&self, arguments: &[&dyn Any]) -> Result<AnyElement, Fault> {
        Ok(self.element(self.member_for(arguments)))
    }

    fn family(&self) -> Option<&dyn FamilyOp> {
        Some(self)
    }

    fn heap_bytes(&self) -> usize {
        self.sources.capacity() * size_of::<ParameterSource>() + self.family.bytes()
    }
}

impl FamilyOp for OpenFamily {
    fn fixed_numbers(&self) -> Vec<&Number> {
        let sources = self.sources.iter();
        let fixed = sources.filter_map(|source| match source {
            ParameterSource::Number(number) => Some(number),
            ParameterSource::Parent(_) => None,
        });
        fixed.collect()
    }

    fn check(&self, arguments: &[&dyn Any]) -> Result<(), String> {
        let numbers = self.numbers(arguments);
        let checked =
            contained(|| self.family.check(&numbers)).map_err(|fault| fault.to_string())?;
        checked.map_err(|wrong| message(&self.family, &numbers, &wrong))
    }

    fn is_continuous(&self) -> bool {
        let numbers = self.sources.iter().map(|source| match source {
            ParameterSource::Number(number) => number.clone(),
            ParameterSource::Parent(_) => Number::Constant(f64::NAN),
        });
        let numbers: SmallVec<[Number; 4]> = numbers.collect();
        contained(|| self.family.is_continuous(&numbers)).unwrap_or(false)
    }

    fn outcomes(
        &self,
        arguments: &[&dyn Any],
    ) -> Result<Result<FiniteOutcomes, NotEnumerable>, Fault> {
        AtomicOp::outcomes(&self.member_for(arguments))
    }

    fn log_prob(&self, arguments: &[&dyn Any], value: &dyn Any) -> Result<f64, Fault> {
        let numbers = self.numbers(arguments);
        match contained(|| self.family.log_prob(&numbers, value))? {
            Some(log) => proper(log, || self.family.text(value)),
            None => Ok(f64::NEG_INFINITY),
        }
    }

    fn log_prob_for_numbers(&self, arguments: &[f64], value: &dyn Any) -> Option<f64> {
        let weighed = self.with_numbers(arguments, |numbers| self.family.log_prob(numbers, value));
        weighed.filter(|&log| log < f64::INFINITY)
    }

    fn log_probs_of_values(
        &self,
        arguments: &[f64],
        values: &[f64],
        logs: &mut Vec<f64>,
    ) -> Option<()> {
        self.with_numbers(arguments, |numbers| {
            (self.family).log_probs(numbers, MemberValues::Numbers(values), logs)
        })
    }

    fn max_log_prob(&self, value: &dyn Any) -> Option<f64> {
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
        Some(self.element(self.member(|parent| arguments[parent])))
    }

    fn sample(&self, arguments: &[&dyn Any], rng: &mut dyn Rng) -> Result<Datum, Fault> {
        let numbers = self.numbers(arguments);
        contained(|| self.family.sample(&numbers, rng))
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
        self.add_likelihood(arguments, open, MemberValues::one(value), likelihood)
    }

    fn likelihood_of_all(
        &self,
        arguments: &[&dyn Any],
        open: usize,
        values: &IidValues<'_>,
        likelihood: &mut Likelihood,
    ) -> Result<(), Fault> {
        let statistics = match values {
            IidValues::Values(values) => {
                let values = MemberValues::column(*values);
                return self.add_likelihood(arguments, open, values, likelihood);
            }
            IidValues::Statistics(statistics) => statistics,
        };
        let (numbers, range) = (self.numbers(arguments), self.range(arguments, open));
        contained(|| (self.family).likelihood_of_all(&numbers, range, statistics, likelihood))
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
            let values = MemberValues::Numbers(values);
            (self.family).likelihood(numbers, open..open + 1, values, likelihood)
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
                    OpenArgument::Known(value) => {
                        for_each_number(value, |x| parameters.push(Some(x)));
                    }
                    OpenArgument::Open(numbers) => parameters.extend(repeat_n(None, numbers)),
                },
            }
        }
        // An unknown parameter is checked as if it were zero.
        let numbers: Parameters = parameters.iter().map(|x| x.unwrap_or(0.0)).collect();
        match contained(|| self.family.check(&numbers)) {
            Err(fault) => return Err(fault.to_string()),
            Ok(Err(wrong)) => return Err(message(&self.family, &numbers, &wrong)),
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
        let numbers = self.numbers(arguments);
        contained(|| (self.family).sample_conditional(&numbers, likelihood, rng))
    }

    fn sample_many(
        &self,
        arguments: &[&dyn AnyColumn],
        count: usize,
        rng: &mut Stream,
    ) -> Result<Box<dyn AnyColumn>, MemberFault> {
        self.for_rows(arguments, count, |rows| self.family.sample_rows(rows, rng))
    }

    fn log_probs(
        &self,
        arguments: &[&dyn AnyColumn],
        count: usize,
        value: &dyn Any,
    ) -> Result<Vec<f64>, MemberFault> {
        let mut logs = self.for_rows(arguments, count, |rows| {
            let logs = self.family.log_probs_of_rows(rows, value);
            logs.unwrap_or_else(|| Ok(vec![f64::NEG_INFINITY; count]))
        })?;
        for log in &mut logs {
            *log = proper(*log, || self.family.text(value)).map_err(MemberFault::Function)?;
        }
        Ok(logs)
    }

    fn statistics(&self, values: &dyn AnyColumn) -> Option<Vec<f64>> {
        let statistics = contained(|| self.family.statistics(values)).ok()??;
        // Statistics that overflowed cannot be used.
        let all_finite = statistics.iter().all(|x| x.is_finite());
        all_finite.then_some(statistics)
    }

    fn log_prob_of_all(
        &self,
        arguments: &[&dyn Any],
        values: &IidValues<'_>,
    ) -> Result<f64, Fault> {
        let numbers = self.numbers(arguments);
        contained(|| self.sum(&numbers, values, &mut Vec::new()))?
    }

    fn log_prob_of_all_for_numbers(
        &self,
        arguments: &[f64],
        values: &IidValues<'_>,
    ) -> Option<f64> {
        self.with_numbers(arguments, |numbers| {
            self.sum(numbers, values, &mut Vec::new()).ok()
        })
    }

    fn log_probs_of_all(
        &self,
        arguments: &[&dyn AnyColumn],
        count: usize,
        values: &IidValues<'_>,
    ) -> Result<Vec<f64>, MemberFault> {
        let mut logs = Vec::new();
        let sums = self.for_rows(arguments, count, |rows| {
            let mut sums = Vec::with_capacity(count);
            for row in 0..count {
                let numbers = rows.numbers(row);
                self.family.check(numbers).map_err(|wrong| (row, wrong))?;
                sums.push(self.sum(numbers, values, &mut logs));
            }
            Ok(sums)
        })?;
        let sums: Result<Vec<f64>, Fault> = sums.into_iter().collect();
        sums.map_err(MemberFault::Function)
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
            && contained(|| self.family.is_same_as(other.family.as_any())).unwrap_or(false)
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
        self.family.list(of, values)
    }
}
