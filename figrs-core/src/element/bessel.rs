//! Modified Bessel functions of the first kind, for positive arguments.

use std::f64::consts::TAU;

/// Argument *x* from which the asymptotic series is exact to rounding: its least term is about exp(−2x).
const LARGE: f64 = 20.0;

/// Returns the sum of a series whose first term is one, given the ratio of each term to the term before it. The sum of the series ends when a further
/// term does not change the sum. The sum of an asymptotic series also ends when the terms no longer decrease.
fn series(is_asymptotic: bool, ratio: impl Fn(f64) -> f64) -> f64 {
    let (mut term, mut sum) = (1.0, 1.0);
    for k in 1..200 {
        let ratio = ratio(f64::from(k));
        if is_asymptotic && ratio.abs() >= 1.0 {
            break;
        }
        term *= ratio;
        let next = sum + term;
        if next == sum {
            break;
        }
        sum = next;
    }
    sum
}

/// Returns the sum of the series of the Bessel function of order `order` (0 or 1) at `x`: for small `x` without the factor (x / 2)^order, for large
/// `x` without the factor exp(x) / sqrt(2πx). The two series are 10.25.2 and 10.40.1 in the NIST Digital Library of Mathematical Functions.
fn bessel_series(order: f64, x: f64) -> f64 {
    if x < LARGE {
        let quarter = x * x / 4.0;
        return series(false, |k| quarter / (k * (k + order)));
    }
    let square = 4.0 * order * order;
    series(true, |k| ((2.0 * k - 1.0).powi(2) - square) / (8.0 * k * x))
}

pub(super) fn ln_scaled_bessel(x: f64) -> f64 {
    let ln_series = bessel_series(0.0, x).ln();
    if x < LARGE {
        ln_series - x
    } else {
        ln_series - 0.5 * (TAU.ln() + x.ln())
    }
}

pub(super) fn bessel_ratio(x: f64) -> f64 {
    let ratio = bessel_series(1.0, x) / bessel_series(0.0, x);
    if x < LARGE { x / 2.0 * ratio } else { ratio }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// I₀(x) exp(−x) is the mean of exp(x (cos t − 1)) over all angles t, and I₁(x) exp(−x) is the mean of cos t exp(x (cos t − 1)). The trapezoidal
    /// rule is exact to rounding for periodic functions.
    #[test]
    fn series_agree_with_integrals() {
        const STEPS: u32 = 1 << 12;
        for x in [1e-9, 0.1, 1.0, 5.0, 19.99, 20.0, 25.0, 300.0, 5e4] {
            let mean = |order: f64| {
                let at = |i: u32| TAU * f64::from(i) / f64::from(STEPS);
                let term = |t: f64| (-2.0 * x * (t / 2.0).sin().powi(2)).exp() * (order * t).cos();
                (0..STEPS).map(|i| term(at(i))).sum::<f64>() / f64::from(STEPS)
            };
            let (zero, one) = (mean(0.0), mean(1.0));
            let found = ln_scaled_bessel(x);
            assert!((found - zero.ln()).abs() < 1e-13, "{x}: {found}");
            let found = bessel_ratio(x);
            assert!((found - one / zero).abs() < 1e-13, "{x}: {found}");
        }
        assert!((bessel_ratio(1e300) - 1.0).abs() < 1e-15);
        assert!((ln_scaled_bessel(1e300) + 0.5 * (TAU.ln() + 1e300_f64.ln())).abs() < 1e-12);
    }
}
