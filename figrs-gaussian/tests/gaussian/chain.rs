//! A long chain of two-dimensional states, against the filter and the smoother in covariance form.

use figrs_factor::Limits;
use figrs_factor::Until;
use figrs_gaussian::{
    Elimination, GaussianError, HybridFactor, HybridGraph, HybridPosterior, RealId, SquareRootForm,
};
use nalgebra::{DMatrix, DVector, dmatrix, dvector};

use crate::mixture;

/// Returns the density of a state with the mean `step` times the state before and the covariance `noise`, as a function of both states.
fn transition(step: &DMatrix<f64>, noise: &DMatrix<f64>) -> SquareRootForm {
    let (own, before) = (DMatrix::identity(step.nrows(), step.nrows()), -step);
    let blocks = [(0, own.as_view()), (step.nrows(), before.as_view())];
    let lower = noise.clone().cholesky().unwrap().unpack();
    let zeros = vec![0.0; step.nrows()];
    SquareRootForm::residual(step.nrows() + step.ncols(), blocks, &zeros, &lower)
}

/// A level with a velocity, seen through noise.
fn track(readings: &[f64], start_variance: f64) -> HybridGraph {
    let step = dmatrix![1.0, 1.0; 0.0, 1.0];
    let noise = dmatrix![0.3, 0.1; 0.1, 0.2];
    let mut graph = HybridGraph::default();
    let mut before: Option<RealId> = None;
    for &reading in readings {
        let state = graph.add_real(2);
        let form = match before {
            None => {
                let start = DMatrix::identity(2, 2) * start_variance;
                transition(&DMatrix::zeros(2, 0), &start)
            }
            Some(_) => transition(&step, &noise),
        };
        let mut reals = vec![state];
        reals.extend(before);
        graph.factors.push(HybridFactor {
            finite: Vec::new(),
            reals: reals.into(),
            forms: vec![form].into(),
        });
        let level = dmatrix![-1.0, 0.0];
        let deviation = dmatrix![2_f64.sqrt()];
        let seen = SquareRootForm::residual(2, [(0, level.as_view())], &[reading], &deviation);
        graph.factors.push(HybridFactor {
            finite: Vec::new(),
            reals: vec![state].into(),
            forms: vec![seen].into(),
        });
        before = Some(state);
    }
    graph
}

/// A mean and a covariance.
type Moments = (DVector<f64>, DMatrix<f64>);

/// Means and covariances by the filter of Kalman and the smoother of Rauch, Tung and Striebel, and the log-evidence.
fn smoothed(readings: &[f64], start_variance: f64) -> (Vec<Moments>, f64) {
    let step = dmatrix![1.0, 1.0; 0.0, 1.0];
    let noise = dmatrix![0.3, 0.1; 0.1, 0.2];
    let (mut mean, mut covariance) = (dvector![0.0, 0.0], DMatrix::identity(2, 2) * start_variance);
    let (mut filtered, mut predicted) = (Vec::new(), Vec::new());
    let mut log_evidence = 0.0;
    for (t, &reading) in readings.iter().enumerate() {
        if t > 0 {
            mean = &step * mean;
            covariance = &step * covariance * step.transpose() + &noise;
        }
        predicted.push((mean.clone(), covariance.clone()));
        let variance = covariance[(0, 0)] + 2.0;
        let apart = reading - mean[0];
        log_evidence -= 0.5 * (apart * apart / variance + (std::f64::consts::TAU * variance).ln());
        let gain = covariance.column(0) / variance;
        mean += &gain * apart;
        let kept = DMatrix::identity(2, 2) - &gain * dmatrix![1.0, 0.0];
        covariance = &kept * covariance * kept.transpose() + 2.0 * &gain * gain.transpose();
        filtered.push((mean.clone(), covariance.clone()));
    }
    let mut all = filtered.clone();
    for t in (0..readings.len() - 1).rev() {
        let (m, c) = &filtered[t];
        let (pm, pc) = &predicted[t + 1];
        let gain = c * step.transpose() * pc.clone().try_inverse().unwrap();
        let (nm, nc) = all[t + 1].clone();
        all[t] = (
            m + &gain * (nm - pm),
            c + &gain * (nc - pc) * gain.transpose(),
        );
    }
    (all, log_evidence)
}

#[test]
fn long_chains_agree_with_the_smoother() {
    for start_variance in [4.0, 100.0] {
        let readings: Vec<f64> = (0..5000)
            .map(|t| (f64::from(t) * 0.7).sin() * 3.0)
            .collect();
        let graph = track(&readings, start_variance);
        let elimination = Elimination::run(&graph, 1, &Until::default()).unwrap();
        let posterior = HybridPosterior::new(&elimination, &Limits::default()).unwrap();
        let (all, log_evidence) = smoothed(&readings, start_variance);
        assert!((posterior.log_total() - log_evidence).abs() < 1e-10 * log_evidence.abs());
        for (t, (mean, covariance)) in all.iter().enumerate() {
            let real = RealId(t as u32);
            let found = mixture(&posterior, real);
            let apart = (found.mean() - mean).abs().max();
            assert!(apart < 1e-9, "mean {t}: {apart}");
            let apart = (found.covariance() - covariance).abs().max();
            assert!(apart < 1e-9, "covariance {t}: {apart}");
        }
    }
}

/// The exact numbers were computed with 60 digits from the joint distribution of the readings and the first state.
#[test]
fn a_vague_start_loses_no_digits() {
    let graph = track(&[1.0, 2.0, 4.0, 3.0, 5.0], 1e7);
    let elimination = Elimination::run(&graph, 1, &Until::default()).unwrap();
    let posterior = HybridPosterior::new(&elimination, &Limits::default()).unwrap();
    let first = mixture(&posterior, RealId(0));
    let (mean, covariance) = (first.mean(), first.covariance());
    let exact = [
        (posterior.log_total(), -24.296_059_707_674_654),
        (mean[0], 1.164_426_917_218_678_4),
        (mean[1], 0.934_900_331_149_223_7),
        (covariance[(0, 0)], 1.302_023_874_743_896),
        (covariance[(0, 1)], -0.499_168_622_051_334_4),
        (covariance[(1, 1)], 0.522_119_805_664_467_1),
    ];
    for (found, exact) in exact {
        assert!(
            (found - exact).abs() < 1e-13 * exact.abs(),
            "{found} {exact}"
        );
    }
}

#[test]
fn vectors_without_a_distribution_are_named() {
    let mut graph = HybridGraph::default();
    let (x, y) = (graph.add_real(1), graph.add_real(1));
    let apart = transition(&dmatrix![1.0], &dmatrix![1.0]);
    for _ in 0..2 {
        graph.factors.push(HybridFactor {
            finite: Vec::new(),
            reals: vec![x, y].into(),
            forms: vec![apart.clone()].into(),
        });
    }
    let error = Elimination::run(&graph, 1, &Until::default()).unwrap_err();
    assert!(matches!(error, GaussianError::Improper(_)), "{error}");
    let alone = graph.add_real(1);
    let error = Elimination::run(&graph, 1, &Until::default()).unwrap_err();
    assert_eq!(error, GaussianError::Improper(alone));
}

#[test]
fn densities_that_are_infinite_or_not_a_number_are_errors() {
    for log_scale in [f64::INFINITY, f64::NAN] {
        let mut graph = track(&[0.5, 1.0], 1.0);
        graph.factors[0].forms[0].log_scale = log_scale;
        let error = Elimination::run(&graph, 1, &Until::default()).unwrap_err();
        assert_eq!(error, GaussianError::InfiniteTotal);
    }
}
