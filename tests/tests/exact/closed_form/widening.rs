//! Likelihoods that widen distributions, whose Gaussian approximations have negative precisions.

use figrs::prelude::*;
use figrs::{DegreesOfFreedom, ExpectationPropagation, Scale, SelfChecked, Stopped, StudentT};

use super::propagation::likelihoods::by_trapezoids;

const SCALE: f64 = 0.5;
const FREEDOM: f64 = 4.0;

/// The natural logarithm of the density of a reading with Student-t noise.
fn log_density(reading: f64) -> impl Fn(f64) -> f64 {
    let constant = (3.0 / 8.0_f64).ln() - SCALE.ln();
    move |x| constant - 2.5 * (1.0 + ((reading - x) / SCALE).powi(2) / FREEDOM).ln()
}

fn reading(level: &Element<f64>) -> Element<f64> {
    StudentT::new(level, Scale(SCALE), DegreesOfFreedom(FREEDOM))
}

/// A single surprising reading in a sequence of three levels: the levels beside it are linear functions of its level, plus noise.
#[test]
fn a_surprising_reading_widens_all_levels_exactly() {
    for value in [6.0, 7.0, 8.0, -9.0] {
        let first = Normal::new(1.0, Variance(1.0));
        let second = Normal::new(&first, Variance(1.0));
        let third = Normal::new(&second * 2.0, Variance(0.5));
        let model = Model::new().observe(&reading(&second), value);
        let answer = ExpectationPropagation::new()
            .run(&model, (&first, &second, &third))
            .unwrap();
        let [mean, variance, log_evidence] = by_trapezoids(1.0, 2.0, log_density(value));
        if value.abs() < 9.0 {
            assert!(variance > 2.1 || value < 7.0, "{variance}");
        }
        let near = |found: f64, exact: f64| {
            let apart = (found - exact).abs();
            assert!(apart < 1e-6, "{value}: {found}, not {exact}");
        };
        near(answer.log_evidence().unwrap().value, log_evidence);
        near(answer.mean(&second).unwrap(), mean);
        near(answer.variance(&second).unwrap(), variance);
        near(answer.mean(&first).unwrap(), 1.0 + (mean - 1.0) / 2.0);
        near(answer.variance(&first).unwrap(), 0.5 + variance / 4.0);
        near(answer.mean(&third).unwrap(), 2.0 * mean);
        near(answer.variance(&third).unwrap(), 0.5 + 4.0 * variance);
    }
}

/// The mean and the variance at which the approximations of several readings of one level agree, by scalar numbers and quadrature.
fn fixed_point(prior: f64, readings: &[f64]) -> (f64, f64) {
    let tilted = |mean: f64, variance: f64, reading: f64| {
        let (mut sums, log) = ([0.0; 3], log_density(reading));
        for i in -3000..=3000 {
            let x = mean + f64::from(i) * 0.004 * variance.sqrt();
            let p = (log(x) - 0.5 * (x - mean).powi(2) / variance).exp();
            sums = [sums[0] + p, sums[1] + p * x, sums[2] + p * x * x];
        }
        let mean = sums[1] / sums[0];
        (mean, sums[2] / sums[0] - mean * mean)
    };
    let mut sites = vec![(0.0, 0.0); readings.len()];
    for _ in 0..50 {
        let precision = 1.0 / prior + sites.iter().map(|site| site.0).sum::<f64>();
        let shift: f64 = sites.iter().map(|site| site.1).sum();
        for (site, &reading) in sites.iter_mut().zip(readings) {
            let (own, toward) = (precision - site.0, shift - site.1);
            let (mean, variance) = tilted(toward / own, 1.0 / own, reading);
            site.0 = f64::midpoint(site.0, 1.0 / variance - own);
            site.1 = f64::midpoint(site.1, mean / variance - toward);
        }
    }
    assert!(sites.iter().any(|site| site.0 < -0.05), "{sites:?}");
    let precision = 1.0 / prior + sites.iter().map(|site| site.0).sum::<f64>();
    let shift: f64 = sites.iter().map(|site| site.1).sum();
    (shift / precision, 1.0 / precision)
}

#[test]
fn several_readings_reach_the_fixed_point() {
    for readings in [&[0.0, 0.3, 5.0][..], &[0.0, 0.3, -0.2, 0.6, 7.0, -6.0]] {
        let level = Normal::new(0.0, Variance(9.0));
        let model = readings.iter().fold(Model::new(), |model, &value| {
            model.observe(&reading(&level), value)
        });
        let answer = ExpectationPropagation::new().run(&model, &level).unwrap();
        let statistics = answer.sampling().unwrap();
        assert_eq!(statistics.stopped, Stopped::Finished, "{statistics:?}");
        let (mean, variance) = fixed_point(9.0, readings);
        assert!((answer.mean(&level).unwrap() - mean).abs() < 1e-7);
        assert!((answer.variance(&level).unwrap() - variance).abs() < 1e-7);
        let log = |x: f64| readings.iter().map(|&y| log_density(y)(x)).sum::<f64>();
        let [exact, spread, log_evidence] = by_trapezoids(0.0, 9.0, log);
        // The approximation itself is near: 0.026 standard deviations, 12 % of the variance, 0.007 in the log-evidence.
        assert!(
            (mean - exact).abs() < 0.03 * spread.sqrt(),
            "{mean} {exact}"
        );
        assert!(
            (variance / spread - 1.0).abs() < 0.12,
            "{variance} {spread}"
        );
        let apart = answer.log_evidence().unwrap().value - log_evidence;
        assert!(apart.abs() < 0.01, "{apart}");
    }
}

/// Two readings that contradict each other: the updates do not settle, and the answer says so or has settled; it never fails.
#[test]
fn readings_without_a_common_distribution_are_damped() {
    for apart in [2.0, 4.0, 8.0, 30.0] {
        let level = Normal::new(0.0, Variance(9.0));
        let model = Model::new()
            .observe(&reading(&level), 0.0)
            .observe(&reading(&level), apart);
        let answer = ExpectationPropagation::new()
            .sweeps(100)
            .run(&model, &level)
            .unwrap();
        assert!(answer.variance(&level).unwrap() > 0.0);
        assert!(answer.log_evidence().unwrap().value.is_finite());
    }
}

#[test]
fn self_checks_draw_from_the_approximation() {
    let level = Normal::new(0.0, Variance(4.0)).named("level");
    let high = level.greater_than(&Constant::new(1.0)).named("high");
    let model = Model::new().observe(&reading(&level), 0.7);
    let algorithm = SelfChecked::new(ExpectationPropagation::new());
    let answer = algorithm.run(&model, &level).unwrap();
    assert!(answer.is_checked());
    // With one likelihood per element the approximation is good; a posterior of two modes is not normal.
    let model = Model::new().weigh(&level, |x| if x.abs() > 3.0 { 1.0 } else { 0.0 });
    let error = algorithm.run(&model, (&level, &high)).unwrap_err();
    assert!(
        matches!(&error, Error::NotVerified { what, .. } if what.contains("high")),
        "{error}"
    );
}
