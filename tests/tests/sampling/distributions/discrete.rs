//! Tests of distributions over integers.

use figrs::prelude::*;
use figrs::{DiscreteUniform, Geometric, Hypergeometric, NegativeBinomial};
use statrs::distribution::{ChiSquared, ContinuousCDF};

use crate::distributions::atomic::{draws, log_prob, moments, op};

/// An element of integers, the probabilities of its values from `first` on by the formula of its definition, and its mean and variance.
struct Row {
    name: &'static str,
    draws: Vec<f64>,
    log_probs: Vec<f64>,
    formula: Vec<f64>,
    mean: f64,
    variance: f64,
    first: i64,
}

const DRAWS: usize = 20_000;

/// Number of values that a row lists.
const LISTED: u32 = 400;

fn row<T: Value + TryFrom<i64>>(
    name: &'static str,
    element: Element<T>,
    first: i64,
    count: u32,
    formula: impl Fn(f64) -> f64,
    (mean, variance): (f64, f64),
    real: impl Fn(T) -> f64,
) -> Row {
    let values = || first..first + i64::from(count);
    let value = |k: i64| T::try_from(k).ok().unwrap();
    Row {
        name,
        draws: draws(&element, DRAWS).into_iter().map(real).collect(),
        log_probs: values().map(|k| log_prob(&element, value(k))).collect(),
        formula: values().map(|k| formula(k as f64)).collect(),
        mean,
        variance,
        first,
    }
}

/// Computes the binomial coefficient one factor at a time, so that nothing is shared with the library's special functions.
fn choose(n: f64, k: f64) -> f64 {
    (0..k as u32)
        .map(|i| (n - f64::from(i)) / (f64::from(i) + 1.0))
        .product()
}

fn poisson(rate: f64) -> impl Fn(f64) -> f64 {
    move |k| (-rate).exp() * (1..=k as u32).map(|i| rate / f64::from(i)).product::<f64>()
}

/// Returns the probability of a number of failures before this many successes, computed one factor at a time.
fn ways(successes: f64, p: f64) -> impl Fn(f64) -> f64 {
    move |k| {
        let factor = |i: u32| (successes + f64::from(i)) / (f64::from(i) + 1.0) * (1.0 - p);
        p.powf(successes) * (0..k as u32).map(factor).product::<f64>()
    }
}

fn rows() -> Vec<Row> {
    let float = |n: u64| n as f64;
    vec![
        row(
            "failures",
            Geometric::failures(0.2),
            0,
            LISTED,
            |k| 0.8_f64.powf(k) * 0.2,
            (4.0, 20.0),
            float,
        ),
        row(
            "trials",
            Geometric::trials(0.7),
            1,
            LISTED,
            |k| 0.3_f64.powf(k - 1.0) * 0.7,
            (1.0 / 0.7, 0.3 / 0.49),
            float,
        ),
        row(
            "few events",
            Poisson::new(2.5),
            0,
            100,
            poisson(2.5),
            (2.5, 2.5),
            float,
        ),
        row(
            "many events",
            Poisson::new(80.0),
            0,
            LISTED,
            poisson(80.0),
            (80.0, 80.0),
            float,
        ),
        row(
            "two failures in three",
            NegativeBinomial::failures(2.5, 0.4),
            0,
            LISTED,
            ways(2.5, 0.4),
            (3.75, 9.375),
            float,
        ),
        row(
            "rare failures",
            NegativeBinomial::with_mean(3.0, 0.5),
            0,
            LISTED,
            ways(0.5, 1.0 / 7.0),
            (3.0, 21.0),
            float,
        ),
        row(
            "many successes",
            NegativeBinomial::failures(1500.0, 0.95),
            0,
            LISTED,
            ways(1500.0, 0.95),
            (1500.0 / 19.0, 1500.0 / 19.0 / 0.95),
            float,
        ),
        row(
            "few trials",
            Binomial::new(9, 0.3),
            0,
            10,
            |k| choose(9.0, k) * 0.3_f64.powf(k) * 0.7_f64.powf(9.0 - k),
            (2.7, 1.89),
            f64::from,
        ),
        row(
            "many trials",
            Binomial::new(200, 0.6),
            0,
            201,
            |k| choose(200.0, k) * 0.6_f64.powf(k) * 0.4_f64.powf(200.0 - k),
            (120.0, 48.0),
            f64::from,
        ),
        row(
            "range",
            DiscreteUniform::new(-3, 6),
            -3,
            10,
            |_| 0.1,
            (1.5, 99.0 / 12.0),
            |n| n as f64,
        ),
        row(
            "marked items",
            Hypergeometric::new(20, 7, 5),
            0,
            6,
            |k| choose(7.0, k) * choose(13.0, 5.0 - k) / choose(20.0, 5.0),
            (1.75, 1.75 * 0.65 * 15.0 / 19.0),
            f64::from,
        ),
        row(
            "weights",
            Select::new([(1.0, 0_i64), (2.0, 1), (1.0, 2)]),
            0,
            3,
            |k| if k == 1.0 { 0.5 } else { 0.25 },
            (1.0, 0.5),
            |n| n as f64,
        ),
        row(
            "logits",
            Select::by_logits([-700.0, -700.0 + 2_f64.ln(), -700.0], [0_i64, 1, 2]),
            0,
            3,
            |k| if k == 1.0 { 0.5 } else { 0.25 },
            (1.0, 0.5),
            |n| n as f64,
        ),
    ]
}

#[test]
fn log_probabilities_are_those_of_the_formula() {
    for row in rows() {
        for (i, (log, p)) in row.log_probs.iter().zip(&row.formula).enumerate() {
            let right = *p < 1e-280 || (log - p.ln()).abs() < 1e-11 * (1.0 + log.abs());
            assert!(right, "{} at {i}: {log}, not {}", row.name, p.ln());
        }
        let sum: f64 = row.log_probs.iter().map(|log| log.exp()).sum();
        assert!((sum - 1.0).abs() < 1e-12, "{}: {sum}", row.name);
    }
}

/// False-alarm probability of each of the tests on draws.
const FALSE_ALARM: f64 = 1e-8;

/// Pearson's test is applied after values are combined until every cell expects at least ten draws.
#[test]
fn draws_are_as_frequent_as_probable() {
    for row in rows() {
        let mut cells: Vec<(f64, f64)> = vec![(0.0, 0.0)];
        for (value, &p) in (row.first..).zip(&row.formula) {
            let value = value as f64;
            let seen = row.draws.iter().filter(|&&x| x == value).count() as f64;
            let last = cells.last_mut().unwrap();
            last.0 += p * DRAWS as f64;
            last.1 += seen;
            if last.0 >= 10.0 {
                cells.push((0.0, 0.0));
            }
        }
        // The remaining values are added to the last full cell.
        let (expected, seen) = cells.pop().unwrap();
        let last = cells.last_mut().unwrap();
        last.0 += expected;
        last.1 += seen;
        let all: f64 = cells.iter().map(|cell| cell.1).sum();
        assert_eq!(
            all, DRAWS as f64,
            "{}: draws outside of the support",
            row.name
        );
        let statistic: f64 = cells.iter().map(|(e, s)| (s - e).powi(2) / e).sum();
        let p = ChiSquared::new(cells.len() as f64 - 1.0)
            .unwrap()
            .sf(statistic);
        assert!(p > FALSE_ALARM, "{}: {statistic}, p = {p:e}", row.name);
    }
}

#[test]
fn draws_have_the_documented_mean_and_variance() {
    for row in rows() {
        let found = moments(&row.draws, row.mean);
        for ((found, error), right) in found.into_iter().zip([row.mean, row.variance]) {
            let away = (found - right).abs() / error;
            assert!(away < 5.73, "{}: {found} ± {error}, not {right}", row.name);
        }
    }
}

#[test]
fn values_outside_of_the_support_are_impossible() {
    assert_eq!(log_prob(&Geometric::trials(0.5), 0), f64::NEG_INFINITY);
    assert_eq!(log_prob(&Geometric::failures(1.0), 0), 0.0);
    assert_eq!(log_prob(&Geometric::failures(1.0), 1), f64::NEG_INFINITY);
    assert_eq!(log_prob(&Binomial::new(3, 0.5), 4), f64::NEG_INFINITY);
    assert_eq!(log_prob(&DiscreteUniform::new(1, 6), 7), f64::NEG_INFINITY);
    assert_eq!(log_prob(&DiscreteUniform::new(1, 6), 0), f64::NEG_INFINITY);
    let marked = Hypergeometric::new(10, 7, 6);
    assert_eq!(log_prob(&marked, 2), f64::NEG_INFINITY);
    assert_eq!(log_prob(&marked, 7), f64::NEG_INFINITY);
    let failures = NegativeBinomial::failures(2.0, 1.0);
    assert_eq!(log_prob(&failures, 1), f64::NEG_INFINITY);
    let letter = Select::by_logits([0.0, f64::NEG_INFINITY], ['a', 'b']);
    assert_eq!(log_prob(&letter, 'a'), 0.0);
    assert_eq!(log_prob(&letter, 'b'), f64::NEG_INFINITY);
    assert_eq!(log_prob(&letter, 'c'), f64::NEG_INFINITY);
}

/// Logits far apart keep the log-probability of a value whose probability rounds to zero; the weights of equal values are added.
#[test]
fn logits_far_apart_keep_their_log_probabilities() {
    let far = Select::by_logits([1e90, 1e90 - 1e80, -1e90], ['a', 'b', 'c']);
    assert_eq!(log_prob(&far, 'a'), 0.0);
    assert_eq!(log_prob(&far, 'c'), -2e90);
    assert!(draws(&far, 100).iter().all(|&letter| letter == 'a'));
    let same = Select::by_logits([-1000.0, 3.0, -1000.0], ['a', 'b', 'a']);
    let right = 2_f64.ln() - 1003.0;
    assert!((log_prob(&same, 'a') - right).abs() < 1e-12);
}

#[test]
fn extreme_parameters_give_draws_that_are_possible() {
    let possible = |element: &Element<u64>| {
        for k in draws(element, 200) {
            let log = log_prob(element, k);
            assert!(log.is_finite(), "{} at {k}: {log}", op(element).describe());
        }
        for k in [0, 1, 1_000_000_000, u64::MAX] {
            assert!(
                op(element).log_prob(&k).is_ok(),
                "{} at {k}",
                op(element).describe()
            );
        }
    };
    for p in [1e-17, 1e-9, 0.5, 1.0 - 1e-16, 1.0] {
        possible(&Geometric::failures(p));
        possible(&Geometric::trials(p));
    }
    for rate in [1e-300, 1e-9, 29.9, 30.1, 1e5, 1e9] {
        possible(&Poisson::new(rate));
    }
    for dispersion in [1e-300, 1e-3, 1.0, 1e9, 1e15] {
        for mean in [1e-300, 1.0, 1e9] {
            possible(&NegativeBinomial::with_mean(mean, dispersion));
        }
    }
    possible(&NegativeBinomial::failures(0.5, 1.0));
    for p in [0.0, 1e-300, 0.5, 1.0] {
        let element = Binomial::new(1 << 24, p);
        for k in draws(&element, 50) {
            assert!(log_prob(&element, k).is_finite(), "{p}: {k}");
        }
    }
}
