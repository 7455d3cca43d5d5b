//! Gaussian functions with negative precisions, against dense precision matrices.

use figrs_factor::Limits;
use figrs_factor::Until;
use figrs_gaussian::{
    Elimination, GaussianError, HybridFactor, HybridGraph, HybridPosterior, RealId, SquareRootForm,
};
use nalgebra::{DMatrix, DVector};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::mixture;

/// The function `exp(-sign (coefficients x - target)² / 2)` of some numbers.
fn square(reals: &[u32], coefficients: &[f64], target: f64, is_subtracted: bool) -> HybridFactor {
    HybridFactor {
        finite: Vec::new(),
        reals: reals.iter().copied().map(RealId).collect(),
        forms: vec![SquareRootForm::new(
            &DMatrix::from_row_slice(1, coefficients.len(), coefficients),
            &DVector::from_element(1, target),
            usize::from(is_subtracted),
        )]
        .into(),
    }
}

#[test]
fn random_products_and_quotients_agree_with_dense_matrices() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    let (mut proper, mut improper) = (0, 0);
    for case in 0..400 {
        let n = rng.random_range(1..=6_u32);
        let mut graph = HybridGraph::default();
        let (mut precision, mut shift): (DMatrix<f64>, DVector<f64>) = (
            DMatrix::zeros(n as usize, n as usize),
            DVector::zeros(n as usize),
        );
        let mut constant = 0.0;
        for _ in 0..n {
            graph.add_real(1);
        }
        let mut add = |reals: &[u32], numbers: &[f64], target: f64, is_subtracted: bool| {
            let sign = if is_subtracted { -1.0 } else { 1.0 };
            for (i, a) in reals.iter().zip(numbers) {
                shift[*i as usize] += sign * a * target;
                for (j, b) in reals.iter().zip(numbers) {
                    precision[(*i as usize, *j as usize)] += sign * a * b;
                }
            }
            constant -= 0.5 * sign * target * target;
            graph
                .factors
                .push(square(reals, numbers, target, is_subtracted));
        };
        for i in 0..n {
            add(
                &[i],
                &[rng.random_range(0.5..1.5)],
                rng.random_range(-1.0..1.0),
                false,
            );
        }
        for _ in 0..2 * n {
            let (i, j) = (rng.random_range(0..n), rng.random_range(0..n));
            let reals = if i == j { vec![i] } else { vec![i, j] };
            let is_subtracted = rng.random_bool(0.5);
            let size = if is_subtracted { 0.6 } else { 1.0 };
            let numbers: Vec<f64> = reals
                .iter()
                .map(|_| size * rng.random_range(-1.0..1.0))
                .collect();
            add(&reals, &numbers, rng.random_range(-1.0..1.0), is_subtracted);
        }
        let found = Elimination::run(&graph, 1, &Until::default());
        let Some(cholesky) = precision.clone().cholesky() else {
            assert!(
                matches!(found, Err(GaussianError::Improper(_))),
                "case {case}"
            );
            improper += 1;
            continue;
        };
        proper += 1;
        let elimination = found.unwrap();
        let posterior = HybridPosterior::new(&elimination, &Limits::default()).unwrap();
        let (mean, covariance) = (cholesky.solve(&shift), cholesky.inverse());
        let log_determinant: f64 = cholesky.l_dirty().diagonal().iter().map(|x| x.ln()).sum();
        let log_total = constant + 0.5 * shift.dot(&mean) - log_determinant
            + 0.5 * f64::from(n) * std::f64::consts::TAU.ln();
        let scale = 1e-9 * (1.0 + covariance.amax() + mean.amax() * mean.amax());
        assert!(
            (posterior.log_total() - log_total).abs() < scale,
            "case {case}"
        );
        for i in 0..n as usize {
            let found = mixture(&posterior, RealId(i as u32));
            assert!((found.mean()[0] - mean[i]).abs() < scale, "case {case}");
            let variance = found.covariance()[(0, 0)];
            assert!((variance - covariance[(i, i)]).abs() < scale, "case {case}");
        }
    }
    assert!(proper > 100 && improper > 20, "{proper} {improper}");
}
