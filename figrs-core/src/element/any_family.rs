//! Families of distributions without their types.
//!
//! Only the code in this file is compiled separately for each type of family of distributions. The functions of this file do not catch a panic of a
//! family's method.

use std::any::{Any, TypeId};
use std::fmt::Debug;
use std::marker::PhantomData;
use std::ops::{Deref, Range};
use std::slice;
use std::sync::Arc;

use rand::Rng;

use super::distribution::{Family, Outcomes, Space, Tails, WrongParameter};
use super::likelihood::{Likelihood, Term};
use super::linear::LinearGaussian;
use super::node::AnyElement;
use super::operations::{FiniteOutcomes, NotEnumerable};
use super::param::Number;
use super::parameter_rows::ParameterRows;
use crate::element::{iid_at, listed};
use crate::error::Fault;
use crate::random::Stream;
use crate::value::datum::Datum;
use crate::value::support::{AnyColumn, SupportBuilder};
use crate::value::{Value, canonical};

/// The values of an untyped list for one member (one set of parameters) of a family of distributions.
#[derive(Clone, Copy)]
pub(super) enum MemberValues<'a> {
    Numbers(&'a [f64]),
    /// One value that is not a number.
    One(&'a dyn Any),
    /// A `Vec` of values that are not numbers.
    List(&'a dyn Any),
}

impl<'a> MemberValues<'a> {
    pub(super) fn one(value: &'a dyn Any) -> Self {
        let number = value.downcast_ref().map(slice::from_ref);
        number.map_or(Self::One(value), Self::Numbers)
    }

    pub(super) fn column(values: &'a dyn AnyColumn) -> Self {
        let numbers: Option<&Vec<f64>> = values.as_any().downcast_ref();
        numbers.map_or(Self::List(values.as_any()), |x| Self::Numbers(x))
    }

    /// Calls `each` with every value; returns `None` if the values do not have the expected type.
    #[inline]
    fn for_each<T: Value>(self, mut each: impl FnMut(&T)) -> Option<()> {
        let values = match self {
            Self::Numbers(numbers) => {
                for number in numbers {
                    each((number as &dyn Any).downcast_ref()?);
                }
                return Some(());
            }
            _ if TypeId::of::<T>() == TypeId::of::<f64>() => return None,
            Self::One(value) => slice::from_ref(value.downcast_ref::<T>()?),
            Self::List(values) => values.downcast_ref::<Vec<T>>()?,
        };
        values.iter().for_each(each);
        Some(())
    }
}

/// The index of a row of invalid parameters, and the error in these parameters.
pub(super) type WrongRow = (usize, WrongParameter);

/// A [`Family`] of distributions without its type. A method that receives a value returns `None` if the value has another type.
pub(super) trait AnyFamily: Debug + Send + Sync {
    fn parameters(&self) -> &'static [&'static str];
    fn check(&self, parameters: &[f64]) -> Result<(), WrongParameter>;
    fn is_continuous(&self, parameters: &[Number]) -> bool;
    fn outcomes(
        &self,
        parameters: &[Number],
    ) -> Result<Result<FiniteOutcomes, NotEnumerable>, Fault>;
    fn log_prob(&self, parameters: &[f64], value: &dyn Any) -> Option<f64>;
    /// Appends the log-probability of each value under the family to `logs`.
    fn log_probs(
        &self,
        parameters: &[f64],
        values: MemberValues<'_>,
        logs: &mut Vec<f64>,
    ) -> Option<()>;
    /// Checks each row of parameters, and returns the log-probabilities of `value` for the rows.
    fn log_probs_of_rows(
        &self,
        rows: &mut ParameterRows<'_>,
        value: &dyn Any,
    ) -> Option<Result<Vec<f64>, WrongRow>>;
    fn sample(&self, parameters: &[f64], rng: &mut dyn Rng) -> Datum;
    fn sample_many(&self, parameters: &[f64], count: usize, rng: &mut Stream)
    -> Box<dyn AnyColumn>;
    /// Checks each row of parameters, and draws a value for the parameters of each row.
    fn sample_rows(
        &self,
        rows: &mut ParameterRows<'_>,
        rng: &mut Stream,
    ) -> Result<Box<dyn AnyColumn>, WrongRow>;
    fn sample_conditional(
        &self,
        parameters: &[f64],
        likelihood: &Likelihood,
        rng: &mut dyn Rng,
    ) -> Option<Datum>;
    /// Adds the log-probability of each value of the family to `likelihood`.
    fn likelihood(
        &self,
        parameters: &[f64],
        open: Range<usize>,
        values: MemberValues<'_>,
        likelihood: &mut Likelihood,
    ) -> Option<()>;
    fn likelihood_of_all(
        &self,
        parameters: &[f64],
        open: Range<usize>,
        statistics: &[f64],
        likelihood: &mut Likelihood,
    );
    fn statistics(&self, values: &dyn AnyColumn) -> Option<Vec<f64>>;
    fn log_prob_of_all(&self, parameters: &[f64], statistics: &[f64]) -> f64;
    fn max_log_prob(&self, parameters: &[Option<f64>], value: &dyn Any) -> Option<f64>;
    fn log_prob_derivative(&self, parameters: &[f64], index: usize, value: &dyn Any)
    -> Option<f64>;
    fn tails(&self, parameters: &[f64], value: &dyn Any) -> Option<Tails>;
    fn space(&self) -> Space;
    fn conjugate_terms(&self) -> &'static [Term];
    fn posterior(&self, parameters: &[f64], likelihood: &Likelihood) -> Option<Vec<f64>>;
    fn moments(&self, parameters: &[f64]) -> Option<Vec<(f64, f64)>>;
    fn mode(&self, parameters: &[f64]) -> Option<Vec<f64>>;
    fn student_t_of_spread(&self, parameters: &[f64]) -> Option<(f64, f64)>;
    fn linear_gaussian(&self, parameters: &[Option<f64>]) -> Option<LinearGaussian>;
    fn describe(&self, parameters: &[Number]) -> String;
    fn heap_bytes(&self) -> usize;
    fn as_any(&self) -> &dyn Any;
    /// True if `other`, the result of [`as_any`](Self::as_any) of another family, is the same family.
    fn is_same_as(&self, other: &dyn Any) -> bool;
    /// Returns the function that creates an empty list of values of the family.
    fn no_values(&self) -> fn() -> SupportBuilder;
    /// Returns the text of `value` for messages.
    fn text(&self, value: &dyn Any) -> String;
    /// Returns an element that is a list of independent values with the distribution of `of`, and the list of `values` as a value of this element.
    fn list(&self, of: &AnyElement, values: &[&Datum]) -> Option<(AnyElement, Datum)>;
}

/// A family of distributions that several elements share.
#[derive(Clone, Debug)]
pub(super) enum SharedFamily {
    /// A family without fields, which needs no memory.
    Empty(&'static dyn AnyFamily),
    Counted(Arc<dyn AnyFamily>),
}

impl SharedFamily {
    pub(super) fn new<T: Value>(family: impl Family<T>) -> Self {
        let family = TypedFamily {
            family,
            values: PhantomData,
        };
        if size_of_val(&family) == 0 {
            Self::Empty(Box::leak(Box::new(family)))
        } else {
            Self::Counted(Arc::new(family))
        }
    }

    /// Returns the number of bytes of the family with the heap memory that it holds; zero if other references to the family exist.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Counted(family) if Arc::strong_count(family) == 1 => {
                size_of_val(&**family) + family.heap_bytes()
            }
            Self::Empty(_) | Self::Counted(_) => 0,
        }
    }
}

impl Deref for SharedFamily {
    type Target = dyn AnyFamily;

    #[inline]
    fn deref(&self) -> &Self::Target {
        match self {
            Self::Empty(family) => *family,
            Self::Counted(family) => &**family,
        }
    }
}

struct TypedFamily<T, F> {
    family: F,
    values: PhantomData<fn() -> T>,
}

impl<T, F: Debug> Debug for TypedFamily<T, F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.family.fmt(f)
    }
}

impl<T: Value, F: Family<T>> TypedFamily<T, F> {
    /// Checks each row of parameters, and calls `each` with the parameters of the row.
    #[inline]
    fn for_each_row(
        &self,
        rows: &mut ParameterRows<'_>,
        mut each: impl FnMut(&[f64]),
    ) -> Result<(), WrongRow> {
        let mut checked = |row, numbers: &[f64]| match self.family.check(numbers) {
            Ok(()) => {
                each(numbers);
                Ok(())
            }
            Err(wrong) => Err((row, wrong)),
        };
        // If the parameters of a row are in an array of known length, the compiler moves computations that use only constants out of the loop.
        match rows.first_column() {
            Some((first, None)) => {
                for (row, &first) in first.iter().enumerate() {
                    checked(row, &[first])?;
                }
            }
            Some((first, Some(second))) => {
                for (row, &first) in first.iter().enumerate() {
                    checked(row, &[first, second])?;
                }
            }
            None => {
                for row in 0..rows.count() {
                    checked(row, rows.numbers(row))?;
                }
            }
        }
        Ok(())
    }
}

impl<T: Value, F: Family<T>> AnyFamily for TypedFamily<T, F> {
    fn parameters(&self) -> &'static [&'static str] {
        self.family.parameters()
    }

    fn check(&self, parameters: &[f64]) -> Result<(), WrongParameter> {
        self.family.check(parameters)
    }

    fn is_continuous(&self, parameters: &[Number]) -> bool {
        matches!(self.family.outcomes(parameters), Outcomes::Continuous)
    }

    fn outcomes(
        &self,
        parameters: &[Number],
    ) -> Result<Result<FiniteOutcomes, NotEnumerable>, Fault> {
        listed(self.family.outcomes(parameters))
    }

    fn log_prob(&self, parameters: &[f64], value: &dyn Any) -> Option<f64> {
        Some(self.family.log_prob(parameters, value.downcast_ref()?))
    }

    fn log_probs(
        &self,
        parameters: &[f64],
        values: MemberValues<'_>,
        logs: &mut Vec<f64>,
    ) -> Option<()> {
        values.for_each(|value| logs.push(self.family.log_prob(parameters, value)))
    }

    fn log_probs_of_rows(
        &self,
        rows: &mut ParameterRows<'_>,
        value: &dyn Any,
    ) -> Option<Result<Vec<f64>, WrongRow>> {
        let value = value.downcast_ref()?;
        let mut logs = Vec::with_capacity(rows.count());
        let weigh = |numbers: &[f64]| logs.push(self.family.log_prob(numbers, value));
        Some(self.for_each_row(rows, weigh).map(|()| logs))
    }

    fn sample(&self, parameters: &[f64], rng: &mut dyn Rng) -> Datum {
        Datum::new(self.family.sample(parameters, rng))
    }

    fn sample_many(
        &self,
        parameters: &[f64],
        count: usize,
        rng: &mut Stream,
    ) -> Box<dyn AnyColumn> {
        let draw = |_| canonical(self.family.sample(parameters, rng));
        Box::new((0..count).map(draw).collect::<Vec<T>>())
    }

    fn sample_rows(
        &self,
        rows: &mut ParameterRows<'_>,
        rng: &mut Stream,
    ) -> Result<Box<dyn AnyColumn>, WrongRow> {
        let mut values = Vec::with_capacity(rows.count());
        self.for_each_row(rows, |numbers| {
            values.push(canonical(self.family.sample(numbers, rng)));
        })?;
        Ok(Box::new(values))
    }

    fn sample_conditional(
        &self,
        parameters: &[f64],
        likelihood: &Likelihood,
        rng: &mut dyn Rng,
    ) -> Option<Datum> {
        let drawn = self.family.sample_conditional(parameters, likelihood, rng);
        drawn.map(Datum::new)
    }

    fn likelihood(
        &self,
        parameters: &[f64],
        open: Range<usize>,
        values: MemberValues<'_>,
        likelihood: &mut Likelihood,
    ) -> Option<()> {
        values.for_each(|value| {
            (self.family).likelihood(parameters, open.clone(), value, likelihood);
        })
    }

    fn likelihood_of_all(
        &self,
        parameters: &[f64],
        open: Range<usize>,
        statistics: &[f64],
        likelihood: &mut Likelihood,
    ) {
        (self.family).likelihood_of_all(parameters, open, statistics, likelihood);
    }

    fn statistics(&self, values: &dyn AnyColumn) -> Option<Vec<f64>> {
        let values = values.as_any().downcast_ref::<Vec<T>>()?;
        self.family.statistics(values)
    }

    fn log_prob_of_all(&self, parameters: &[f64], statistics: &[f64]) -> f64 {
        self.family.log_prob_of_all(parameters, statistics)
    }

    fn max_log_prob(&self, parameters: &[Option<f64>], value: &dyn Any) -> Option<f64> {
        (self.family).max_log_prob(parameters, value.downcast_ref()?)
    }

    fn log_prob_derivative(
        &self,
        parameters: &[f64],
        index: usize,
        value: &dyn Any,
    ) -> Option<f64> {
        (self.family).log_prob_derivative(parameters, index, value.downcast_ref()?)
    }

    fn tails(&self, parameters: &[f64], value: &dyn Any) -> Option<Tails> {
        self.family.tails(parameters, value.downcast_ref()?)
    }

    fn space(&self) -> Space {
        self.family.space()
    }

    fn conjugate_terms(&self) -> &'static [Term] {
        self.family.conjugate_terms()
    }

    fn posterior(&self, parameters: &[f64], likelihood: &Likelihood) -> Option<Vec<f64>> {
        self.family.posterior(parameters, likelihood)
    }

    fn moments(&self, parameters: &[f64]) -> Option<Vec<(f64, f64)>> {
        self.family.moments(parameters)
    }

    fn mode(&self, parameters: &[f64]) -> Option<Vec<f64>> {
        self.family.mode(parameters)
    }

    fn student_t_of_spread(&self, parameters: &[f64]) -> Option<(f64, f64)> {
        self.family.student_t_of_spread(parameters)
    }

    fn linear_gaussian(&self, parameters: &[Option<f64>]) -> Option<LinearGaussian> {
        self.family.linear_gaussian(parameters)
    }

    fn describe(&self, parameters: &[Number]) -> String {
        self.family.describe(parameters)
    }

    fn heap_bytes(&self) -> usize {
        self.family.heap_bytes()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn is_same_as(&self, other: &dyn Any) -> bool {
        let other = other.downcast_ref::<Self>();
        other.is_some_and(|other| self.family.is_same_as(&other.family))
    }

    fn no_values(&self) -> fn() -> SupportBuilder {
        SupportBuilder::new::<T>
    }

    fn text(&self, value: &dyn Any) -> String {
        let value = value.downcast_ref::<T>();
        value.map_or_else(String::new, |value| format!("{value:?}"))
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
