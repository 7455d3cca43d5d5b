//! Tests of distributions over lists of numbers.

use figrs::prelude::*;
use figrs::{Covariance, Dirichlet, MultivariateNormal};

use crate::distributions::atomic::{draws, log_prob, moments};

const DRAWS: usize = 20_000;

/// Checks that each number in the list has the given mean and variance.
fn has_moments(element: &Element<Vec<f64>>, right: &[(f64, f64)]) {
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

const MATRIX: [[f64; 3]; 3] = [[4.0, 1.0, -1.0], [1.0, 2.0, 0.5], [-1.0, 0.5, 3.0]];

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
