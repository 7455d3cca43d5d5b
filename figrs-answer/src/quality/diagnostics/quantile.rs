//! Quantiles of draws, and their intervals of one standard error.

use statrs::distribution::{Beta, ContinuousCDF};

/// Returns the smallest number that at least the fraction `probability` of the sorted numbers does not exceed; NaN if there are no numbers.
pub(super) fn quantile_of_sorted(sorted: &[f64], probability: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else {
        return f64::NAN;
    };
    // The subtraction of 1e-9 allows for rounding: the quantile 0.05 of 20 draws is the smallest draw.
    let rank = (probability * sorted.len() as f64 - 1e-9).ceil() - 1.0;
    sorted[(rank.max(0.0) as usize).min(last)]
}

/// Returns two probabilities. For an effective sample size *S*, their quantiles lie one standard error below and one standard error above the
/// quantile at `probability`. The two probabilities are the 16 % and 84 % quantiles of Beta(a, b) with `a = S p + 1` and `b = S (1 − p) + 1` (Vehtari
/// et al. 2021, section 4.4).
pub(crate) fn quantile_range(probability: f64, effective_samples: f64) -> Option<(f64, f64)> {
    const PHI_OF_MINUS_ONE: f64 = 0.158_655_253_931_457_05;
    let a = effective_samples * probability + 1.0;
    let b = effective_samples * (1.0 - probability) + 1.0;
    let beta = Beta::new(a, b).ok()?;
    Some((
        beta.inverse_cdf(PHI_OF_MINUS_ONE),
        beta.inverse_cdf(1.0 - PHI_OF_MINUS_ONE),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_draws() {
        let sorted = [1.0, 2.0, 3.0, 4.0];
        let of = |p| quantile_of_sorted(&sorted, p);
        assert_eq!(
            [of(0.0), of(0.25), of(0.26), of(0.5), of(1.0)],
            [1.0, 1.0, 2.0, 2.0, 4.0]
        );
        assert!(quantile_of_sorted(&[], 0.5).is_nan());
    }

    #[test]
    fn the_range_is_that_of_a_binomial_share() {
        let (low, high) = quantile_range(0.5, 10_000.0).unwrap();
        assert!((high - low - 2.0 * 0.005).abs() < 1e-5 && (low + high - 1.0).abs() < 1e-9);
        assert!(quantile_range(0.5, f64::NAN).is_none());
    }
}
