//! Logarithms of Poisson, binomial and Student densities, without loss of digits for large parameters.
//!
//! The textbook formulas for these log-densities lose digits, because they subtract numbers that are as large as the parameters. In Loader's formulas
//! (2000), "Fast and accurate computation of binomial probabilities", the largest terms cancel, and only small remainders are subtracted.

use std::f64::consts::{LN_2, PI};

use statrs::function::gamma::ln_gamma;

pub(super) const LN_SQRT_2_PI: f64 = 0.918_938_533_204_672_8;

/// Size of a parameter above which the textbook formulas for log-densities would lose digits.
const LARGE: f64 = 1000.0;

/// Returns the error of Stirling's formula: ln Γ(n + 1) − ln sqrt(2 pi n) − n ln n + n.
fn stirling_error(n: f64) -> f64 {
    if n > 15.0 {
        let m = 1.0 / (n * n);
        (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - (1.0 / 1680.0 - m / 1188.0) * m) * m) * m) / n
    } else {
        ln_gamma(n + 1.0) - (n + 0.5) * n.ln() + n - LN_SQRT_2_PI
    }
}

/// Computes x ln(x / m) + m − x, for positive finite `x` and `m`.
fn deviance(x: f64, m: f64) -> f64 {
    let difference = x - m;
    if difference.abs() < 0.1 * (x + m) {
        let v = difference / (x + m);
        let mut sum = difference * v;
        let mut term = 2.0 * x * v;
        for j in 1..1000 {
            term *= v * v;
            let next = sum + term / f64::from(2 * j + 1);
            if next == sum {
                break;
            }
            sum = next;
        }
        sum
    } else {
        x * (x.ln() - m.ln()) + m - x
    }
}

/// Computes ln(m^k e^(−m) / Γ(k + 1)) for `k >= 0` and `m >= 0`; `ln_m` is the exact logarithm even if `m` was rounded to zero.
pub(super) fn ln_poisson(k: f64, m: f64, ln_m: f64) -> f64 {
    if k == 0.0 || m == f64::INFINITY {
        -m
    } else if k < LARGE {
        k * ln_m - m - ln_gamma(k + 1.0)
    } else {
        let rest = -LN_SQRT_2_PI - 0.5 * k.ln() - stirling_error(k);
        if (k - m).abs() < 0.1 * (k + m) {
            rest - deviance(k, m)
        } else {
            rest + k * (ln_m - k.ln() + 1.0) - m
        }
    }
}

/// Computes ln(Γ(j + k + 1) / Γ(j + 1) / Γ(k + 1) p^j q^k) for `j, k >= 0` and `p + q = 1`; both `p` and `q` must be
/// positive.
pub(super) fn ln_binomial(j: f64, k: f64, p: f64, q: f64) -> f64 {
    let (ln_p, ln_q) = if p < q {
        (p.ln(), (-p).ln_1p())
    } else {
        ((-q).ln_1p(), q.ln())
    };
    if j == 0.0 {
        k * ln_q
    } else if k == 0.0 {
        j * ln_p
    } else if j + k < LARGE {
        ln_gamma(j + k + 1.0) - ln_gamma(j + 1.0) - ln_gamma(k + 1.0) + j * ln_p + k * ln_q
    } else {
        // The quotients of the counts and their sum cannot overflow.
        let n = j + k;
        let ways = stirling_error(n) - stirling_error(j) - stirling_error(k);
        let part = |x: f64, p: f64, ln_p: f64| {
            let m = n * p;
            if m > 0.0 && m.is_finite() {
                deviance(x, m)
            } else {
                x * (x.ln() - n.ln() - ln_p) - x
            }
        };
        ways - part(j, p, ln_p)
            - part(k, q, ln_q)
            - 0.5 * (LN_2 + PI.ln() + j.ln() + k.ln() - n.ln())
    }
}

/// Returns the log-density of Student's t-distribution with scale one at `x`.
pub(super) fn ln_student(x: f64, freedom: f64) -> f64 {
    let half = freedom / 2.0;
    let ratio = x * (x / freedom);
    let (half_log, rest) = if ratio > 1.0 / f64::EPSILON {
        let half_log = x.abs().ln() - freedom.ln() / 2.0;
        (half_log, freedom * half_log)
    } else if ratio > 0.2 {
        let half_log = ratio.ln_1p() / 2.0;
        (half_log, freedom * half_log)
    } else {
        let square = x * x / 2.0;
        (ratio.ln_1p() / 2.0, square - deviance(half, half + square))
    };
    let scale = stirling_error(half + 0.5) - stirling_error(half) - deviance(half, half + 0.5);
    scale - rest - LN_SQRT_2_PI - half_log
}
