//! `Select`: one of some values, with weights.

use std::panic::Location;

use rand::{Rng, RngExt};

use crate::distribution::{Distribution, Outcomes};
use crate::element::{Element, atomic_at, chain_at};
use crate::node::AnyElement;
use crate::param::{Number, Operand};
use crate::parents::Many;
use crate::value::Value;

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
}

pub(crate) fn select_at<T: Value>(
    constructor: &'static str,
    location: &'static Location<'static>,
    outcomes: Vec<(Operand, T)>,
) -> Element<T> {
    let parents: Vec<AnyElement> = outcomes
        .iter()
        .filter_map(|(weight, _)| match weight {
            Operand::Element(element) => Some(element.erased().clone()),
            Operand::Number(_) => None,
        })
        .collect();
    let build = move |weights: Vec<&f64>| {
        let mut weights = weights.into_iter();
        let outcomes = outcomes
            .iter()
            .map(|(weight, value)| {
                let number = match weight {
                    Operand::Number(number) => number.clone(),
                    Operand::Element(_) => Number::Constant(weights.next().copied().unwrap_or(0.0)),
                };
                (number, value.clone())
            })
            .collect();
        atomic_at(constructor, location, Categorical { outcomes })
    };
    if parents.is_empty() {
        build(Vec::new())
    } else {
        chain_at::<Many<f64>, T, _>(constructor, location, parents, build)
    }
}

/// Values with weights that are normalised when they are read.
#[derive(Debug)]
struct Categorical<T> {
    outcomes: Vec<(Number, T)>,
}

impl<T> Categorical<T> {
    /// The largest weight and the sum of the weights in units of it, which cannot overflow.
    fn scale(&self) -> (f64, f64) {
        let weights = || self.outcomes.iter().map(|(w, _)| w.get());
        let largest = weights().fold(0.0, f64::max);
        (largest, weights().map(|w| w / largest).sum())
    }
}

impl<T: Value> Distribution<T> for Categorical<T> {
    fn check(&self) -> Result<(), String> {
        for (weight, value) in &self.outcomes {
            let w = weight.get();
            if !(w >= 0.0 && w.is_finite()) {
                return Err(format!(
                    "the weight {weight:?} of {value:?} must be finite and not negative"
                ));
            }
        }
        if self.outcomes.is_empty() {
            Err("it has no values; give it at least one".into())
        } else if self.scale().0 > 0.0 {
            Ok(())
        } else {
            Err(format!(
                "one of the {} weights must be positive",
                self.outcomes.len()
            ))
        }
    }

    fn outcomes(&self) -> Outcomes<T> {
        let (largest, sum) = self.scale();
        Outcomes::Finite(
            self.outcomes
                .iter()
                .filter(|(weight, _)| !weight.is_structural_zero())
                .map(|(weight, value)| (value.clone(), weight.get() / largest / sum))
                .collect(),
        )
    }

    fn log_prob(&self, value: &T) -> f64 {
        let (largest, sum) = self.scale();
        let logs = self
            .outcomes
            .iter()
            .filter(|(_, v)| v.same(value))
            .map(|(w, _)| w.get().ln() - largest.ln() - sum.ln());
        // Equal values merge: add in units of the largest.
        let logs: Vec<f64> = logs.collect();
        let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if top == f64::NEG_INFINITY {
            return top;
        }
        top + logs.iter().map(|l| (l - top).exp()).sum::<f64>().ln()
    }

    fn sample(&self, rng: &mut dyn Rng) -> T {
        let (largest, sum) = self.scale();
        let mut rest = rng.random::<f64>() * sum;
        let mut last = &self.outcomes[0].1;
        for (weight, value) in &self.outcomes {
            let w = weight.get() / largest;
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

    fn describe(&self) -> String {
        const SHOWN: usize = 6;
        let mut parts: Vec<String> = self
            .outcomes
            .iter()
            .take(SHOWN)
            .map(|(weight, value)| format!("{weight:?}: {value:?}"))
            .collect();
        if self.outcomes.len() > SHOWN {
            parts.push(format!("… {} in all", self.outcomes.len()));
        }
        format!("Select({})", parts.join(", "))
    }
}
