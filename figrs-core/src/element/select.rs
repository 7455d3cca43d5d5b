//! `Select`: one of some values, with weights.

use std::panic::Location;

use rand::{Rng, RngExt};

use crate::distribution::{Family, Outcomes, WrongParameter};
use crate::element::{Element, family_at, family_of};
use crate::param::{Number, Operand};
use crate::value::Value;
use crate::vector::Vector;

/// Builds the element that is one of some values, with probabilities in proportion to weights.
#[derive(Debug)]
pub struct Select;

impl Select {
    /// One of these values; each weight is a number, a [`Param`](crate::Param), or an element.
    ///
    /// Weights need not sum to one, and equal values merge.
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

    /// One of these values; the weights are one list, such as a [`Dirichlet`](crate::Dirichlet) element.
    ///
    /// There must be as many weights as values.
    #[track_caller]
    pub fn by<T: Value>(
        weights: impl Into<Vector>,
        values: impl IntoIterator<Item = T>,
    ) -> Element<T> {
        let values = values.into_iter().collect();
        let weights = weights.into().parameters();
        family_of(
            "Select",
            Location::caller(),
            Categorical { values },
            weights,
        )
    }
}

pub(crate) fn select_at<T: Value>(
    constructor: &'static str,
    location: &'static Location<'static>,
    outcomes: Vec<(Operand, T)>,
) -> Element<T> {
    let (weights, values) = outcomes.into_iter().unzip();
    family_at(constructor, location, Categorical { values }, weights)
}

/// Values whose weights are normalised when they are read.
#[derive(Debug)]
struct Categorical<T> {
    values: Vec<T>,
}

/// The largest weight and the sum of the weights in units of it, which cannot overflow.
fn scale(weights: &[f64]) -> (f64, f64) {
    let largest = weights.iter().copied().fold(0.0, f64::max);
    (largest, weights.iter().map(|w| w / largest).sum())
}

impl<T: Value> Family<T> for Categorical<T> {
    fn parameters(&self) -> &'static [&'static str] {
        &["weight"]
    }

    fn check(&self, weights: &[f64]) -> Result<(), WrongParameter> {
        let all = |problem: String| Err(WrongParameter::new(usize::MAX, problem));
        if weights.len() != self.values.len() {
            let (weights, values) = (weights.len(), self.values.len());
            return all(format!(
                "list: it has {weights} weights for {values} values; give as many"
            ));
        }
        for (i, (w, value)) in weights.iter().zip(&self.values).enumerate() {
            if !(*w >= 0.0 && w.is_finite()) {
                let problem = format!("of {value:?} must be finite and not negative");
                return Err(WrongParameter::new(i, problem));
            }
        }
        if weights.is_empty() {
            all("list: it has no values; give it at least one".into())
        } else if scale(weights).0 > 0.0 {
            Ok(())
        } else {
            let count = weights.len();
            all(format!("list: one of the {count} weights must be positive"))
        }
    }

    fn outcomes(&self, weights: &[Number]) -> Outcomes<T> {
        let numbers: Vec<f64> = weights.iter().map(Number::get).collect();
        let (largest, sum) = scale(&numbers);
        let outcomes = weights.iter().zip(numbers).zip(&self.values);
        Outcomes::Finite(
            outcomes
                .filter(|((weight, _), _)| !weight.is_structural_zero())
                .map(|((_, w), value)| (value.clone(), w / largest / sum))
                .collect(),
        )
    }

    fn log_prob(&self, weights: &[f64], value: &T) -> f64 {
        // Equal values merge: add in units of the largest.
        let (largest, sum) = scale(weights);
        let same = || {
            let all = weights.iter().zip(&self.values);
            all.filter(|(_, v)| v.same(value)).map(|(w, _)| *w)
        };
        let top = same().fold(0.0, f64::max);
        if top == 0.0 {
            return f64::NEG_INFINITY;
        }
        let merged: f64 = same().map(|w| w / top).sum();
        top.ln() - largest.ln() + merged.ln() - sum.ln()
    }

    #[inline]
    fn sample<R: Rng + ?Sized>(&self, weights: &[f64], rng: &mut R) -> T {
        let (largest, sum) = scale(weights);
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
}
