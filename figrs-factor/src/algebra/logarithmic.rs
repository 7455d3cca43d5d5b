//! Semirings whose numbers are stored as natural logarithms.

use crate::graph::Weights;

use super::semiring::Semiring;

/// Returns the logarithm of the sum of the numbers whose logarithms are `logs`; −∞ if `logs` is empty.
pub fn log_sum(logs: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = logs.clone().fold(f64::NEG_INFINITY, f64::max);
    if largest.is_infinite() {
        return largest;
    }
    largest + logs.map(|log| (log - largest).exp()).sum::<f64>().ln()
}

/// Defines zero, one and the products of numbers that are stored as logarithms.
macro_rules! logarithms {
    () => {
        type Value = f64;

        fn zero() -> f64 {
            f64::NEG_INFINITY
        }
        fn one() -> f64 {
            0.0
        }
        fn is_zero(value: &f64) -> bool {
            *value == f64::NEG_INFINITY
        }
        fn mul(a: &f64, b: &f64) -> f64 {
            a + b
        }
        fn lift(weights: &Weights, i: usize) -> f64 {
            weights.log(i)
        }
    };
}

/// The sum-product semiring, with every number stored as its natural logarithm: no number overflows or underflows, but each addition computes one
/// exponential and one logarithm.
#[derive(Clone, Copy, Debug)]
pub struct LogSumProduct;

impl Semiring for LogSumProduct {
    const SUMS_TO_ONE: bool = true;

    logarithms!();

    fn add(a: f64, b: f64) -> f64 {
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        if low == f64::NEG_INFINITY {
            high
        } else {
            high + (low - high).exp().ln_1p()
        }
    }
    fn repeated(times: usize) -> f64 {
        (times as f64).ln()
    }
}

/// The max-product semiring, with every number stored as its natural logarithm.
#[derive(Clone, Copy, Debug)]
pub struct MaxProduct;

impl Semiring for MaxProduct {
    const SUMS_TO_ONE: bool = false;

    logarithms!();

    fn add(a: f64, b: f64) -> f64 {
        if b > a { b } else { a }
    }
    fn repeated(_times: usize) -> f64 {
        0.0
    }
}
