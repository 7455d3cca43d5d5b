//! `Select`: the categorical distribution on a list of values.

use std::ops::Range;
use std::panic::Location;
use std::sync::OnceLock;

use indexmap::IndexSet;
use rand::{Rng, RngExt};
use rustc_hash::FxBuildHasher;

use super::alias::Alias;
use super::distribution::{Family, Outcomes, WrongParameter};
use super::likelihood::Likelihood;
use super::moments::times;
use super::param::{Number, Operand};
use crate::element::{Element, Parameter, family_of};
use crate::value::vector::Vector;
use crate::value::{Key, KeyRef, Value};

/// Builds an element that is one of several values, with probabilities proportional to weights.
#[derive(Debug)]
pub struct Select;

impl Select {
    /// Creates an element whose value is one of the values in `outcomes`; each weight is a number, a [`Param`](crate::Param), or an element.
    ///
    /// The weights of `Select` need not sum to one, because they are divided by their sum; an unintended sum, such as 1.1, is therefore not detected.
    /// If several outcomes have equal values, their weights are added.
    ///
    /// ```
    /// # use figrs_core::Select;
    /// let size = Select::new([(1.2, "small"), (0.8, "big")]); // 0.6, 0.4
    /// # drop(size);
    /// ```
    #[track_caller]
    pub fn new<T: Value, W: Into<Operand>>(
        outcomes: impl IntoIterator<Item = (W, T)>,
    ) -> Element<T> {
        let outcomes = outcomes.into_iter().map(|(w, v)| (w.into(), v)).collect();
        select_at("Select", Location::caller(), outcomes)
    }

    /// Creates an element whose value is one of `values`; the value of `weights`, such as a [`Dirichlet`](crate::Dirichlet) element, is a list with
    /// one weight for each value.
    #[track_caller]
    pub fn by<T: Value>(
        weights: impl Into<Vector>,
        values: impl IntoIterator<Item = T>,
    ) -> Element<T> {
        let values = values.into_iter().collect();
        let weights = weights.into().parameters();
        categorical("Select", Location::caller(), weights, values)
    }
}

pub(crate) fn select_at<T: Value>(
    constructor: &'static str,
    location: &'static Location<'static>,
    outcomes: Vec<(Operand, T)>,
) -> Element<T> {
    let (weights, values): (Vec<Operand>, Vec<T>) = outcomes.into_iter().unzip();
    let weights = weights.into_iter().map(Parameter::One);
    categorical(constructor, location, weights.collect(), values)
}

fn categorical<T: Value>(
    constructor: &'static str,
    location: &'static Location<'static>,
    weights: Vec<Parameter>,
    values: Vec<T>,
) -> Element<T> {
    let is_constant =
        |weight: &Parameter| matches!(weight, Parameter::One(Operand::Number(Number::Constant(_))));
    let mut family = Categorical::of_open_weights(values);
    if weights.iter().all(is_constant) {
        family.fixed = Some(CategoricalCache::default());
    }
    family_of(constructor, location, family, weights)
}

/// The family of categorical distributions on a list of values; the parameters are the weights, which need not be normalised.
#[derive(Clone, Debug)]
pub(super) struct Categorical<T> {
    pub(super) values: Vec<T>,
    /// Quantities of the categorical distribution that are computed once from its constant weights; `None` if the weights may change.
    fixed: Option<CategoricalCache>,
    distinct: OnceLock<Distinct<T>>,
}

#[derive(Clone, Debug, Default)]
struct CategoricalCache {
    scale: OnceLock<(f64, f64)>,
    alias: OnceLock<Alias>,
    /// The log-probabilities of the distinct values of the categorical distribution.
    logs: OnceLock<Vec<f64>>,
}

/// The distinct values in a list and, for each entry of the list, its index among the distinct values.
#[derive(Clone, Debug)]
pub(super) struct Distinct<T> {
    values: IndexSet<Key<T>, FxBuildHasher>,
    pub(super) numbers: Vec<u32>,
}

/// Minimum number of constant weights for which values are drawn by an alias table. Building an alias table takes about as long as four linear
/// searches, so that a table of a short list would not save time.
const ALIAS_TABLE_LENGTH: usize = 64;

/// Returns the largest weight, and the sum of the weights divided by the largest weight; the sum cannot overflow.
fn scale(weights: &[f64]) -> (f64, f64) {
    let largest = weights.iter().copied().fold(0.0, f64::max);
    (largest, weights.iter().map(|w| w / largest).sum())
}

impl<T: Value> Categorical<T> {
    /// Returns the family of categorical distributions on `values`, for weights that may change.
    pub(super) fn of_open_weights(values: Vec<T>) -> Self {
        Self {
            values,
            fixed: None,
            distinct: OnceLock::new(),
        }
    }

    fn scale(&self, weights: &[f64]) -> (f64, f64) {
        match &self.fixed {
            Some(fixed) => *fixed.scale.get_or_init(|| scale(weights)),
            None => scale(weights),
        }
    }

    /// Returns the cached quantities of constant weights, if there are enough weights for an alias table.
    fn long(&self) -> Option<&CategoricalCache> {
        self.fixed
            .as_ref()
            .filter(|_| self.values.len() >= ALIAS_TABLE_LENGTH)
    }

    pub(super) fn distinct(&self) -> &Distinct<T> {
        self.distinct.get_or_init(|| {
            let mut values = IndexSet::default();
            let number = |value: &T| values.insert_full(Key(value.clone())).0 as u32;
            let numbers = self.values.iter().map(number).collect();
            Distinct { values, numbers }
        })
    }

    fn logs(&self, weights: &[f64]) -> Vec<f64> {
        let (largest, sum) = self.scale(weights);
        let distinct = self.distinct();
        let mut merged = vec![(0.0f64, 0.0); distinct.values.len()];
        for (&number, w) in distinct.numbers.iter().zip(weights) {
            let (top, _) = &mut merged[number as usize];
            *top = top.max(*w);
        }
        for (&number, w) in distinct.numbers.iter().zip(weights) {
            let (top, sum) = &mut merged[number as usize];
            *sum += w / *top;
        }
        let log = |(top, merged): (f64, f64)| log_share(top, merged, largest, sum);
        merged.into_iter().map(log).collect()
    }
}

/// Returns the logarithm of the probability of a value, which is the weight of the value divided by the sum of all weights. To avoid overflow, the
/// weight of the value is given as `merged` times `top`, and the sum of all weights as `sum` times `largest`.
fn log_share(top: f64, merged: f64, largest: f64, sum: f64) -> f64 {
    if top == 0.0 {
        return f64::NEG_INFINITY;
    }
    top.ln() - largest.ln() + merged.ln() - sum.ln()
}

impl<T: Value> Family<T> for Categorical<T> {
    fn parameters(&self) -> &'static [&'static str] {
        &["weight"]
    }

    fn check(&self, weights: &[f64]) -> Result<(), WrongParameter> {
        let all = |problem: String| Err(WrongParameter::new(WrongParameter::WHOLE, problem));
        if weights.len() != self.values.len() {
            let (weights, values) = (weights.len(), self.values.len());
            return all(format!(
                "there are {weights} weights for {values} values; give one weight for each value"
            ));
        }
        for (i, (w, value)) in weights.iter().zip(&self.values).enumerate() {
            if !(*w >= 0.0 && w.is_finite()) {
                let problem = format!("of {value:?} must be finite and not negative");
                return Err(WrongParameter::new(i, problem));
            }
        }
        if weights.is_empty() {
            all("there are no values to choose from; give at least one".into())
        } else if scale(weights).0 > 0.0 {
            Ok(())
        } else {
            let count = weights.len();
            all(format!("one of the {count} weights must be positive"))
        }
    }

    fn outcomes(&self, weights: &[Number]) -> Outcomes<T> {
        let numbers: Vec<f64> = weights.iter().map(Number::get).collect();
        let (largest, sum) = self.scale(&numbers);
        let outcomes = weights.iter().zip(numbers).zip(&self.values);
        Outcomes::Finite(
            outcomes
                .filter(|((weight, _), _)| !weight.is_structural_zero())
                .map(|((_, w), value)| (value.clone(), w / largest / sum))
                .collect(),
        )
    }

    fn log_prob(&self, weights: &[f64], value: &T) -> f64 {
        if let Some(fixed) = self.long() {
            let logs = fixed.logs.get_or_init(|| self.logs(weights));
            let number = self.distinct().values.get_index_of(&KeyRef(value));
            return number.map_or(f64::NEG_INFINITY, |number| logs[number]);
        }
        // The weights of equal values are added; they are divided by the largest of these weights first, which prevents overflow and underflow.
        let (largest, sum) = self.scale(weights);
        let same = || {
            let all = weights.iter().zip(&self.values);
            all.filter(|(_, v)| v.same(value)).map(|(w, _)| *w)
        };
        let top = same().fold(0.0, f64::max);
        let merged = same().map(|w| w / top).sum();
        log_share(top, merged, largest, sum)
    }

    fn is_same_as(&self, other: &Self) -> bool {
        self.values.same(&other.values)
    }

    /// Returns the number of occurrences of each distinct value in `values`.
    fn statistics(&self, values: &[T]) -> Option<Vec<f64>> {
        let distinct = &self.distinct().values;
        let mut counts = vec![0.0; distinct.len()];
        for value in values {
            counts[distinct.get_index_of(&KeyRef(value))?] += 1.0;
        }
        Some(counts)
    }

    fn log_prob_of_all(&self, weights: &[f64], statistics: &[f64]) -> f64 {
        let all = |logs: &[f64]| {
            statistics
                .iter()
                .zip(logs)
                .map(|(&n, &log)| times(n, log))
                .sum()
        };
        match &self.fixed {
            Some(fixed) => all(fixed.logs.get_or_init(|| self.logs(weights))),
            None => all(&self.logs(weights)),
        }
    }

    fn likelihood(
        &self,
        weights: &[f64],
        open: Range<usize>,
        value: &T,
        likelihood: &mut Likelihood,
    ) {
        // If `open` contains all weights, the weights are one list of probabilities, which sum to one.
        let mut same = self
            .values
            .iter()
            .enumerate()
            .filter(|(_, v)| v.same(value));
        match (same.next(), same.next()) {
            (Some((position, _)), None) if open == (0..weights.len()) => {
                likelihood.add_log_of(position, 1.0);
            }
            _ => likelihood.refuse(),
        }
    }

    fn likelihood_of_all(
        &self,
        weights: &[f64],
        open: Range<usize>,
        statistics: &[f64],
        likelihood: &mut Likelihood,
    ) {
        // `statistics` has one entry for each distinct value. If no two weights belong to the same value, `statistics` has one entry for each weight.
        if open != (0..weights.len()) || statistics.len() != weights.len() {
            return likelihood.refuse();
        }
        for (position, &count) in statistics.iter().enumerate() {
            if count > 0.0 {
                likelihood.add_log_of(position, count);
            }
        }
    }

    /// If S is the sum of the weights and m the weight of the value, the derivative of the log-probability with respect to the weight at `index` is
    /// −1 / S, plus 1 / m if this weight belongs to the value.
    fn log_prob_derivative(&self, weights: &[f64], index: usize, value: &T) -> Option<f64> {
        let (largest, sum) = self.scale(weights);
        let sum = largest * sum;
        let is_same = self.values.get(index)?.same(value);
        let same = weights.iter().zip(&self.values);
        let merged: f64 = same.filter(|(_, v)| v.same(value)).map(|(w, _)| w).sum();
        Some(match (merged > 0.0, is_same) {
            (true, true) => (sum - merged) / merged / sum,
            (true, false) => -1.0 / sum,
            (false, true) => 1.0 / sum,
            (false, false) => 0.0,
        })
    }

    #[inline]
    fn sample<R: Rng + ?Sized>(&self, weights: &[f64], rng: &mut R) -> T {
        if let Some(fixed) = self.long() {
            let table = || {
                let positions: Vec<u32> = (0..weights.len() as u32).collect();
                Alias::new(weights, &positions)
            };
            let position = fixed.alias.get_or_init(table).draw(rng);
            return self.values[position as usize].clone();
        }
        let (largest, sum) = self.scale(weights);
        let mut rest = rng.random::<f64>() * sum;
        let mut last = &self.values[0];
        for (w, value) in weights.iter().zip(&self.values) {
            let w = w / largest;
            if w > 0.0 {
                last = value;
                if rest < w {
                    break;
                }
                rest -= w;
            }
        }
        last.clone()
    }

    fn describe(&self, weights: &[Number]) -> String {
        const SHOWN: usize = 6;
        let shown = weights.iter().zip(&self.values).take(SHOWN);
        let mut parts: Vec<String> = shown
            .map(|(weight, value)| format!("{weight:?}: {value:?}"))
            .collect();
        if self.values.len() > SHOWN {
            parts.push(format!("… {} in all", self.values.len()));
        }
        format!("Select({})", parts.join(", "))
    }

    fn heap_bytes(&self) -> usize {
        self.values.heap_bytes()
    }
}
