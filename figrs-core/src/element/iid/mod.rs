//! `Iid`: a list of independent values of one distribution.

use std::any::Any;
use std::marker::PhantomData;
use std::panic::Location;

use rand::Rng;

use super::distribution::{Space, Tails};
use super::likelihood::{Likelihood, Term};
use super::node::{AnyElement, Kind};
use super::operations::{
    AtomicOp, ChainOp, FamilyOp, FiniteOutcomes, IidValues, MemberFault, NotEnumerable,
    NumbersReplaced, SufficientStatistics,
};
use super::param::Number;
use super::parents::AsElement;
use crate::element::copies::copied;
use crate::element::{Element, inject_at};
use crate::error::Fault;
use crate::random::Stream;
use crate::value::Value;
use crate::value::datum::Datum;
use crate::value::support::{AnyColumn, SupportBuilder};

/// Builds a list of independent and identically distributed values.
#[derive(Debug)]
pub struct Iid;

impl Iid {
    /// Creates a list of `count` values with the distribution of `element`; the values are independent given the values of the
    /// element's parents.
    ///
    /// The list of independent values is a single element, and can be observed like any other element. If the distribution has sufficient statistics,
    /// as [`Normal`](crate::Normal) and [`Flip`](crate::Flip) do, the probability of many observed values is computed as fast as that of a single
    /// value.
    ///
    /// ```
    /// # use figrs_core::{Iid, Model, Normal, Variance};
    /// let mean = Normal::new(0.0, Variance(4.0));
    /// let measured = Iid::new(&Normal::new(&mean, Variance(1.0)), 3);
    /// let model = Model::new().observe(&measured, vec![0.9, 1.4, 1.1]);
    /// # drop(model);
    /// ```
    ///
    /// The element that `Iid` repeats must make a random choice of its own, given its parents. `Iid` of a deterministic function of other elements,
    /// or of a [`Score`](crate::Score), is an error. For independent values of a deterministic function, build a new element for each value inside
    /// the function of a [`Chain`](crate::Chain).
    #[track_caller]
    pub fn new<T: Value>(element: impl AsElement<Value = T>, count: usize) -> Element<Vec<T>> {
        let of = element.as_element().erased();
        iid_at(of, count, "Iid", Location::caller())
    }
}

pub(crate) fn iid_at<T: Value>(
    of: &AnyElement,
    count: usize,
    constructor: &'static str,
    location: &'static Location<'static>,
) -> Element<Vec<T>> {
    let list = IidList::<T> {
        constructor,
        location,
        of: of.clone(),
        count,
        values: PhantomData,
    };
    let kind = match of.kind() {
        Kind::Chain(parents, op) if op.family().is_some() => {
            Kind::Chain(parents.clone(), Box::new(list))
        }
        Kind::Chain(..) | Kind::Table(..) => {
            let copies = (0..count).map(|_| copied(of, location));
            return inject_at(constructor, location, copies);
        }
        Kind::Atomic(_) | Kind::Apply(..) | Kind::Score(..) => Kind::Atomic(Box::new(list)),
    };
    Element::from_kind(constructor, location, kind)
}

/// Maximum number of possible lists for which the support of an `Iid` element is listed.
const MAX_ENUMERATED_LISTS: usize = 1 << 16;

/// The distribution of a list of independent values of an element, which has no parents or is a member of a parametric family.
struct IidList<T> {
    constructor: &'static str,
    location: &'static Location<'static>,
    of: AnyElement,
    count: usize,
    values: PhantomData<fn() -> T>,
}

impl<T: Value> IidList<T> {
    fn atomic(&self) -> Result<&dyn AtomicOp, String> {
        match self.of.kind() {
            Kind::Atomic(op) => Ok(&**op),
            _ => Err(format!(
                "cannot list values of {}, which is a function of other elements; list the random element, and `map` the list",
                self.of.label()
            )),
        }
    }

    fn family(&self) -> &dyn FamilyOp {
        let family = self.of.kind().family();
        family.expect("a list that is a Chain is made of a family")
    }

    /// Calls `read` with `value` if `value` is a list of the required length, or the sufficient statistics of such a list.
    fn read<R>(&self, value: &dyn Any, read: impl FnOnce(&IidValues<'_>) -> R) -> Option<R> {
        if let Some(SufficientStatistics(statistics)) = value.downcast_ref() {
            return Some(read(&IidValues::Statistics(statistics)));
        }
        let values = value.downcast_ref::<Vec<T>>()?;
        (values.len() == self.count).then(|| read(&IidValues::Values(values)))
    }

    /// Calls `read` with the sufficient statistics of `value` if they exist, and otherwise with `value`.
    fn read_short<R>(&self, value: &dyn Any, read: impl FnOnce(&IidValues<'_>) -> R) -> Option<R> {
        match self.summary(value) {
            Some(summary) => self.read(&summary, read),
            None => self.read(value, read),
        }
    }

    /// Returns all lists that consist of values in `outcomes`; the last value changes fastest.
    fn lists(
        &self,
        outcomes: Result<FiniteOutcomes, NotEnumerable>,
    ) -> Result<FiniteOutcomes, NotEnumerable> {
        let none = || Ok((SupportBuilder::new::<T>().build(), Vec::new()));
        let (values, each) = match outcomes {
            _ if self.count == 0 => none()?,
            Err(endless) => return Err(endless),
            Ok(outcomes) => (outcomes.support, outcomes.probabilities),
        };
        let size = |all: usize, _| {
            all.checked_mul(each.len())
                .filter(|&all| all <= MAX_ENUMERATED_LISTS)
        };
        let Some(size) = (0..self.count).try_fold(1, size) else {
            return Err(NotEnumerable::TooMany);
        };
        let mut support = SupportBuilder::new::<Vec<T>>();
        let mut probabilities = Vec::with_capacity(size);
        for number in 0..size {
            let (mut rest, mut probability) = (number, 1.0);
            let mut list = Vec::with_capacity(self.count);
            for _ in 0..self.count {
                let at = rest % each.len();
                rest /= each.len();
                probability *= each[at];
                list.extend(values.get::<T>(at).cloned());
            }
            list.reverse();
            support.insert(&list);
            probabilities.push(probability);
        }
        Ok(FiniteOutcomes {
            support: support.build(),
            probabilities,
        })
    }
}

fn typed<T: Value>(column: &dyn AnyColumn) -> &[T] {
    column
        .as_any()
        .downcast_ref::<Vec<T>>()
        .map_or(&[], Vec::as_slice)
}

impl<T: Value> AtomicOp for IidList<T> {
    fn check(&self) -> Result<(), String> {
        self.atomic()?.check()
    }

    fn outcomes(&self) -> Result<Result<FiniteOutcomes, NotEnumerable>, Fault> {
        let op = self.atomic().map_err(Fault::Distribution)?;
        Ok(self.lists(op.outcomes()?))
    }

    fn log_prob(&self, value: &dyn Any) -> Result<f64, Fault> {
        let op = self.atomic().map_err(Fault::Distribution)?;
        match value.downcast_ref::<Vec<T>>() {
            Some(values) if values.len() == self.count => op.log_prob_of_all(values),
            _ => Ok(f64::NEG_INFINITY),
        }
    }

    fn numbers(&self) -> &[Number] {
        self.atomic().map_or(&[], AtomicOp::numbers)
    }

    fn log_prob_derivative(&self, number: usize, value: &dyn Any) -> Result<Option<f64>, Fault> {
        let op = self.atomic().map_err(Fault::Distribution)?;
        // For a list of probability zero, this derivative would need the product of the probabilities of all other values.
        if AtomicOp::log_prob(self, value)? == f64::NEG_INFINITY {
            return Ok(None);
        }
        let mut sum = 0.0;
        for value in value.downcast_ref::<Vec<T>>().into_iter().flatten() {
            let Some(slope) = op.log_prob_derivative(number, value)? else {
                return Ok(None);
            };
            sum += slope;
        }
        Ok(Some(sum))
    }

    fn log_prob_with(&self, numbers: &[f64], value: &dyn Any) -> Result<NumbersReplaced, Fault> {
        let op = self.atomic().map_err(Fault::Distribution)?;
        let mut sum = 0.0;
        for value in value.downcast_ref::<Vec<T>>().into_iter().flatten() {
            match op.log_prob_with(numbers, value)? {
                Some(Ok(log)) => sum += log,
                other => return Ok(other),
            }
        }
        Ok(Some(Ok(sum)))
    }

    fn sample(&self, rng: &mut dyn Rng) -> Result<Datum, Fault> {
        let op = self.atomic().map_err(Fault::Distribution)?;
        let mut list: Vec<T> = Vec::with_capacity(self.count);
        for _ in 0..self.count {
            list.extend(op.sample(rng)?.get::<T>().cloned());
        }
        Ok(Datum::new(list))
    }

    fn sample_many(&self, count: usize, rng: &mut Stream) -> Result<Box<dyn AnyColumn>, Fault> {
        let op = self.atomic().map_err(Fault::Distribution)?;
        let mut lists: Vec<Vec<T>> = Vec::with_capacity(count);
        for _ in 0..count {
            let drawn = op.sample_many(self.count, rng)?;
            lists.push(typed(&*drawn).to_vec());
        }
        Ok(Box::new(lists))
    }

    fn log_prob_of_all(&self, values: &dyn AnyColumn) -> Result<f64, Fault> {
        (0..values.len())
            .map(|at| AtomicOp::log_prob(self, values.any(at)))
            .sum()
    }

    fn tails(&self, _: &dyn Any) -> Result<Option<Tails>, Fault> {
        Ok(None)
    }

    fn space(&self) -> Space {
        Space::Real
    }

    fn describe(&self) -> String {
        let of = self.atomic().map(AtomicOp::describe);
        format!("{} of {}", self.count, of.unwrap_or_default())
    }
}

impl<T: Value> ChainOp for IidList<T> {
    fn call(&self, arguments: &[&dyn Any]) -> Result<AnyElement, Fault> {
        let of = match self.of.kind() {
            Kind::Chain(_, op) => op.call(arguments)?,
            _ => self.of.clone(),
        };
        let list = Self {
            constructor: self.constructor,
            location: self.location,
            of,
            count: self.count,
            values: PhantomData,
        };
        let kind = Kind::Atomic(Box::new(list));
        let element = Element::<Vec<T>>::from_kind(self.constructor, self.location, kind);
        Ok(element.erased().clone())
    }

    fn family(&self) -> Option<&dyn FamilyOp> {
        Some(self)
    }
}

impl<T: Value> FamilyOp for IidList<T> {
    fn fixed_numbers(&self) -> Vec<&Number> {
        self.family().fixed_numbers()
    }

    fn check(&self, arguments: &[&dyn Any]) -> Result<(), String> {
        self.family().check(arguments)
    }

    fn is_continuous(&self) -> bool {
        self.count > 0 && self.family().is_continuous()
    }

    fn outcomes(
        &self,
        arguments: &[&dyn Any],
    ) -> Result<Result<FiniteOutcomes, NotEnumerable>, Fault> {
        Ok(self.lists(self.family().outcomes(arguments)?))
    }

    fn log_prob(&self, arguments: &[&dyn Any], value: &dyn Any) -> Result<f64, Fault> {
        let log = |values: &IidValues<'_>| self.family().log_prob_of_all(arguments, values);
        self.read_short(value, log).unwrap_or(Ok(f64::NEG_INFINITY))
    }

    fn log_prob_for_numbers(&self, arguments: &[f64], value: &dyn Any) -> Option<f64> {
        let log =
            |values: &IidValues<'_>| self.family().log_prob_of_all_for_numbers(arguments, values);
        self.read(value, log).unwrap_or(Some(f64::NEG_INFINITY))
    }

    fn space(&self) -> Space {
        Space::Real
    }

    fn likelihood(
        &self,
        arguments: &[&dyn Any],
        open: usize,
        value: &dyn Any,
        likelihood: &mut Likelihood,
    ) -> Result<(), Fault> {
        let add = |values: &IidValues<'_>| {
            let family = self.family();
            family.likelihood_of_all(arguments, open, values, &mut *likelihood)
        };
        let Some(added) = self.read(value, add) else {
            likelihood.refuse();
            return Ok(());
        };
        added
    }

    fn likelihood_of_all(
        &self,
        arguments: &[&dyn Any],
        open: usize,
        values: &IidValues<'_>,
        likelihood: &mut Likelihood,
    ) -> Result<(), Fault> {
        let IidValues::Values(lists) = values else {
            likelihood.refuse();
            return Ok(());
        };
        let mut each = (0..lists.len()).map(|at| lists.any(at));
        each.try_for_each(|list| FamilyOp::likelihood(self, arguments, open, list, likelihood))
    }

    fn conjugate_terms(&self) -> &'static [Term] {
        &[]
    }

    fn sample_conditional(
        &self,
        _: &[&dyn Any],
        _: &Likelihood,
        _: &mut dyn Rng,
    ) -> Result<Option<Datum>, Fault> {
        Ok(None)
    }

    fn sample(&self, arguments: &[&dyn Any], rng: &mut dyn Rng) -> Result<Datum, Fault> {
        let mut list: Vec<T> = Vec::with_capacity(self.count);
        for _ in 0..self.count {
            let value = self.family().sample(arguments, rng)?;
            list.extend(value.get::<T>().cloned());
        }
        Ok(Datum::new(list))
    }

    fn sample_many(
        &self,
        arguments: &[&dyn AnyColumn],
        count: usize,
        rng: &mut Stream,
    ) -> Result<Box<dyn AnyColumn>, MemberFault> {
        let mut lists: Vec<Vec<T>> = Vec::new();
        lists.resize_with(count, || Vec::with_capacity(self.count));
        for _ in 0..self.count {
            let drawn = self.family().sample_many(arguments, count, rng)?;
            for (list, value) in lists.iter_mut().zip(typed::<T>(&*drawn)) {
                list.push(value.clone());
            }
        }
        Ok(Box::new(lists))
    }

    fn log_probs(
        &self,
        arguments: &[&dyn AnyColumn],
        count: usize,
        value: &dyn Any,
    ) -> Result<Vec<f64>, MemberFault> {
        let logs =
            |values: &IidValues<'_>| self.family().log_probs_of_all(arguments, count, values);
        let none = || Ok(vec![f64::NEG_INFINITY; count]);
        self.read_short(value, logs).unwrap_or_else(none)
    }

    fn statistics(&self, _: &dyn AnyColumn) -> Option<Vec<f64>> {
        None
    }

    fn log_prob_of_all(
        &self,
        arguments: &[&dyn Any],
        values: &IidValues<'_>,
    ) -> Result<f64, Fault> {
        let IidValues::Values(lists) = values else {
            return Ok(f64::NEG_INFINITY);
        };
        let log = |at| FamilyOp::log_prob(self, arguments, lists.any(at));
        (0..lists.len()).map(log).sum()
    }

    fn log_prob_of_all_for_numbers(
        &self,
        arguments: &[f64],
        values: &IidValues<'_>,
    ) -> Option<f64> {
        let IidValues::Values(lists) = values else {
            return None;
        };
        let log = |at| self.log_prob_for_numbers(arguments, lists.any(at));
        (0..lists.len()).map(log).sum()
    }

    fn log_probs_of_all(
        &self,
        arguments: &[&dyn AnyColumn],
        count: usize,
        values: &IidValues<'_>,
    ) -> Result<Vec<f64>, MemberFault> {
        let mut sums = vec![0.0; count];
        if let IidValues::Values(lists) = values {
            for at in 0..lists.len() {
                let logs = self.log_probs(arguments, count, lists.any(at))?;
                sums.iter_mut().zip(logs).for_each(|(sum, log)| *sum += log);
            }
        }
        Ok(sums)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn summary(&self, value: &dyn Any) -> Option<SufficientStatistics> {
        let values = value.downcast_ref::<Vec<T>>();
        let values = values.filter(|values| values.len() == self.count)?;
        self.family().statistics(values).map(SufficientStatistics)
    }
}

#[cfg(test)]
mod tests;
