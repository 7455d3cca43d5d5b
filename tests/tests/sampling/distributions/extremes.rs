//! Tests of parameters and values at the ends of the range of `f64`.

use std::f64::consts::PI;

use figrs::prelude::*;
use figrs::{
    Cauchy, Concentration, DegreesOfFreedom, HalfCauchy, HalfNormal, InverseGamma, KernelDensity,
    Laplace, LogNormal, Pareto, Precision, Scale, StudentT, TruncatedNormal, VonMises, Weibull,
    stream,
};

use crate::distributions::atomic::{log_prob, op};

/// Tiny, ordinary and huge parameter values.
const SIZES: [f64; 7] = [1e-300, 1e-12, 0.5, 1.0, 7.0, 1e12, 1e300];

const VALUES: [f64; 15] = [
    -1e300,
    -3.0,
    -1e-300,
    0.0,
    5e-324,
    1e-300,
    1e-9,
    0.3,
    1.0,
    2.0,
    1e9,
    1e300,
    f64::MAX,
    f64::INFINITY,
    f64::NEG_INFINITY,
];

/// Returns elements of all distributions with two parameters of these sizes.
fn extreme() -> Vec<Element<f64>> {
    let mut all = Vec::new();
    for a in SIZES {
        all.push(Exponential::new(Rate(a)));
        all.push(Exponential::new(Scale(a)));
        all.push(HalfNormal::new(Variance(a)));
        all.push(HalfCauchy::new(Scale(a)));
        for b in SIZES {
            all.push(Normal::new(a, Variance(b)));
            all.push(Normal::new(-a, StandardDeviation(b)));
            all.push(ContinuousUniform::new(-a, b));
            all.push(Gamma::new(a, Rate(b)));
            all.push(Gamma::new(a, Scale(b)));
            all.push(InverseGamma::new(a, Scale(b)));
            all.push(Beta::new(a, b));
            all.push(Laplace::new(a, Scale(b)));
            all.push(Cauchy::new(a, Scale(b)));
            all.push(Weibull::new(a, Scale(b)));
            all.push(Pareto::new(a, Scale(b)));
            all.push(VonMises::new(-a, Concentration(b)));
            all.push(KernelDensity::new([a, -a, 0.5], StandardDeviation(b)));
            all.push(LogNormal::new(a, StandardDeviation(b)));
            all.push(TruncatedNormal::new(0.0, StandardDeviation(1.0), -a, b));
            all.push(TruncatedNormal::new(a, Variance(b), f64::NEG_INFINITY, a));
            all.push(TruncatedNormal::new(
                -a.min(1e100),
                Precision(1.0),
                0.0,
                f64::INFINITY,
            ));
            all.extend(SIZES.map(|n| StudentT::new(a, Scale(b), DegreesOfFreedom(n))));
        }
    }
    all.push(ContinuousUniform::new(f64::MIN, f64::MAX));
    all
}

#[test]
fn draws_are_finite_and_have_a_density() {
    let mut rng = stream(1, 0);
    for element in extreme() {
        op(&element).check().unwrap();
        for _ in 0..50 {
            let drawn = op(&element).sample(&mut rng).unwrap();
            let x = *drawn.get::<f64>().unwrap();
            assert!(x.is_finite(), "{:?} draws {x}", op(&element).describe());
            let log = op(&element).log_prob(&x);
            assert!(log.is_ok(), "{} at {x:e}: {log:?}", op(&element).describe());
        }
    }
}

/// If a density is infinite, the answer is an error that states this.
#[test]
fn log_densities_are_never_nan() {
    for element in extreme() {
        for x in VALUES {
            match op(&element).log_prob(&x) {
                Ok(log) => assert!(log < f64::INFINITY),
                Err(fault) => {
                    let said = fault.to_string();
                    let end = x == 0.0 || x == 1.0;
                    assert!(
                        end && said.contains("log-probability inf"),
                        "{} at {x:e}: {said}",
                        op(&element).describe()
                    );
                }
            }
        }
    }
}

#[test]
fn distribution_functions_stay_probabilities() {
    let mut known = 0;
    for element in extreme() {
        for x in VALUES {
            // The series of the library may not converge, and then there is nothing to check.
            let Some(tails) = op(&element).tails(&x).unwrap() else {
                continue;
            };
            known += 1;
            let sum = tails.lower + tails.upper;
            assert!(
                (0.0..=1.0).contains(&tails.lower),
                "{element:?} at {x:e}: {tails:?}"
            );
            assert!(
                (sum - 1.0).abs() < 1e-6,
                "{} at {x:e}: {tails:?}",
                op(&element).describe()
            );
        }
    }
    assert!(known > 5_000, "{known}");
}

#[test]
fn the_ends_of_the_support_have_the_density_of_the_formula() {
    let near = |element: Element<f64>, x: f64, right: f64| {
        let found = log_prob(&element, x);
        assert!(
            (found - right).abs() < 1e-12,
            "{element:?} at {x}: {found}, not {right}"
        );
    };
    near(Beta::new(1.0, 1.0), 0.0, 0.0);
    near(Beta::new(1.0, 1.0), 1.0, 0.0);
    near(Beta::new(1.0, 3.0), 0.0, 3.0_f64.ln());
    near(Beta::new(4.0, 1.0), 1.0, 4.0_f64.ln());
    near(Gamma::new(1.0, Rate(2.5)), 0.0, 2.5_f64.ln());
    near(Exponential::new(Rate(2.5)), 0.0, 2.5_f64.ln());
    near(ContinuousUniform::new(0.0, 4.0), 0.0, -4.0_f64.ln());
    near(ContinuousUniform::new(0.0, 4.0), 4.0, -4.0_f64.ln());
    near(Weibull::new(1.0, Scale(2.0)), 0.0, -2.0_f64.ln());
    near(HalfCauchy::new(Scale(1.0)), 0.0, (2.0 / PI).ln());
    near(HalfNormal::new(Variance(1.0)), 0.0, 0.5 * (2.0 / PI).ln());
    near(Pareto::new(2.0, Scale(3.0)), 3.0, (2.0_f64 / 3.0).ln());
    // I₀(1) = 1.266065877752008...; the mean direction is opposite to both ends.
    let opposite = -1.0 - (2.0 * PI * 1.266_065_877_752_008_4).ln();
    near(VonMises::new(0.0, Concentration(1.0)), PI, opposite);
    near(VonMises::new(0.0, Concentration(1.0)), -PI, opposite);
    let zero = |element: Element<f64>, x: f64| {
        assert_eq!(
            log_prob(&element, x),
            f64::NEG_INFINITY,
            "{element:?} at {x}"
        );
    };
    zero(Beta::new(2.0, 2.0), 0.0);
    zero(Beta::new(2.0, 2.0), 1.0);
    zero(Beta::new(2.0, 2.0), 1.1);
    zero(Beta::new(2.0, 2.0), -0.1);
    zero(Gamma::new(2.0, Rate(1.0)), 0.0);
    zero(Gamma::new(0.5, Rate(1.0)), -1.0);
    zero(InverseGamma::new(0.5, Scale(1.0)), 0.0);
    zero(InverseGamma::new(0.5, Scale(1.0)), -1.0);
    zero(Exponential::new(Rate(1.0)), -1e-300);
    zero(ContinuousUniform::new(0.0, 4.0), 4.1);
    zero(LogNormal::new(0.0, Variance(1.0)), 0.0);
    zero(LogNormal::new(0.0, Variance(1.0)), -1.0);
    zero(Weibull::new(2.0, Scale(1.0)), 0.0);
    zero(Weibull::new(0.5, Scale(1.0)), -1.0);
    zero(HalfNormal::new(Variance(1.0)), -1e-300);
    zero(HalfCauchy::new(Scale(1.0)), -1e-300);
    zero(TruncatedNormal::new(0.0, Variance(1.0), -1.0, 2.0), -1.1);
    zero(TruncatedNormal::new(0.0, Variance(1.0), -1.0, 2.0), 2.1);
    zero(Pareto::new(2.0, Scale(3.0)), 2.999);
    zero(Pareto::new(2.0, Scale(3.0)), f64::INFINITY);
    zero(VonMises::new(3.0, Concentration(1.0)), 3.15);
    zero(VonMises::new(3.0, Concentration(1.0)), -3.15);
}

/// With large parameters the results keep the digits that the textbook formulas lose; they are compared with a series for the density at the mode.
#[test]
fn large_shapes_keep_their_digits() {
    // At its mode, Gamma(n + 1) has the density n^n e^-n / n!, for which Stirling's series is exact to the last digit.
    let peak = |n: f64| -0.5 * (std::f64::consts::TAU * n).ln() - 1.0 / (12.0 * n);
    for n in [1e4, 1e8, 1e15] {
        let found = log_prob(&Gamma::new(n + 1.0, Rate(1.0)), n);
        assert!((found - peak(n)).abs() < 1e-12, "{n}: {found}");
        // Student's t and Beta(n, n) approach the normal distribution.
        let student = StudentT::new(0.0, Scale(1.0), DegreesOfFreedom(n));
        let difference = log_prob(&student, 1.0) - log_prob(&Normal::new(0.0, Variance(1.0)), 1.0);
        assert!(difference.abs() < 1.0 / n + 1e-14, "{n}: {difference}");
        let found = log_prob(&Beta::new(n + 1.0, n + 1.0), 0.5);
        // The number is (2n + 1)! / n!^2 / 4^n, by Stirling's series.
        let right = (2.0 * n + 1.0).ln() - 0.5 * (PI * n).ln() - 1.0 / (8.0 * n);
        assert!((found - right).abs() < 1e-11, "{n}: {found}, not {right}");
        // The von Mises distribution approaches the normal distribution.
        let deviation = n.sqrt().recip();
        let normal = Normal::new(0.0, StandardDeviation(deviation));
        let found = log_prob(&VonMises::new(0.0, Concentration(n)), deviation);
        let difference = found - log_prob(&normal, deviation);
        assert!(difference.abs() < 1.0 / n + 1e-14, "{n}: {difference}");
    }
}
