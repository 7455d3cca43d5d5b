//! The distribution of one element in an answer.

use std::any::Any;
use std::iter::{Copied, Zip};
use std::sync::Arc;
use std::{fmt, slice};

use figrs_core::{Element, Select, Value};
use num_traits::ToPrimitive;

use super::estimate::{Estimate, Quality};

/// The possible values of an element, with their probabilities.
#[derive(Clone, Debug)]
pub struct Marginal<T> {
    values: Vec<T>,
    probabilities: Vec<f64>,
    estimate: Estimate,
}

impl<T: Value> Marginal<T> {
    #[doc(hidden)]
    pub fn new(values: Vec<T>, probabilities: Vec<f64>, estimate: Estimate) -> Self {
        Self {
            values,
            probabilities,
            estimate,
        }
    }

    /// Iterates over the values with their probabilities. The values are in the order of the support if the probabilities are exact, and in
    /// the order of first occurrence if they are estimated from samples. The iteration may include values of probability zero.
    pub fn iter(&self) -> <&Self as IntoIterator>::IntoIter {
        self.into_iter()
    }

    /// Returns the number of values.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// True if there are no values.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns the probability of `value`; zero if `value` cannot occur. If the probabilities are estimated from draws, the result is the fraction of
    /// draws with exactly this value, which is meaningless for a continuous element.
    pub fn probability(&self, value: &T) -> f64 {
        self.probability_that(|v| v.same(value))
    }

    /// Returns the probability that the value of the element passes `test`.
    pub fn probability_that(&self, test: impl Fn(&T) -> bool) -> f64 {
        let passing = self.iter().filter(|(v, _)| test(v));
        // The sum of an empty list of floating-point numbers is -0.0; a fold from 0.0 returns 0.0.
        passing.fold(0.0, |sum, (_, p)| sum + p)
    }

    /// Returns the expectation of `function`, a function of the element's value.
    pub fn expectation(&self, function: impl Fn(&T) -> f64) -> f64 {
        // A value of probability zero is left out, because it may be infinite.
        let possible = self.iter().filter(|(_, p)| *p != 0.0);
        possible.map(|(v, p)| function(v) * p).sum()
    }

    /// Returns the most likely value; of several most likely values, the first in the order of the support. If the probabilities are
    /// estimated from draws, the result is the drawn value with the largest weight, which is meaningless for a continuous element.
    pub fn most_likely_value(&self) -> Option<&T> {
        let mut best: Option<(&T, f64)> = None;
        for (value, p) in self {
            if best.is_none_or(|(_, most)| p > most) {
                best = Some((value, p));
            }
        }
        best.map(|(value, _)| value)
    }

    /// Returns the distribution as a new element: a [`Select`] of the values, with their probabilities as weights. If the probabilities are
    /// estimated from draws, the new element has the values that were drawn.
    #[track_caller]
    pub fn element(&self) -> Element<T> {
        let possible = self.iter().filter(|(_, p)| *p > 0.0);
        Select::new(possible.map(|(value, p)| (p, value.clone())))
    }

    /// Returns the quality of the probabilities: exact, sampled or approximate.
    pub fn quality(&self) -> Quality {
        self.estimate
            .quality(&self.probabilities, || self.columns())
    }

    fn columns(&self) -> NumericColumns {
        NumericColumns::new(self.values.iter().map(|value| value as &dyn Any))
    }

    /// Returns the standard error of [`expectation`](Self::expectation) for the same `function`; zero if the expectation is exact, NaN if
    /// the error is unknown.
    ///
    /// For weighted samples, the error is `√Σ w²(f − μ)² / Σw` by the delta method (Geweke 1989), where `f` are the function's results, `μ` is their
    /// mean and `w` are the weights. For independent groups of samples, the formula of the delta method is applied to the groups instead of the
    /// samples. The error of groups is also multiplied by `√(K / (K − 1))`, where `K` is the effective number of groups, and by the
    /// [factor](crate::quality::diagnostics::few_groups_factor) of Student's t with `K − 1` degrees of freedom. Because the error is multiplied by
    /// `√(K / (K − 1))` and by the factor of Student's t, the interval of 1.96 standard errors on each side of an estimate from groups contains the
    /// exact number with a probability of 95 %. For Markov chains, the error is the standard deviation of the function, divided by the square root of
    /// its effective sample size. The error is infinite for fewer than two effective samples, for fewer than one and a half effective groups, and for
    /// a single chain of fewer than four draws. If the element is Boolean, or has no parents and at most 256 values, a possible value without samples
    /// enters the error with the upper bound of its probability ([`unseen_share`](crate::unseen_share)). The error is zero if the function has the
    /// same result for all values that were drawn or that may have been missed by the samples.
    pub fn standard_error_of(&self, function: impl Fn(&T) -> f64) -> f64 {
        let numbers: Vec<f64> = self.values.iter().map(function).collect();
        self.estimate.standard_error(&self.probabilities, &numbers)
    }

    /// Returns the standard error of [`probability`](Self::probability); zero if the probability is exact.
    pub fn standard_error(&self, value: &T) -> f64 {
        self.standard_error_that(|v| v.same(value))
    }

    /// Returns the [`standard_error`](Self::standard_error) of every value, in the order of [`iter`](Self::iter). One call of `standard_errors` is
    /// faster than a call of `standard_error` for each value.
    ///
    /// **Complexity.** The time is linear in the number of values and of samples. For Markov chains, all draws are read for each value.
    pub fn standard_errors(&self) -> Vec<f64> {
        let columns = || self.columns();
        self.estimate.value_errors(&self.probabilities, columns)
    }

    /// Returns the standard error of [`probability_that`](Self::probability_that); zero if the probability is exact.
    ///
    /// If all samples agree about `test`, the delta method gives an error of zero, which is too small. If all samples agree about `test`, the
    /// standard error is computed with one more sample that passes `test` and one more sample that fails `test` (Agresti and Coull 1998). With fewer
    /// than ten effective samples, one sample may outweigh all other samples. The error is at least the error that is computed with one added sample
    /// that passes `test` and one added sample that fails `test`. If all weighted samples or groups agree about `test`, the error is at least the 95
    /// % upper bound of the probability of unseen values ([`unseen_share`](crate::unseen_share)), which may be infinite. If all draws of Markov
    /// chains agree about `test`, the returned error is three divided by the effective sample size of the draws or larger, and never exceeds a
    /// quarter. If the chains left their most frequent value fewer than ten times, the effective sample size is replaced by the number of times that
    /// the chains left this value plus the number of chains.
    ///
    /// If few samples pass `test`, or few fail it, the error computed from the variance of the samples is too small. The standard error is increased
    /// if the effective number of samples that pass (or fail) `test` is below a hundred. If the effective number of samples that pass (or fail)
    /// `test` is below forty and the model bounds the weights of samples, the error also includes samples that may have been missed, each with the
    /// largest possible weight.
    pub fn standard_error_that(&self, test: impl Fn(&T) -> bool) -> f64 {
        let indicator = |value| f64::from(u8::from(test(value)));
        let indicator: Vec<f64> = self.values.iter().map(indicator).collect();
        let columns = || self.columns();
        self.estimate
            .event_error(&self.probabilities, &indicator, columns)
    }
}

impl<T: Value> PartialEq for Marginal<T> {
    /// True if both distributions have the same values with the same probabilities, in the same order, and equal estimates.
    fn eq(&self, other: &Self) -> bool {
        let values = self.values.iter().zip(&other.values);
        self.values.len() == other.values.len()
            && values.into_iter().all(|(a, b)| a.same(b))
            && self.probabilities == other.probabilities
            && self.estimate == other.estimate
    }
}

impl<'a, T: Value> IntoIterator for &'a Marginal<T> {
    type Item = (&'a T, f64);
    type IntoIter = Zip<slice::Iter<'a, T>, Copied<slice::Iter<'a, f64>>>;

    fn into_iter(self) -> Self::IntoIter {
        self.values.iter().zip(self.probabilities.iter().copied())
    }
}

impl<T: Value + ToPrimitive> Marginal<T> {
    /// Returns the mean of a numeric element.
    pub fn mean(&self) -> f64 {
        self.expectation(|v| v.to_f64().unwrap_or(f64::NAN))
    }

    /// Returns the variance of a numeric element.
    pub fn variance(&self) -> f64 {
        let mean = self.mean();
        self.expectation(|v| (v.to_f64().unwrap_or(f64::NAN) - mean).powi(2))
    }
}

impl<T: Value> fmt::Display for Marginal<T> {
    /// Writes one line with a bar for each value, in the order of the support. If there are more than twenty values, only the twenty most
    /// likely ones are written.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 20;
        let mut order: Vec<usize> = (0..self.values.len()).collect();
        if order.len() > SHOWN {
            order.sort_by(|&a, &b| self.probabilities[b].total_cmp(&self.probabilities[a]));
        }
        let shown = order.iter().take(SHOWN);
        let bars = shown.map(|&i| (format!("{:?}", self.values[i]), self.probabilities[i]));
        write_bars(f, &bars.collect::<Vec<_>>())?;
        if order.len() > SHOWN {
            writeln!(f, "… {} values in all", order.len())?;
        }
        Ok(())
    }
}

/// The components of a numeric value: one component of a number, several components of a list of floating-point numbers.
#[derive(Debug)]
pub enum NumericValue<'a> {
    /// The value is a number.
    One(f64),
    /// The value is a list of numbers.
    List(&'a [f64]),
}

impl NumericValue<'_> {
    /// Returns the components as a slice.
    pub fn as_slice(&self) -> &[f64] {
        match self {
            Self::One(number) => std::slice::from_ref(number),
            Self::List(numbers) => numbers,
        }
    }
}

macro_rules! number {
    ($value:ident: $($type:ty),+) => {
        $(if let Some(number) = $value.downcast_ref::<$type>() {
            return number.to_f64().map(NumericValue::One);
        })+
    };
}

/// Returns the components of `value`; `None` unless its type is a standard numeric type or a list of `f64`.
pub fn numbers(value: &dyn Any) -> Option<NumericValue<'_>> {
    number!(value: f64, f32, u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize);
    if let Some(list) = value.downcast_ref::<Vec<f64>>() {
        return Some(NumericValue::List(list));
    }
    let list = value.downcast_ref::<Arc<[f64]>>();
    list.map(|list| NumericValue::List(list))
}

/// True if `value` is a floating-point number or a list of floating-point numbers.
pub(crate) fn is_real(value: &dyn Any) -> bool {
    value.is::<f64>() || value.is::<f32>() || value.is::<Vec<f64>>() || value.is::<Arc<[f64]>>()
}

/// The components of all values of a target, stored in columns: each column contains one component of every value. If the values of the target are
/// not numbers, the list of columns is empty.
#[derive(Clone, Debug)]
pub struct NumericColumns {
    columns: Vec<Vec<f64>>,
    values: usize,
}

impl NumericColumns {
    /// Returns the columns of the numbers in `values`, one column for each position in a list. The list of columns is empty if the values are neither
    /// numbers nor lists of numbers of the same length.
    pub fn new<'a>(values: impl Iterator<Item = &'a dyn Any>) -> Self {
        let mut columns: Option<Vec<Vec<f64>>> = None;
        let mut count = 0;
        let mut numeric = true;
        for value in values {
            count += 1;
            let Some(numbers) = numbers(value).filter(|_| numeric) else {
                numeric = false;
                continue;
            };
            let row = numbers.as_slice();
            let columns = columns.get_or_insert_with(|| vec![Vec::new(); row.len()]);
            numeric = columns.len() == row.len();
            for (column, &number) in columns.iter_mut().zip(row) {
                column.push(number);
            }
        }
        Self {
            columns: columns.filter(|_| numeric).unwrap_or_default(),
            values: count,
        }
    }

    pub(crate) fn values(&self) -> usize {
        self.values
    }

    /// True if there are no columns, because the values are not numbers.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// Iterates over the columns of numbers, one for each component of a value.
    pub fn iter(&self) -> impl Iterator<Item = &[f64]> {
        self.columns.iter().map(Vec::as_slice)
    }
}

#[cfg(test)]
mod numeric_tests {
    use super::*;

    fn columns(values: &[&dyn Any]) -> Vec<Vec<f64>> {
        let columns = NumericColumns::new(values.iter().copied());
        assert_eq!(columns.values(), values.len());
        columns.columns
    }

    #[test]
    fn numbers_and_lists_of_one_length_have_columns() {
        assert_eq!(columns(&[&3u8, &-2i64]), [[3.0, -2.0]]);
        let lists = columns(&[&vec![1.0, 2.0], &vec![3.0, 4.0]]);
        assert_eq!(lists, [[1.0, 3.0], [2.0, 4.0]]);
        assert!(columns(&[&vec![1.0], &vec![3.0, 4.0]]).is_empty());
        assert!(columns(&[&true]).is_empty() && columns(&[&1.0, &"x"]).is_empty());
        assert!(columns(&[]).is_empty());
    }
}

/// Length, in characters, of the bar for the probability one.
const WIDTH: f64 = 40.0;

pub(super) fn write_bars(
    f: &mut fmt::Formatter<'_>,
    bars: &[(impl AsRef<str>, f64)],
) -> fmt::Result {
    let names = bars.iter().map(|(name, _)| name.as_ref().chars().count());
    let width = names.max().unwrap_or(0);
    for (name, p) in bars {
        let bar = "█".repeat((p * WIDTH).round() as usize);
        writeln!(f, "{:>width$} {p:8.6} {bar}", name.as_ref())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_and_the_most_likely_value() {
        let die = Marginal::new(vec![1, 2, 3], vec![0.25, 0.5, 0.25], Estimate::Exact);
        assert_eq!(die.mean(), 2.0);
        assert_eq!(die.variance(), 0.5);
        assert_eq!(die.most_likely_value(), Some(&2));
        assert_eq!(die.standard_error(&2), 0.0);
        assert_eq!(die.to_string().lines().count(), 3);
    }

    #[test]
    fn marginals_are_equal_by_values_and_probabilities() {
        let coin = |p| Marginal::new(vec![0.0, 1.0], vec![1.0 - p, p], Estimate::Exact);
        assert_eq!(coin(0.25), coin(0.25));
        assert_ne!(coin(0.25), coin(0.5));
        let sampled = Estimate::Weighted {
            squares: vec![0.01, 0.01],
            unseen: 0.01,
        };
        assert_ne!(
            coin(0.5),
            Marginal::new(vec![0.0, 1.0], vec![0.5, 0.5], sampled)
        );
        let mut sum = 0.0;
        for (value, p) in &coin(0.25) {
            sum += value * p;
        }
        assert_eq!(sum, 0.25);
    }

    #[test]
    fn agreement_of_few_samples_is_not_certainty() {
        let three = Marginal::new(
            vec![true],
            vec![1.0],
            Estimate::Weighted {
                squares: vec![1.0 / 3.0],
                unseen: 0.01,
            },
        );
        assert!(three.standard_error(&true) > 0.1);
        let fair = Marginal::new(
            vec![true, false],
            vec![0.5, 0.5],
            Estimate::Weighted {
                squares: vec![0.005, 0.005],
                unseen: 0.01,
            },
        );
        assert!((fair.standard_error(&true) - 0.05).abs() < 1e-12);
    }
}
