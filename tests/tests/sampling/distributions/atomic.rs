//! Reads the distribution of an atomic element in the way of samplers.

use figrs::internals::{AtomicOp, Kind};
use figrs::prelude::*;
use figrs::{Tails, stream};

pub(crate) fn op<T: Value>(element: &Element<T>) -> &dyn AtomicOp {
    match element.erased().kind() {
        Kind::Atomic(op) => &**op,
        other => panic!("{other:?} is not atomic"),
    }
}

pub(crate) fn log_prob<T: Value>(element: &Element<T>, value: T) -> f64 {
    op(element).log_prob(&value).unwrap()
}

pub(crate) fn tails<T: Value>(element: &Element<T>, value: T) -> Tails {
    op(element).tails(&value).unwrap().unwrap()
}

/// Returns draws with the seed of these tests.
pub(crate) fn draws<T: Value>(element: &Element<T>, count: usize) -> Vec<T> {
    op(element).check().unwrap();
    let mut rng = stream(20_261_121, 0);
    let draw = |_| {
        let drawn = op(element).sample(&mut rng).unwrap();
        drawn.get::<T>().unwrap().clone()
    };
    (0..count).map(draw).collect()
}

/// Returns the mean of some numbers and the mean of their squared distances from `centre`, each with its standard error.
pub(crate) fn moments(numbers: &[f64], centre: f64) -> [(f64, f64); 2] {
    let mean = |f: &dyn Fn(f64) -> f64| {
        let n = numbers.len() as f64;
        let mean = numbers.iter().map(|&x| f(x)).sum::<f64>() / n;
        let variance = numbers.iter().map(|&x| (f(x) - mean).powi(2)).sum::<f64>() / n;
        (mean, (variance / n).sqrt())
    };
    [mean(&|x| x), mean(&|x| (x - centre).powi(2))]
}

/// Returns the largest distance between a distribution function and the share of draws below, and the limit that it exceeds with a probability
/// below `false_alarm`: sqrt(ln(2 / `false_alarm`) / 2n), by Massart (1990).
pub(crate) fn kolmogorov(
    mut drawn: Vec<f64>,
    cdf: impl Fn(f64) -> f64,
    false_alarm: f64,
) -> (f64, f64) {
    drawn.sort_by(f64::total_cmp);
    let n = drawn.len() as f64;
    let distance = |(i, &x): (usize, &f64)| {
        let p = cdf(x);
        (p - i as f64 / n).max((i + 1) as f64 / n - p)
    };
    let largest = drawn.iter().enumerate().map(distance).fold(0.0, f64::max);
    (largest, ((2.0 / false_alarm).ln() / (2.0 * n)).sqrt())
}
