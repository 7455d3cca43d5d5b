//! Tests of continuous distributions of one number.

use std::f64::consts::{LN_2, PI, TAU};

use figrs::prelude::*;
use figrs::{
    Cauchy, Concentration, DegreesOfFreedom, HalfCauchy, HalfNormal, InverseGamma, KernelDensity,
    Laplace, LogNormal, Pareto, Precision, Scale, StudentT, TruncatedNormal, VonMises, Weibull,
};
use statrs::distribution::{
    Beta as StatrsBeta, Cauchy as StatrsCauchy, Continuous, ContinuousCDF, Exp,
    Gamma as StatrsGamma, InverseGamma as StatrsInverseGamma, Laplace as StatrsLaplace,
    LogNormal as StatrsLogNormal, Normal as StatrsNormal, Pareto as StatrsPareto, StudentsT,
    Uniform as StatrsUniform, Weibull as StatrsWeibull,
};

use crate::distributions::atomic::{draws, kolmogorov, log_prob, moments, tails};

/// An element, the same distribution in statrs, and its mean and variance if these can be estimated from a sample.
struct Row {
    element: Element<f64>,
    cdf: Box<dyn Fn(f64) -> f64>,
    ln_pdf: Box<dyn Fn(f64) -> f64>,
    moments: Option<(f64, f64)>,
}

fn row(
    element: Element<f64>,
    statrs: impl Continuous<f64, f64> + ContinuousCDF<f64, f64> + Clone + 'static,
    moments: impl Into<Option<(f64, f64)>>,
) -> Row {
    let again = statrs.clone();
    Row {
        element,
        cdf: Box::new(move |x| statrs.cdf(x)),
        ln_pdf: Box::new(move |x| again.ln_pdf(x)),
        moments: moments.into(),
    }
}

/// Creates a distribution that statrs lacks from a density and a distribution function, by means of other distributions of statrs.
fn made(
    element: Element<f64>,
    cdf: impl Fn(f64) -> f64 + 'static,
    ln_pdf: impl Fn(f64) -> f64 + 'static,
    moments: impl Into<Option<(f64, f64)>>,
) -> Row {
    Row {
        element,
        cdf: Box::new(cdf),
        ln_pdf: Box::new(ln_pdf),
        moments: moments.into(),
    }
}

/// The distribution of the absolute value of a symmetric number.
fn folded(
    element: Element<f64>,
    of: impl Continuous<f64, f64> + ContinuousCDF<f64, f64> + Clone + 'static,
    moments: impl Into<Option<(f64, f64)>>,
) -> Row {
    let again = of.clone();
    let cdf = move |x: f64| (1.0 - 2.0 * of.sf(x)).max(0.0);
    made(element, cdf, move |x| LN_2 + again.ln_pdf(x), moments)
}

/// The standard normal distribution between two bounds in the tail in which differences of its distribution function keep their digits.
fn truncated(element: Element<f64>, lower: f64, upper: f64, moments: (f64, f64)) -> Row {
    let normal = StatrsNormal::standard();
    let tail = |x: f64| libm::erfc(x / std::f64::consts::SQRT_2) / 2.0;
    let mass = tail(lower) - tail(upper);
    let cdf = move |x: f64| ((tail(lower) - tail(x)) / mass).clamp(0.0, 1.0);
    made(element, cdf, move |x| normal.ln_pdf(x) - mass.ln(), moments)
}

fn rows() -> Vec<Row> {
    let mut rows = whole_rows();
    rows.extend(truncated_rows());
    rows.extend(kernel_rows());
    rows.extend(angle_rows());
    rows
}

/// Returns the rows of distributions that are not truncated.
fn whole_rows() -> Vec<Row> {
    let normal = |mean, sd| StatrsNormal::new(mean, sd).unwrap();
    let gamma = |shape, rate| StatrsGamma::new(shape, rate).unwrap();
    let beta = |a, b| StatrsBeta::new(a, b).unwrap();
    vec![
        row(
            Normal::new(3.0, Variance(4.0)),
            normal(3.0, 2.0),
            (3.0, 4.0),
        ),
        row(
            Normal::new(-1.0, StandardDeviation(0.1)),
            normal(-1.0, 0.1),
            (-1.0, 0.01),
        ),
        row(
            ContinuousUniform::new(-2.0, 4.0),
            StatrsUniform::new(-2.0, 4.0).unwrap(),
            (1.0, 3.0),
        ),
        row(
            Exponential::new(Rate(0.25)),
            Exp::new(0.25).unwrap(),
            (4.0, 16.0),
        ),
        row(
            Exponential::new(Scale(0.25)),
            Exp::new(4.0).unwrap(),
            (0.25, 0.0625),
        ),
        row(Gamma::new(3.0, Rate(2.0)), gamma(3.0, 2.0), (1.5, 0.75)),
        row(Gamma::new(3.0, Scale(2.0)), gamma(3.0, 0.5), (6.0, 12.0)),
        row(Gamma::new(0.4, Rate(1.0)), gamma(0.4, 1.0), (0.4, 0.4)),
        row(
            Gamma::new(1.0, Rate(3.0)),
            gamma(1.0, 3.0),
            (1.0 / 3.0, 1.0 / 9.0),
        ),
        row(
            Gamma::new(5000.0, Rate(10.0)),
            gamma(5000.0, 10.0),
            (500.0, 50.0),
        ),
        row(
            InverseGamma::new(9.0, Scale(4.0)),
            StatrsInverseGamma::new(9.0, 4.0).unwrap(),
            (0.5, 1.0 / 28.0),
        ),
        row(
            InverseGamma::new(0.7, Scale(2.0)),
            StatrsInverseGamma::new(0.7, 2.0).unwrap(),
            None,
        ),
        row(
            Beta::new(2.0, 5.0),
            beta(2.0, 5.0),
            (2.0 / 7.0, 10.0 / 392.0),
        ),
        row(Beta::new(0.5, 0.5), beta(0.5, 0.5), (0.5, 0.125)),
        row(
            Beta::new(0.3, 4.0),
            beta(0.3, 4.0),
            (0.3 / 4.3, 1.2 / (4.3 * 4.3 * 5.3)),
        ),
        row(
            Beta::new(3000.0, 1000.0),
            beta(3000.0, 1000.0),
            (0.75, 0.1875 / 4001.0),
        ),
        row(
            StudentT::new(1.0, Scale(2.0), DegreesOfFreedom(12.0)),
            StudentsT::new(1.0, 2.0, 12.0).unwrap(),
            (1.0, 4.8),
        ),
        row(
            StudentT::new(0.0, Scale(1.0), DegreesOfFreedom(0.5)),
            StudentsT::new(0.0, 1.0, 0.5).unwrap(),
            None,
        ),
        row(
            Laplace::new(2.0, Scale(0.5)),
            StatrsLaplace::new(2.0, 0.5).unwrap(),
            (2.0, 0.5),
        ),
        row(
            LogNormal::new(0.5, StandardDeviation(0.4)),
            StatrsLogNormal::new(0.5, 0.4).unwrap(),
            (0.58_f64.exp(), 0.16_f64.exp_m1() * 1.16_f64.exp()),
        ),
        row(
            Cauchy::new(-1.0, Scale(2.0)),
            StatrsCauchy::new(-1.0, 2.0).unwrap(),
            None,
        ),
        row(
            Weibull::new(2.0, Scale(3.0)),
            StatrsWeibull::new(2.0, 3.0).unwrap(),
            (1.5 * PI.sqrt(), 9.0 * (1.0 - PI / 4.0)),
        ),
        row(
            Weibull::new(0.5, Scale(1.0)),
            StatrsWeibull::new(0.5, 1.0).unwrap(),
            None,
        ),
        row(
            Pareto::new(9.0, Scale(2.0)),
            StatrsPareto::new(2.0, 9.0).unwrap(),
            (2.25, 9.0 * 4.0 / (64.0 * 7.0)),
        ),
        row(
            Pareto::new(0.8, Scale(0.5)),
            StatrsPareto::new(0.5, 0.8).unwrap(),
            None,
        ),
        folded(
            HalfNormal::new(Variance(4.0)),
            normal(0.0, 2.0),
            (2.0 * (2.0 / PI).sqrt(), 4.0 * (1.0 - 2.0 / PI)),
        ),
        folded(
            HalfCauchy::new(Scale(3.0)),
            StatrsCauchy::new(0.0, 3.0).unwrap(),
            None,
        ),
    ]
}

/// Returns truncated standard normal distributions: tails, and a part of the middle.
fn truncated_rows() -> Vec<Row> {
    vec![
        truncated(
            TruncatedNormal::new(0.0, Variance(1.0), -0.5, 2.0),
            -0.5,
            2.0,
            truncated_moments(-0.5, 2.0),
        ),
        truncated(
            TruncatedNormal::new(0.0, Precision(1.0), 4.0, f64::INFINITY),
            4.0,
            f64::INFINITY,
            truncated_moments(4.0, 1e3),
        ),
        truncated(
            TruncatedNormal::new(0.0, StandardDeviation(1.0), 0.7, 1.2),
            0.7,
            1.2,
            truncated_moments(0.7, 1.2),
        ),
    ]
}

/// Returns mixtures of normal distributions around three points.
fn kernel_rows() -> Vec<Row> {
    const POINTS: [f64; 3] = [-1.0, 0.5, 3.0];
    let rows = [
        (KernelDensity::new(POINTS, StandardDeviation(0.4)), 0.4),
        (KernelDensity::new(POINTS, Precision(4.0)), 0.5),
    ];
    let row = |(element, deviation): (Element<f64>, f64)| {
        let around = POINTS.map(|point| StatrsNormal::new(point, deviation).unwrap());
        let cdf = move |x: f64| around.iter().map(|normal| normal.cdf(x)).sum::<f64>() / 3.0;
        let pdf = move |x: f64| around.iter().map(|normal| normal.pdf(x)).sum::<f64>() / 3.0;
        let mean = POINTS.iter().sum::<f64>() / 3.0;
        let squares = POINTS.map(|x| (x - mean).powi(2));
        let variance = squares.iter().sum::<f64>() / 3.0 + deviation * deviation;
        made(element, cdf, move |x| pdf(x).ln(), (mean, variance))
    };
    rows.map(row).into()
}

/// Concentrations and mean directions of the rows of angles.
const ANGLES: [(f64, f64); 4] = [(0.5, 4.0), (-3.0, 0.3), (0.0, 60.0), (2.0 + TAU, 19.0)];

/// Returns the integral of exp(κ (cos t − 1)) cos(j t) over a turn, by the trapezoidal rule, which is exact to rounding for periodic functions.
fn integral(concentration: f64, j: f64) -> f64 {
    const STEPS: u32 = 1 << 10;
    let step = TAU / f64::from(STEPS);
    let term = |t: f64| (concentration * (t.cos() - 1.0)).exp() * (j * t).cos();
    (0..STEPS).map(|i| term(step * f64::from(i))).sum::<f64>() * step
}

/// Returns von Mises distributions, whose distribution functions are the integrals of the Fourier series of their densities.
fn angle_rows() -> Vec<Row> {
    let row = |(mean, concentration): (f64, f64)| {
        let all = integral(concentration, 0.0);
        let shares: Vec<f64> = (1..100)
            .map(|j| integral(concentration, f64::from(j)) / all)
            .collect();
        let below = move |angle: f64| {
            let term = |(i, share): (usize, &f64)| {
                let j = (i + 1) as f64;
                share * ((j * angle).sin() / j)
            };
            angle / TAU + shares.iter().enumerate().map(term).sum::<f64>() / PI
        };
        let cdf = move |x: f64| below(x.clamp(-PI, PI) - mean) - below(-PI - mean);
        let ln_pdf = move |x: f64| concentration * ((x - mean).cos() - 1.0) - all.ln();
        let element = VonMises::new(mean, Concentration(concentration));
        made(element, cdf, ln_pdf, None)
    };
    ANGLES.map(row).into()
}

/// The mean of the cosine of the distance from the mean direction is I₁(κ) / I₀(κ), that of its sine is zero. Each comparison has a false-alarm
/// probability of 1e-8.
#[test]
fn angles_have_the_documented_mean_direction() {
    for (mean, concentration) in ANGLES {
        let element = VonMises::new(mean, Concentration(concentration));
        let drawn = draws(&element, DRAWS);
        let cosine = integral(concentration, 1.0) / integral(concentration, 0.0);
        let near = |of: fn(f64) -> f64, right: f64| {
            let numbers: Vec<f64> = drawn.iter().map(|x| of(x - mean)).collect();
            let [(found, error), _] = moments(&numbers, right);
            let away = (found - right).abs() / error;
            assert!(away < 5.73, "{element:?}: {found} ± {error}, not {right}");
        };
        near(f64::cos, cosine);
        near(f64::sin, 0.0);
    }
}

/// Returns the mean and variance of the standard normal distribution between two bounds.
fn truncated_moments(lower: f64, upper: f64) -> (f64, f64) {
    let normal = StatrsNormal::standard();
    let mass = normal.sf(lower) - normal.sf(upper);
    let (a, b) = (normal.pdf(lower) / mass, normal.pdf(upper) / mass);
    let mean = a - b;
    (mean, 1.0 + lower * a - upper * b - mean * mean)
}

/// False-alarm probability of each of the tests on draws below.
const FALSE_ALARM: f64 = 1e-8;

const DRAWS: usize = 20_000;

/// Returns the quantile at this probability, by bisection over the ordered `f64` numbers.
fn quantile(row: &Row, p: f64) -> f64 {
    let (mut low, mut high) = (-1e6, 1e6);
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if (row.cdf)(middle) < p {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

#[test]
fn draws_follow_the_distribution_function() {
    for row in rows() {
        let drawn = draws(&row.element, DRAWS);
        let (largest, limit) = kolmogorov(drawn, &row.cdf, FALSE_ALARM);
        assert!(largest < limit, "{:?}: {largest} > {limit}", row.element);
    }
}

/// A normal number is further than 5.73 from its mean with probability 1e-8.
#[test]
fn draws_have_the_documented_mean_and_variance() {
    for row in rows() {
        let Some((mean, variance)) = row.moments else {
            continue;
        };
        let drawn = draws(&row.element, DRAWS);
        for ((found, error), right) in moments(&drawn, mean).into_iter().zip([mean, variance]) {
            let away = (found - right).abs() / error;
            assert!(
                away < 5.73,
                "{:?}: {found} ± {error}, not {right}",
                row.element
            );
        }
    }
}

#[test]
fn log_densities_agree_with_the_other_library() {
    for row in rows() {
        for i in 1..100 {
            let x = quantile(&row, f64::from(i) / 100.0);
            let (own, other) = (log_prob(&row.element, x), (row.ln_pdf)(x));
            let scale = 1.0 + own.abs();
            assert!(
                (own - other).abs() < 1e-9 * scale,
                "{:?} at {x}: {own}, {other}",
                row.element
            );
        }
    }
}

/// The densities are integrated by Simpson's rule, over a range without an infinite density.
#[test]
fn densities_integrate_to_the_probability_between_two_points() {
    const STEPS: usize = 20_000;
    for row in rows() {
        let (a, b) = (quantile(&row, 0.4), quantile(&row, 0.9));
        let step = (b - a) / STEPS as f64;
        let term = |i: usize| {
            let weight = match i {
                0 | STEPS => 1.0,
                _ => f64::from(2 + 2 * (i as u32 % 2)),
            };
            weight * log_prob(&row.element, a + step * i as f64).exp()
        };
        let area = (0..=STEPS).map(term).sum::<f64>() * step / 3.0;
        let between = tails(&row.element, b).lower - tails(&row.element, a).lower;
        assert!(
            (area - between).abs() < 1e-9,
            "{:?}: {area}, {between}",
            row.element
        );
    }
}

#[test]
fn tails_sum_to_one_and_agree_with_the_other_library() {
    for row in rows() {
        for i in 1..20 {
            let x = quantile(&row, f64::from(i) / 20.0);
            let found = tails(&row.element, x);
            assert!(
                (found.lower + found.upper - 1.0).abs() < 1e-12,
                "{:?}",
                row.element
            );
            // The error function of the other library has eleven digits.
            assert!(
                (found.lower - (row.cdf)(x)).abs() < 1e-10,
                "{:?}",
                row.element
            );
        }
    }
}

/// The truncated distributions are mirrored, moved and stretched, far in a tail, and very narrow. The density at a bound times the width is that of
/// the exponential distribution that remains there.
#[test]
fn truncation_far_from_the_mean_keeps_its_digits() {
    let near = |element: Element<f64>, x: f64, right: f64| {
        let found = log_prob(&element, x);
        assert!(
            (found - right).abs() < 1e-9 * right.abs().max(1.0),
            "{found}, not {right}"
        );
    };
    // The density at the bound z of a tail is z + 1 / z - 2 / z^3 + ..., which is the reciprocal of Mills' ratio.
    for z in [100.0_f64, 1e4, 1e8] {
        let right = (z + 1.0 / z - 2.0 / z.powi(3)).ln();
        near(
            TruncatedNormal::new(0.0, Variance(1.0), z, f64::INFINITY),
            z,
            right,
        );
        near(
            TruncatedNormal::new(0.0, Variance(1.0), f64::NEG_INFINITY, -z),
            -z,
            right,
        );
        let moved = TruncatedNormal::new(5.0, StandardDeviation(2.0), 5.0 + 2.0 * z, f64::INFINITY);
        near(moved, 5.0 + 2.0 * z, right - LN_2);
    }
    near(
        TruncatedNormal::new(0.0, Variance(1.0), 3.0, 3.0 + 1e-7),
        3.0 + 5e-8,
        1e7_f64.ln(),
    );
    let narrow = TruncatedNormal::new(0.0, Variance(1.0), 50.0, 51.0);
    for x in draws(&narrow, 200) {
        assert!((50.0..=50.5).contains(&x), "{x}");
    }
    let half = tails(&narrow, 50.0 + LN_2 / 50.0);
    assert!((half.lower - 0.5).abs() < 1e-3 && (half.lower + half.upper - 1.0).abs() < 1e-12);
}
