//! Tests of distributions over lists of numbers.

use figrs::prelude::*;
use figrs::{Covariance, Dirichlet, Multinomial, MultivariateNormal};
use statrs::distribution::{ChiSquared, ContinuousCDF};

use crate::distributions::atomic::{draws, log_prob, moments};

const DRAWS: usize = 20_000;

/// Checks that each number in the list has the given mean and variance.
pub(crate) fn has_moments(element: &Element<Vec<f64>>, right: &[(f64, f64)]) {
    let drawn = draws(element, DRAWS);
    for (i, &(mean, variance)) in right.iter().enumerate() {
        let numbers: Vec<f64> = drawn.iter().map(|list| list[i]).collect();
        for ((found, error), right) in moments(&numbers, mean).into_iter().zip([mean, variance]) {
            // Each comparison has a false-alarm probability of 1e-8.
            let away = (found - right).abs() / error;
            assert!(away < 5.73, "number {i}: {found} ± {error}, not {right}");
        }
    }
}

#[test]
fn dirichlet_draws_have_the_documented_moments() {
    for concentrations in [[2.0, 3.0, 5.0], [0.1, 0.3, 0.05], [400.0, 1.0, 20.0]] {
        let sum: f64 = concentrations.iter().sum();
        let right = concentrations.map(|a| (a / sum, a * (sum - a) / (sum * sum * (sum + 1.0))));
        let element = Dirichlet::new(concentrations);
        has_moments(&element, &right);
        for list in draws(&element, 1000) {
            assert!((list.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            assert!(log_prob(&element, list).is_finite());
        }
    }
}

#[test]
fn a_dirichlet_of_two_is_a_beta() {
    let (pair, single) = (Dirichlet::new([2.5, 0.7]), Beta::new(2.5, 0.7));
    for x in [0.01, 0.3, 0.5, 0.99] {
        let (a, b) = (log_prob(&pair, vec![x, 1.0 - x]), log_prob(&single, x));
        assert!((a - b).abs() < 1e-12, "{x}: {a}, {b}");
    }
    assert_eq!(log_prob(&pair, vec![0.0, 1.0]), f64::NEG_INFINITY);
    assert_eq!(log_prob(&pair, vec![0.5, 0.4]), f64::NEG_INFINITY);
    assert_eq!(log_prob(&pair, vec![1.0]), f64::NEG_INFINITY);
}

#[test]
fn a_flat_dirichlet_has_the_density_of_the_simplex() {
    let flat = Dirichlet::new([1.0, 1.0, 1.0, 1.0]);
    for list in [vec![0.25; 4], vec![1.0, 0.0, 0.0, 0.0]] {
        assert!((log_prob(&flat, list) - 6.0_f64.ln()).abs() < 1e-12);
    }
}

/// A covariance of three numbers.
pub(crate) const MATRIX: [[f64; 3]; 3] = [[4.0, 1.0, -1.0], [1.0, 2.0, 0.5], [-1.0, 0.5, 3.0]];

#[test]
fn multivariate_normal_draws_have_the_mean_and_the_covariance() {
    let means = [1.0, -2.0, 0.0];
    let element = MultivariateNormal::new(means, Covariance::rows(MATRIX));
    has_moments(&element, &[(1.0, 4.0), (-2.0, 2.0), (0.0, 3.0)]);
    let drawn = draws(&element, DRAWS);
    for i in 0..3 {
        for j in 0..i {
            let product = |list: &Vec<f64>| (list[i] - means[i]) * (list[j] - means[j]);
            let products: Vec<f64> = drawn.iter().map(product).collect();
            let [(found, error), _] = moments(&products, 0.0);
            assert!(
                (found - MATRIX[i][j]).abs() < 5.73 * error,
                "{i}, {j}: {found} ± {error}"
            );
        }
    }
}

/// The expected density in three dimensions uses the inverse and the determinant by cofactors.
#[test]
fn multivariate_normal_densities_are_those_of_the_formula() {
    let element = MultivariateNormal::new([1.0, -2.0, 0.0], Covariance::rows(MATRIX));
    let cofactor = |i: usize, j: usize| {
        let at = |a: usize, b: usize| MATRIX[(i + a) % 3][(j + b) % 3];
        at(1, 1) * at(2, 2) - at(1, 2) * at(2, 1)
    };
    let determinant: f64 = (0..3).map(|j| MATRIX[0][j] * cofactor(0, j)).sum();
    for list in [[1.0, -2.0, 0.0], [0.0, 0.0, 0.0], [5.0, -1.0, 2.5]] {
        let d = [list[0] - 1.0, list[1] + 2.0, list[2]];
        let mut form = 0.0;
        for i in 0..3 {
            for j in 0..3 {
                form += d[i] * cofactor(j, i) / determinant * d[j];
            }
        }
        let volume = (std::f64::consts::TAU.powi(3) * determinant).ln();
        let (right, found) = (-0.5 * (form + volume), log_prob(&element, list.to_vec()));
        assert!(
            (found - right).abs() < 1e-12,
            "{list:?}: {found}, not {right}"
        );
    }
    assert_eq!(log_prob(&element, vec![0.0]), f64::NEG_INFINITY);
}

#[test]
fn a_multivariate_normal_of_one_is_a_normal() {
    for variance in [1e-300, 0.3, 1e300] {
        let list = MultivariateNormal::new([2.0], Covariance::diagonal([variance]));
        let single = Normal::new(2.0, Variance(variance));
        for x in [2.0, 2.5, -1e200] {
            let (a, b) = (log_prob(&list, vec![x]), log_prob(&single, x));
            assert!(a == b || (a - b).abs() < 1e-12 * a.abs(), "{x}: {a}, {b}");
        }
    }
}

/// Returns every list of three counts with this sum, and its probability by the formula of the definition.
fn counts_of_three(trials: u32, shares: [f64; 3]) -> Vec<(Vec<u32>, f64)> {
    let factorial = |n: u32| (1..=n).map(f64::from).product::<f64>();
    let mut all = Vec::new();
    for a in 0..=trials {
        for b in 0..=trials - a {
            let counts = [a, b, trials - a - b];
            let power = |(count, p): (&u32, f64)| p.powi(*count as i32) / factorial(*count);
            let terms = counts.iter().zip(shares).map(power);
            all.push((counts.to_vec(), factorial(trials) * terms.product::<f64>()));
        }
    }
    all
}

/// Pearson's test of the draws has a false-alarm probability of 1e-8.
#[test]
fn multinomial_counts_are_as_frequent_as_probable() {
    let shares = [0.2, 0.5, 0.3];
    let element = Multinomial::new(6, [2.0, 5.0, 3.0]);
    let drawn = draws(&element, DRAWS);
    let (mut statistic, mut cells) = (0.0, 0.0);
    for (counts, p) in counts_of_three(6, shares) {
        let log = log_prob(&element, counts.clone());
        assert!((log - p.ln()).abs() < 1e-12, "{counts:?}: {log}");
        let seen = drawn.iter().filter(|drawn| **drawn == counts).count() as f64;
        let expected = p * DRAWS as f64;
        statistic += (seen - expected).powi(2) / expected;
        cells += 1.0;
    }
    let p = ChiSquared::new(cells - 1.0).unwrap().sf(statistic);
    assert!(p > 1e-8, "{statistic}, p = {p:e}");
    for i in 0..3 {
        let numbers: Vec<f64> = drawn.iter().map(|counts| f64::from(counts[i])).collect();
        let (mean, variance) = (6.0 * shares[i], 6.0 * shares[i] * (1.0 - shares[i]));
        for ((found, error), right) in moments(&numbers, mean).into_iter().zip([mean, variance]) {
            assert!(
                (found - right).abs() < 5.73 * error,
                "{i}: {found} ± {error}"
            );
        }
    }
    for impossible in [vec![1, 2, 2], vec![6], vec![2, 2, 2, 0], vec![7, 0, 0]] {
        assert_eq!(log_prob(&element, impossible), f64::NEG_INFINITY);
    }
}

/// Exact algorithms list the outcomes; a weight that is zero leaves its category out.
#[test]
fn multinomial_outcomes_are_listed() {
    let element = Multinomial::new(3, [1.0, 0.0, 3.0]);
    let answer = Enumerate::new().run(&Model::new(), &element).unwrap();
    let listed: Vec<(Vec<u32>, f64)> = counts_of_three(3, [0.25, 0.0, 0.75]);
    for (counts, p) in &listed {
        let found = answer.probability(&element, counts).unwrap();
        assert!((found - p).abs() < 1e-14, "{counts:?}: {found}, not {p}");
    }
    let support = answer.distribution(&element).unwrap().iter().count();
    assert_eq!(support, 4);
    let none = Multinomial::new(0, [1.0, 2.0]);
    assert_eq!(log_prob(&none, vec![0, 0]), 0.0);
    for (trials, weights) in [(40, vec![1.0; 20]), (1, vec![1.0; 1 << 12])] {
        let many = Multinomial::new(trials, weights);
        let refused = Enumerate::new().run(&Model::new(), &many).unwrap_err();
        assert!(
            refused.to_string().contains("too many discrete values"),
            "{refused}"
        );
    }
}

/// Large counts keep their digits, and weights of very different sizes keep log-probabilities whose probabilities round to zero.
#[test]
fn extreme_multinomials_keep_their_digits() {
    // At the mean, the log-probability is −ln(2π n sqrt(p₁ p₂ p₃)) but for terms of the order of 1 / n.
    let n = 3 << 22;
    let even = Multinomial::new(n, [1.0, 1.0, 1.0]);
    let n = f64::from(n);
    let right = -(std::f64::consts::TAU * n).ln() + 1.5 * 3.0_f64.ln();
    let found = log_prob(&even, vec![1 << 22; 3]);
    assert!(
        (found - right).abs() < 1e-6 && found < right,
        "{found}, not {right}"
    );
    let far = Multinomial::new(2, [1e-300, 1e300, 1e-300]);
    let right = 2.0_f64.ln() - 600.0 * 10.0_f64.ln();
    let found = log_prob(&far, vec![0, 1, 1]);
    assert!((found - right).abs() < 1e-9, "{found}, not {right}");
    assert!(log_prob(&far, vec![0, 2, 0]).abs() < 1e-300);
    for counts in draws(&far, 50) {
        assert_eq!(counts, [0, 2, 0]);
    }
    let sizes = [1e-300, 1e-9, 1.0, 1e300];
    for weights in sizes.iter().flat_map(|&a| sizes.map(|b| [a, b, 1.0, 0.0])) {
        for trials in [0, 1, 1000, 1 << 24] {
            let element = Multinomial::new(trials, weights);
            for counts in draws(&element, 20) {
                let log = log_prob(&element, counts);
                assert!(log.is_finite() && log < 1e-9, "{weights:?}: {log}");
            }
        }
    }
}
