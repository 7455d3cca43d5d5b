//! Significance tests, which find estimates that are further from the truth than chance allows.
//!
//! If their seeds were drawn at random, all statistical tests of samplers together would give a false alarm with a probability of at most [`SUITE`].
//! Each test spends its part of that probability, divided by the number of its comparisons (Bonferroni).

use statrs::distribution::{ChiSquared, ContinuousCDF, Normal, StudentsT};

use crate::asked::{Reading, Scale};

/// The probability of any false alarm in all statistical tests together.
pub const SUITE: f64 = 1e-6;
/// The false-alarm probability of the tests on reference models.
pub const MODELS: f64 = 4e-7;
/// The false-alarm probability of the tests of the conformance table.
pub const CONFORMANCE: f64 = 3e-7;
/// The false-alarm probability of the tests that compare stated errors with the spread of the estimates.
pub const SPREAD: f64 = 1e-7;
/// The false-alarm probability of the tests by simulation-based calibration.
pub const CALIBRATION: f64 = 1e-7;

/// The false-alarm probability of the tests of generators.
pub const GENERATORS: f64 = 5e-8;
/// The false-alarm probability of the tests of generators at sizes where exact inference does not fit into memory.
pub const FALLBACKS: f64 = 4e-8;

const _: () =
    assert!(MODELS + CONFORMANCE + SPREAD + CALIBRATION + GENERATORS + FALLBACKS <= SUITE);

/// Distribution of an estimate around the truth, in units of its stated standard error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    /// Normal distribution: the standard error is estimated from enough draws to make its own error negligible.
    Normal,
    /// Student's t with one degree of freedom fewer than there are groups: the standard error is the spread of a few independent groups, whose means
    /// are nearly normal, so the standard error is itself uncertain.
    Groups(u32),
}

impl Law {
    /// Returns the two-sided quantile that the absolute value exceeds with this probability.
    ///
    /// # Panics
    ///
    /// Panics if there are fewer than two groups.
    pub fn two_sided(self, alpha: f64) -> f64 {
        let tail = alpha / 2.0;
        match self {
            Self::Normal => -normal().inverse_cdf(tail),
            Self::Groups(groups) => -students_t(groups).inverse_cdf(tail),
        }
    }

    /// Returns the standard normal score that is exceeded with the same probability as this score.
    ///
    /// # Panics
    ///
    /// Panics if there are fewer than two groups.
    pub fn as_normal(self, score: f64) -> f64 {
        match self {
            Self::Normal => score,
            // The lower tail is used because its probabilities keep their digits.
            Self::Groups(groups) => {
                let tail = students_t(groups).cdf(-score.abs());
                -normal().inverse_cdf(tail) * score.signum()
            }
        }
    }
}

fn normal() -> Normal {
    Normal::standard()
}

fn students_t(groups: u32) -> StudentsT {
    StudentsT::new(0.0, 1.0, f64::from(groups) - 1.0).expect("two groups or more")
}

/// Checks that an estimate deviates from the right number by no more than its stated error allows; a correct estimate fails with probability `alpha`.
///
/// For expectations the allowed deviation is the quantile of the law times the stated error. For probabilities (and for means of weights, which a
/// rare kind of sample dominates at worst) the normal law does not hold so far out in the tails: the estimate is skewed, and its error is small just
/// when the estimate is small. The stated error is therefore converted to an effective number of samples, and the deviation is bounded by Bernstein's
/// inequality for that number, which holds for any number of independent samples: `P(|p̂ − p| ≥ t) ≤ 2 exp(−n t² / (2 p (1 − p) + 2t / 3))`. For
/// groups, the larger of this bound and the quantile of Student's t counts.
///
/// An estimate whose stated error is too large to be informative counts as wrong as well.
///
/// # Errors
///
/// Returns a description of the discrepancy.
pub fn within_stated_error(
    right: f64,
    found: &Reading,
    law: Law,
    alpha: f64,
) -> Result<(), String> {
    let Reading {
        number,
        standard_error: error,
        scale,
        ..
    } = *found;
    let log = (2.0 / alpha).ln();
    // Returns a bound `t` that the mean of `n` samples, with values of at most one and this variance, exceeds with a probability of at most `alpha`.
    let bernstein = |n: f64, variance: f64| {
        let linear = log / (3.0 * n);
        linear + (linear * linear + 2.0 * log * variance / n).sqrt()
    };
    let (distance, allowed, vague) = match scale {
        Scale::Expectation => (
            (number - right).abs(),
            law.two_sided(alpha) * error,
            error > 0.05 * right.abs().max(1.0),
        ),
        Scale::Probability => {
            let spread = number * (1.0 - number);
            // If all samples agree, the stated error is the reciprocal of the number of samples.
            let n = if spread > 1e-15 {
                spread / (error * error)
            } else {
                1.0 / error
            };
            let skewed = bernstein(n, right * (1.0 - right));
            (
                (number - right).abs(),
                skewed.max(groups(law, alpha, error)),
                // A large error is allowed for events that are certain, because chains that never move cannot confirm them.
                error > 0.05 && right * (1.0 - right) > 0.0,
            )
        }
        Scale::Weight | Scale::LogWeight => {
            let (ratio, relative) = match scale {
                Scale::Weight => (number / right, error / number),
                _ => ((number - right).exp(), error),
            };
            // The error is converted to a number of hits: `n` expected hits give the relative error `1 / √n`.
            let n = 1.0 / (relative * relative * ratio);
            let skewed = bernstein(n, 1.0);
            let rounding = 1e-9;
            (
                (ratio - 1.0).abs(),
                skewed.max(groups(law, alpha, relative)) + rounding,
                relative > 0.2,
            )
        }
    };
    let vague = vague || error.is_nan();
    let exact = error == 0.0 && distance <= 1e-9 * right.abs().max(1.0);
    if exact || (!vague && distance <= allowed) {
        Ok(())
    } else {
        Err(format!(
            "{right} is right, not {number} ± {error}: {distance:.3e} off, {allowed:.3e} allowed{}",
            if vague {
                ", and the error says nothing"
            } else {
                ""
            }
        ))
    }
}

fn groups(law: Law, alpha: f64, error: f64) -> f64 {
    match law {
        Law::Normal => 0.0,
        Law::Groups(_) => law.two_sided(alpha) * error,
    }
}

/// Returns two numbers between which the sum of `n` squared independent standard normal scores lies, except with probability `alpha`.
///
/// # Panics
///
/// Panics if `n` is zero.
pub fn sum_of_squares(n: usize, alpha: f64) -> (f64, f64) {
    (
        chi_squared(n).inverse_cdf(alpha / 2.0),
        chi_squared(n).inverse_cdf(1.0 - alpha / 2.0),
    )
}

/// Returns the value that Pearson's statistic exceeds with probability `alpha`, for a table of counts that are all equally likely.
///
/// # Panics
///
/// Panics if there is only one count.
pub fn largest_pearson(counts: usize, alpha: f64) -> f64 {
    chi_squared(counts - 1).inverse_cdf(1.0 - alpha)
}

/// Returns Pearson's statistic of counts that are all equally likely.
pub fn pearson(counts: &[u64]) -> f64 {
    let expected = counts.iter().sum::<u64>() as f64 / counts.len() as f64;
    let term = |&count: &u64| (count as f64 - expected).powi(2) / expected;
    counts.iter().map(term).sum()
}

fn chi_squared(freedom: usize) -> ChiSquared {
    ChiSquared::new(freedom as f64).expect("one degree of freedom or more")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(scale: Scale, number: f64, standard_error: f64) -> Reading {
        Reading {
            number,
            standard_error,
            scale,
            values: Vec::new(),
        }
    }

    #[test]
    fn quantiles_are_those_of_the_tables() {
        assert!((Law::Normal.two_sided(0.05) - 1.959_963_985).abs() < 1e-8);
        // Student's t with 15 degrees of freedom has the quantiles 2.131449546 for 5 % and 4.0728 for 0.1 %.
        assert!((Law::Groups(16).two_sided(0.05) - 2.131_449_546).abs() < 1e-6);
        assert!((Law::Groups(16).two_sided(0.001) - 4.0728).abs() < 1e-3);
        assert!((Law::Groups(16).as_normal(-2.131_449_546) + 1.959_963_985).abs() < 1e-6);
        let (low, high) = sum_of_squares(100, 0.05);
        assert!((low - 74.2219).abs() < 1e-3 && (high - 129.5612).abs() < 1e-3);
        assert!((largest_pearson(20, 0.05) - 30.1435).abs() < 1e-3);
    }

    /// Far out in the tails, as in the tests: each quantile is exceeded with the probability for which it was computed.
    #[test]
    fn quantiles_invert_their_tails() {
        for alpha in [1e-6, 1e-9, 1e-11] {
            let tail = normal().cdf(-Law::Normal.two_sided(alpha));
            assert!((2.0 * tail / alpha - 1.0).abs() < 1e-6, "{alpha}: {tail}");
            for groups in [8, 16, 64] {
                let law = Law::Groups(groups);
                let tail = students_t(groups).cdf(-law.two_sided(alpha));
                assert!((2.0 * tail / alpha - 1.0).abs() < 1e-3, "{alpha}: {tail}");
            }
        }
        let (low, high) = sum_of_squares(300, 1e-8);
        let chi = chi_squared(300);
        assert!((chi.cdf(low) / 5e-9 - 1.0).abs() < 1e-3);
        assert!((chi.sf(high) / 5e-9 - 1.0).abs() < 1e-3, "{high}");
    }

    /// The bound is compared with all probabilities of a binomial distribution: the excluded values must have a probability below `alpha`.
    #[test]
    fn the_bound_of_a_share_holds() {
        use statrs::distribution::{Binomial, Discrete};
        for (n, p, alpha) in [(1000, 0.3, 1e-6), (1000, 0.01, 1e-6), (200, 0.5, 1e-9)] {
            let binomial = Binomial::new(p, n).expect("a distribution");
            let refused: f64 = (0..=n)
                .filter(|&hits| {
                    let q = hits as f64 / n as f64;
                    let n = n as f64;
                    let error = if hits == 0 || q == 1.0 {
                        1.0 / n
                    } else {
                        (q * (1.0 - q) / n).sqrt()
                    };
                    let found = reading(Scale::Probability, q, error);
                    within_stated_error(p, &found, Law::Normal, alpha).is_err()
                })
                .map(|hits| binomial.pmf(hits))
                .sum();
            assert!(refused <= alpha && refused > 0.0, "{n} {p}: {refused}");
        }
    }

    #[test]
    fn estimates_that_are_off_or_say_nothing_are_refused() {
        let check = |right, scale, number, error, law| {
            within_stated_error(right, &reading(scale, number, error), law, 1e-9)
        };
        let share = Scale::Probability;
        assert!(check(0.3, share, 0.31, 0.002, Law::Normal).is_ok());
        assert!(check(0.3, share, 0.32, 0.002, Law::Normal).is_err());
        assert!(check(0.3, share, 0.32, 0.002, Law::Groups(16)).is_ok());
        assert!(check(0.3, share, 0.31, 0.3, Law::Normal).is_err());
        assert!(check(0.3, share, 0.3, f64::INFINITY, Law::Normal).is_err());
        assert!(check(0.3, share, f64::NAN, 0.01, Law::Normal).is_err());
        assert!(check(0.3, share, 0.3, f64::NAN, Law::Normal).is_err());
        assert!(check(0.3, share, 0.300_001, 0.0, Law::Normal).is_err());
        let mean = Scale::Expectation;
        assert!(check(3.0, mean, 3.05, 0.01, Law::Normal).is_ok());
        assert!(check(3.0, mean, 3.07, 0.01, Law::Normal).is_err());
        assert!(check(1e-6, Scale::Weight, 1e-6, 0.0, Law::Normal).is_ok());
        assert!(check(1e-6, Scale::Weight, 2e-6, 1e-7, Law::Normal).is_err());
        assert!(check(-69.3, Scale::LogWeight, -69.2, 0.05, Law::Normal).is_ok());
        assert!(check(-69.3, Scale::LogWeight, -68.3, 0.05, Law::Normal).is_err());
        assert!(check(-69.3, Scale::LogWeight, -69.3, 0.5, Law::Normal).is_err());
    }
}
