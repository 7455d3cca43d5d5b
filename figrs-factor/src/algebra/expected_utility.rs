//! A semiring of pairs of a weight and an expected utility.

use std::fmt::Debug;
use std::marker::PhantomData;

use crate::graph::Weights;

use super::logarithmic::LogSumProduct;
use super::scaled::SumProduct;
use super::semiring::{ExponentRange, Semiring, ValueBounds};

/// A weight, and the mean of a utility in the distribution to which the weight belongs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WeighedUtility {
    /// The weight, in the representation of the underlying semiring.
    pub weight: f64,
    /// The mean of the utility under the distribution; zero if the weight is zero.
    pub mean: f64,
}

/// A semiring of weights with a quotient, which allows weighted means.
pub trait MeanWeights: Semiring<Value = f64> {
    /// Returns the quotient `part / total`; `part` is at most `total`.
    fn share(part: f64, total: f64) -> f64;
}

impl MeanWeights for SumProduct {
    fn share(part: f64, total: f64) -> f64 {
        part / total
    }
}

impl MeanWeights for LogSumProduct {
    fn share(part: f64, total: f64) -> f64 {
        (part - total).exp()
    }
}

/// The semiring of pairs of a weight in the semiring `S` and the mean of a sum of utilities.
///
/// In the semiring of expected utilities, addition takes the weighted mean of the mean utilities of two alternatives. In the semiring of expected
/// utilities, multiplication adds the mean utilities of two independent factors. The semiring of expected utilities is isomorphic to the expectation
/// semiring of pairs `(p, p u)` with a positive weight `p` and a mean utility `u`. Because the mean `u` is stored instead of `p u`, the stored number
/// stays within the range of the utilities, even if the weights are very small.
#[derive(Clone, Copy, Debug)]
pub struct ExpectedUtility<S>(PhantomData<S>);

impl<S: MeanWeights> ExpectedUtility<S> {
    /// Runs `run` on copies of the weights in `values`, and writes the copies back to `values`.
    fn on_weights<R>(values: &mut [WeighedUtility], run: impl FnOnce(&mut [f64]) -> R) -> R {
        let mut weights = Self::weights(values);
        let result = run(&mut weights);
        for (value, weight) in values.iter_mut().zip(weights) {
            value.weight = weight;
        }
        result
    }

    fn weights(values: &[WeighedUtility]) -> Vec<f64> {
        values.iter().map(|value| value.weight).collect()
    }
}

impl<S: MeanWeights> Semiring for ExpectedUtility<S> {
    type Value = WeighedUtility;
    const SUMS_TO_ONE: bool = false;

    fn zero() -> WeighedUtility {
        WeighedUtility {
            weight: S::zero(),
            mean: 0.0,
        }
    }
    fn one() -> WeighedUtility {
        WeighedUtility {
            weight: S::one(),
            mean: 0.0,
        }
    }
    fn is_zero(value: &WeighedUtility) -> bool {
        S::is_zero(&value.weight)
    }
    fn add(a: WeighedUtility, b: WeighedUtility) -> WeighedUtility {
        if Self::is_zero(&a) {
            return b;
        }
        if Self::is_zero(&b) {
            return a;
        }
        let weight = S::add(a.weight, b.weight);
        // This formula returns the mean of two equal utilities without rounding.
        let mean = if b.weight > a.weight {
            b.mean + S::share(a.weight, weight) * (a.mean - b.mean)
        } else {
            a.mean + S::share(b.weight, weight) * (b.mean - a.mean)
        };
        WeighedUtility { weight, mean }
    }
    fn mul(a: &WeighedUtility, b: &WeighedUtility) -> WeighedUtility {
        if Self::is_zero(a) || Self::is_zero(b) {
            return Self::zero();
        }
        WeighedUtility {
            weight: S::mul(&a.weight, &b.weight),
            mean: a.mean + b.mean,
        }
    }
    fn repeated(times: usize) -> WeighedUtility {
        WeighedUtility {
            weight: S::repeated(times),
            mean: 0.0,
        }
    }
    fn lift(weights: &Weights, i: usize) -> WeighedUtility {
        WeighedUtility {
            weight: S::lift(weights, i),
            mean: 0.0,
        }
    }
    fn scale(weights: &Weights) -> f64 {
        S::scale(weights)
    }
    fn normalise(values: &mut [WeighedUtility], lost: &mut bool) -> f64 {
        Self::on_weights(values, |weights| S::normalise(weights, lost))
    }
    fn is_out_of_range(a: &WeighedUtility, b: &WeighedUtility, product: &WeighedUtility) -> bool {
        S::is_out_of_range(&a.weight, &b.weight, &product.weight)
    }
    fn range(values: &[WeighedUtility]) -> ExponentRange {
        S::range(&Self::weights(values))
    }
    fn rescale(values: &mut [WeighedUtility], lost: &mut bool) -> (f64, ExponentRange) {
        Self::on_weights(values, |weights| S::rescale(weights, lost))
    }
    fn extent(values: &[WeighedUtility]) -> ValueBounds {
        S::extent(&Self::weights(values))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests that the means of utilities agree with those of the expectation semiring, which sums products of pairs `(p, p u)`.
    #[test]
    fn means_are_those_of_sums_of_products() {
        type Pairs = ExpectedUtility<SumProduct>;
        let value = |weight, mean| WeighedUtility { weight, mean };
        let (a, b, c) = (value(0.25, 3.0), value(0.75, -1.0), value(0.5, 10.0));
        let product = Pairs::mul(&Pairs::add(a, b), &c);
        assert_eq!(product, value(0.5, 10.0));
        let apart = Pairs::add(Pairs::mul(&a, &c), Pairs::mul(&b, &c));
        assert_eq!(apart, product);
        let logs = |v: WeighedUtility| value(v.weight.ln(), v.mean);
        let sum = ExpectedUtility::<LogSumProduct>::add(logs(a), logs(b));
        assert!(sum.weight.abs() < 1e-15 && sum.mean.abs() < 1e-15);
    }
}
