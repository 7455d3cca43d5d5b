//! Tests of distributions over covariance and correlation matrices.

use figrs::prelude::*;
use figrs::{Concentration, Covariance, DegreesOfFreedom, Lkj, MultivariateNormal, Scale, Wishart};
use statrs::distribution::{Beta as StatrsBeta, ContinuousCDF};
use statrs::function::gamma::ln_gamma;

use crate::distributions::atomic::{draws, kolmogorov, log_prob};
use crate::distributions::vectors::{MATRIX, has_moments};

const DRAWS: usize = 20_000;

/// The row and the column of each number of a lower triangle.
fn places(rows: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..rows).flat_map(|i| (0..=i).map(move |j| (i, j)))
}

#[test]
fn wishart_draws_have_the_documented_moments() {
    for freedom in [2.5, 3.0, 40.0] {
        let element = Wishart::new(DegreesOfFreedom(freedom), Covariance::rows(MATRIX));
        let moments = places(3).map(|(i, j)| {
            let [ij, ii, jj] = [MATRIX[i][j], MATRIX[i][i], MATRIX[j][j]];
            (freedom * ij, freedom * (ij * ij + ii * jj))
        });
        has_moments(&element, &moments.collect::<Vec<_>>());
        for numbers in draws(&element, 1000) {
            assert!(log_prob(&element, numbers).is_finite());
        }
    }
}

/// The density in three dimensions, with the determinants, the inverse and the multivariate gamma function of the definition.
#[test]
fn wishart_densities_are_those_of_the_formula() {
    let determinant = |m: [[f64; 3]; 3]| {
        let minor = |j: usize| {
            let [a, b] = [(j + 1) % 3, (j + 2) % 3];
            m[1][a] * m[2][b] - m[1][b] * m[2][a]
        };
        (0..3).map(|j| m[0][j] * minor(j)).sum::<f64>()
    };
    let x = [[3.0, 0.5, -2.0], [0.5, 5.0, 1.0], [-2.0, 1.0, 4.0]];
    let numbers: Vec<f64> = places(3).map(|(i, j)| x[i][j]).collect();
    // The trace of V⁻¹ X, with the inverse by cofactors.
    let mut trace = 0.0;
    for i in 0..3 {
        for j in 0..3 {
            let at = |a: usize, b: usize| MATRIX[(i + a) % 3][(j + b) % 3];
            let cofactor = at(1, 1) * at(2, 2) - at(1, 2) * at(2, 1);
            trace += cofactor / determinant(MATRIX) * x[i][j];
        }
    }
    for n in [2.1, 4.0, 9.5] {
        let element = Wishart::new(DegreesOfFreedom(n), Covariance::rows(MATRIX));
        let gammas: f64 = [n, n - 1.0, n - 2.0]
            .map(|n| ln_gamma(n / 2.0))
            .iter()
            .sum();
        let constant = 1.5 * n * 2.0_f64.ln() + 1.5 * std::f64::consts::PI.ln() + gammas;
        let right = 0.5 * (n - 4.0) * determinant(x).ln()
            - 0.5 * (trace + n * determinant(MATRIX).ln())
            - constant;
        let found = log_prob(&element, numbers.clone());
        assert!((found - right).abs() < 1e-12, "{n}: {found}, not {right}");
    }
    let element = Wishart::new(DegreesOfFreedom(4.0), Covariance::rows(MATRIX));
    for impossible in [
        vec![1.0],
        vec![1.0, 2.0, 1.0, 0.0, 0.0, 1.0],
        vec![f64::NAN; 6],
    ] {
        assert_eq!(log_prob(&element, impossible), f64::NEG_INFINITY);
    }
}

/// The Wishart distribution of one row is a gamma distribution, of any size.
#[test]
fn a_wishart_of_one_is_a_gamma() {
    for (freedom, variance) in [(0.3, 2.0), (7.0, 1e-300), (1e15, 1e250), (1e-9, 1.0)] {
        let matrix = Wishart::new(DegreesOfFreedom(freedom), Covariance::diagonal([variance]));
        let number = Gamma::new(freedom / 2.0, Scale(2.0 * variance));
        for part in [0.01, 0.9, 1.0, 3.0] {
            let x = part * freedom * variance;
            let (a, b) = (log_prob(&matrix, vec![x]), log_prob(&number, x));
            let near = (a - b).abs() < 1e-12 * (1.0 + a.abs());
            assert!(near, "{freedom}, {x}: {a}, {b}");
        }
        for numbers in draws(&matrix, 50) {
            assert!(log_prob(&matrix, numbers).is_finite());
        }
    }
}

/// Matrices that round to singular matrices are kept positive definite, so that their densities are finite.
#[test]
fn extreme_matrices_have_a_density() {
    let near = [[1.0, 1.0 - 1e-9], [1.0 - 1e-9, 1.0]];
    for freedom in [1.001, 1.5, 1e6, 1e15] {
        for covariance in [
            Covariance::rows(near),
            Covariance::diagonal([1e-150, 1e150]),
            Covariance::diagonal([1e-300, 1e-290]),
        ] {
            let element = Wishart::new(DegreesOfFreedom(freedom), covariance);
            for numbers in draws(&element, 100) {
                let log = log_prob(&element, numbers.clone());
                assert!(log.is_finite(), "{freedom}, {numbers:?}: {log}");
            }
        }
    }
    for concentration in [1e-300, 1e-3, 0.5, 1.0, 1e9, 1e15] {
        for rows in [2, 3, 12] {
            let element = Lkj::new(rows, Concentration(concentration));
            for correlations in draws(&element, 50) {
                let log = log_prob(&element, correlations);
                assert!(log.is_finite(), "{concentration}, {rows}: {log}");
            }
        }
    }
}

/// Kolmogorov's test has a false-alarm probability of 1e-8 for each correlation.
#[test]
fn correlations_have_beta_distributions() {
    for (rows, concentration) in [(2, 0.5), (3, 1.0), (3, 6.0), (5, 2.0)] {
        let element = Lkj::new(rows, Concentration(concentration));
        let drawn = draws(&element, DRAWS);
        let shape = concentration + rows as f64 / 2.0 - 1.0;
        let beta = StatrsBeta::new(shape, shape).unwrap();
        for place in 0..rows * (rows - 1) / 2 {
            let numbers = drawn.iter().map(|list| list[place]).collect();
            let (largest, limit) = kolmogorov(numbers, |x| beta.cdf(f64::midpoint(x, 1.0)), 1e-8);
            assert!(
                largest < limit,
                "{rows}, {concentration}, {place}: {largest}"
            );
        }
        let variance = 1.0 / (2.0 * concentration + rows as f64 - 1.0);
        has_moments(&element, &vec![(0.0, variance); rows * (rows - 1) / 2]);
    }
}

/// Two correlations have a density in closed form, the correlation matrices of three numbers have the volume π² / 2, and other densities are
/// integrated by Simpson's rule.
#[test]
fn densities_of_correlations_integrate_to_one() {
    const STEPS: u32 = 60;
    for shape in [0.5, 1.0, 3.5, 1e6] {
        let (pair, single) = (Lkj::new(2, Concentration(shape)), Beta::new(shape, shape));
        for r in [-0.9, 0.0, 0.3] {
            let a = log_prob(&pair, vec![r]);
            let b = log_prob(&single, f64::midpoint(r, 1.0)) - 2.0_f64.ln();
            assert!(
                (a - b).abs() < 1e-9 * (1.0 + a.abs()),
                "{shape}, {r}: {a}, {b}"
            );
        }
    }
    let flat = Lkj::new(3, Concentration(1.0));
    let found = log_prob(&flat, vec![0.1, 0.2, -0.3]);
    let right = (2.0 / std::f64::consts::PI.powi(2)).ln();
    assert!((found - right).abs() < 1e-12, "{found}, not {right}");
    let element = Lkj::new(3, Concentration(4.0));
    let at = |i: u32| 2.0 * f64::from(i) / f64::from(STEPS) - 1.0;
    let weight = |i: u32| match i {
        0 | STEPS => 1.0,
        _ => f64::from(2 + 2 * (i % 2)),
    };
    let mut sum = 0.0;
    for a in 0..=STEPS {
        for b in 0..=STEPS {
            for c in 0..=STEPS {
                let density = log_prob(&element, vec![at(a), at(b), at(c)]).exp();
                sum += weight(a) * weight(b) * weight(c) * density;
            }
        }
    }
    let volume = sum * (2.0 / f64::from(STEPS) / 3.0).powi(3);
    assert!((volume - 1.0).abs() < 1e-3, "{volume}");
    for impossible in [
        vec![0.1],
        vec![0.9, 0.9, -0.9],
        vec![1.0, 0.0, 0.0],
        vec![f64::NAN; 3],
    ] {
        assert_eq!(log_prob(&flat, impossible), f64::NEG_INFINITY);
    }
}

/// A random covariance is a parameter of a normal list: the evidence of points is that of the integral over the correlation.
#[test]
fn random_matrices_are_covariances_of_normal_lists() {
    const STEPS: u32 = 20_000;
    let correlations = Lkj::new(2, Concentration(2.0));
    let point = correlations.flat_map(|correlations| {
        let covariance = Covariance::of_correlations([1.0, 2.0], correlations);
        MultivariateNormal::new([0.0, 0.0], covariance)
    });
    let model = Model::new().observe(&point, vec![1.0, 2.5]);
    let positive = correlations.map(|list| list[0] > 0.0);
    // The density of the correlation is proportional to 1 − r², times that of the point, by a sum over fine steps.
    let density = |r: f64| {
        let rest = 1.0 - r * r;
        let (x, y) = (1.0, 1.25);
        let form = (x * x - 2.0 * r * x * y + y * y) / rest;
        0.75 * rest * (-0.5 * form).exp() / (std::f64::consts::TAU * 2.0 * rest.sqrt())
    };
    let middles = (0..STEPS).map(|i| (2.0 * f64::from(i) + 1.0) / f64::from(STEPS) - 1.0);
    let (mut all, mut above) = (0.0, 0.0);
    for r in middles {
        let part = density(r) * 2.0 / f64::from(STEPS);
        all += part;
        above += if r > 0.0 { part } else { 0.0 };
    }
    let sampler = ImportanceSampling::new(20_000).seed(4);
    let answer = sampler.run(&model, &positive).unwrap();
    let p = answer.probability(&positive, &true).unwrap();
    let error = answer.standard_error(&positive, &true).unwrap();
    assert!(
        (p - above / all).abs() < 5.0 * error && error < 0.01,
        "{p} ± {error}"
    );
    let evidence = answer.log_evidence().unwrap();
    let away = (evidence.value - f64::ln(all)).abs();
    assert!(away < 5.0 * evidence.standard_error, "{away}");
}
