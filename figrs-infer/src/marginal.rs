//! The distribution of one element, as an answer.

use std::any::Any;
use std::fmt;

use figrs_core::Value;
use num_traits::ToPrimitive;
use std::sync::Arc;

use crate::chain_error::{chain_error, chain_samples};
use crate::group_error::{group_error, group_samples};
use crate::numbers::Columns;

/// How far a probability or an expectation can be trusted.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Quality {
    /// Exact up to rounding.
    Exact,
    /// Estimated from samples worth this many independent ones.
    Sampled {
        /// The effective sample size: `(Σw)² / Σw²` for independent weighted samples, for chains the least over the values of
        /// what autocorrelation leaves, for independent groups what their spread leaves.
        effective_samples: f64,
    },
    /// From an approximation whose error nothing bounds, such as loopy belief propagation.
    Approximate,
    /// Between bounds that hold, up to rounding.
    Bounds {
        /// How far the bounds of any event are apart at most.
        width: f64,
    },
}

/// Where the probabilities of a target come from.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Estimate {
    /// An exact computation.
    Exact,
    /// An approximation whose error nothing bounds.
    Approximate,
    /// Independent weighted samples: for each value the sum of its squared weights over the squared sum of all weights.
    Weighted(Vec<f64>),
    /// Chains of dependent draws of equal weight.
    Chains {
        /// The position of the value of each draw: the draws of one chain stand together.
        indices: Arc<[u32]>,
        /// How many chains of equal length there are.
        chains: usize,
    },
    /// Independent groups, each of dependent weighted samples: for each group its values' shares of the whole weight.
    Groups(Vec<Vec<(u32, f64)>>),
}

/// The probabilities of the values of an element.
#[derive(Clone, Debug)]
pub struct Marginal<T> {
    values: Vec<T>,
    probabilities: Vec<f64>,
    estimate: Estimate,
}

impl<T: Value> Marginal<T> {
    pub(crate) fn new(values: Vec<T>, probabilities: Vec<f64>, estimate: Estimate) -> Self {
        Self {
            values,
            probabilities,
            estimate,
        }
    }

    /// The values and their probabilities: in support order where exact, in the order they were first drawn where
    /// sampled. Values of probability zero may be listed.
    pub fn iter(&self) -> impl Iterator<Item = (&T, f64)> {
        self.values.iter().zip(self.probabilities.iter().copied())
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The probability of a value; zero if it cannot occur.
    pub fn probability(&self, value: &T) -> f64 {
        self.probability_that(|v| v.same(value))
    }

    /// The probability that the value passes a test.
    pub fn probability_that(&self, test: impl Fn(&T) -> bool) -> f64 {
        let passing = self.iter().filter(|(v, _)| test(v));
        // A plain sum of nothing is -0.0.
        passing.fold(0.0, |sum, (_, p)| sum + p)
    }

    /// The expectation of a function of the value.
    pub fn expectation(&self, function: impl Fn(&T) -> f64) -> f64 {
        self.iter().map(|(v, p)| function(v) * p).sum()
    }

    /// The most likely value; the first of several in support order.
    pub fn most_likely_value(&self) -> Option<&T> {
        let mut best: Option<(&T, f64)> = None;
        for (value, p) in self.iter() {
            if best.is_none_or(|(_, most)| p > most) {
                best = Some((value, p));
            }
        }
        best.map(|(value, _)| value)
    }

    /// How far the probabilities can be trusted.
    pub fn quality(&self) -> Quality {
        let effective_samples = match &self.estimate {
            Estimate::Exact => return Quality::Exact,
            Estimate::Approximate => return Quality::Approximate,
            Estimate::Weighted(squares) => 1.0 / squares.iter().sum::<f64>(),
            Estimate::Chains { indices, chains } => {
                let values = self.values.iter().map(|value| value as &dyn Any);
                chain_samples(&Columns::new(values), indices, *chains)
            }
            Estimate::Groups(groups) => group_samples(groups, &self.probabilities),
        };
        Quality::Sampled { effective_samples }
    }

    /// The standard error of [`expectation`](Self::expectation); zero where exact, NaN where no error is known.
    ///
    /// For weighted samples by the delta method (Geweke 1989): `√Σ w²(f − μ)² / Σw`. For independent groups the same
    /// with groups in the place of samples, times `√(K / (K − 1))` for `K` groups. For chains the spread of the function over the square root of its
    /// effective sample size.
    pub fn standard_error_of(&self, function: impl Fn(&T) -> f64) -> f64 {
        let numbers = || self.values.iter().map(&function).collect::<Vec<f64>>();
        match &self.estimate {
            Estimate::Exact => 0.0,
            Estimate::Approximate => f64::NAN,
            Estimate::Weighted(squares) => {
                let mean = self.expectation(&function);
                let terms = self.values.iter().zip(squares);
                let variance: f64 = terms.map(|(v, s)| s * (function(v) - mean).powi(2)).sum();
                variance.sqrt()
            }
            Estimate::Chains { indices, chains } => chain_error(&numbers(), indices, *chains),
            Estimate::Groups(groups) => {
                let mean = self.expectation(&function);
                group_error(groups, &numbers(), mean)
            }
        }
    }

    /// The standard error of [`probability`](Self::probability); zero where exact.
    ///
    /// Where every sample agrees the delta method would claim certainty; then the error is that of one more
    /// success and one more failure among the effective samples (Agresti and Coull 1998).
    pub fn standard_error(&self, value: &T) -> f64 {
        let plain = self.standard_error_of(|v| f64::from(u8::from(v.same(value))));
        match self.quality() {
            Quality::Sampled { effective_samples } if plain == 0.0 => {
                let n = effective_samples + 2.0;
                let p = (self.probability(value) * effective_samples + 1.0) / n;
                (p * (1.0 - p) / n).sqrt()
            }
            _ => plain,
        }
    }
}

impl<T: Value + ToPrimitive> Marginal<T> {
    /// The mean of a numeric element.
    pub fn mean(&self) -> f64 {
        self.expectation(|v| v.to_f64().unwrap_or(f64::NAN))
    }

    /// The variance of a numeric element.
    pub fn variance(&self) -> f64 {
        let mean = self.mean();
        self.expectation(|v| (v.to_f64().unwrap_or(f64::NAN) - mean).powi(2))
    }
}

impl<T: Value> fmt::Display for Marginal<T> {
    /// One line a value with a bar: in support order, or the twenty most likely of more.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 20;
        const WIDTH: f64 = 40.0;
        let mut order: Vec<usize> = (0..self.values.len()).collect();
        if order.len() > SHOWN {
            order.sort_by(|&a, &b| self.probabilities[b].total_cmp(&self.probabilities[a]));
        }
        let names: Vec<String> = order
            .iter()
            .take(SHOWN)
            .map(|&i| format!("{:?}", self.values[i]))
            .collect();
        let width = names.iter().map(|n| n.chars().count()).max().unwrap_or(0);
        for (name, &i) in names.iter().zip(&order) {
            let p = self.probabilities[i];
            let bar = "█".repeat((p * WIDTH).round() as usize);
            writeln!(f, "{name:>width$} {p:8.6} {bar}")?;
        }
        if order.len() > SHOWN {
            writeln!(f, "… {} values in all", order.len())?;
        }
        Ok(())
    }
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
    fn agreement_of_few_samples_is_not_certainty() {
        let three = Marginal::new(vec![true], vec![1.0], Estimate::Weighted(vec![1.0 / 3.0]));
        assert!(three.standard_error(&true) > 0.1);
        let fair = Marginal::new(
            vec![true, false],
            vec![0.5, 0.5],
            Estimate::Weighted(vec![0.005, 0.005]),
        );
        assert!((fair.standard_error(&true) - 0.05).abs() < 1e-12);
    }
}
