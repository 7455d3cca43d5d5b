//! Effective sample sizes of chains, for the mean, the bulk, the tails and quantiles, and the standard errors that follow from them.

use statrs::distribution::{Beta, ContinuousCDF};

use super::autocorrelation::effective_samples;
use super::r_hat::normal_scores;
use super::split_chains::{SplitChains, mean, variance};

/// Returns the effective sample size of the mean of `S` draws: `S / τ`, at most `S log₁₀ S`. The correlation time `τ` is computed by Geyer's initial
/// monotone sequence over the split chains (Vehtari et al. 2021, section 3.2).
pub fn mean_ess(chains: &[&[f64]]) -> f64 {
    SplitChains::of(chains).map_or(f64::NAN, |halves| effective_samples(&halves))
}

/// Returns the effective sample size of the bulk of the distribution: the effective sample size of the mean of the rank-normalised draws, which
/// exists for any distribution (Vehtari et al. 2021, section 4.1).
pub fn bulk_ess(chains: &[&[f64]]) -> f64 {
    let scores = SplitChains::of(chains).and_then(|halves| normal_scores(&halves));
    scores.map_or(f64::NAN, |scores| effective_samples(&scores))
}

/// Returns the effective sample size of the tails of the distribution: the smaller of the effective sample sizes of the 5 % and the 95 % quantile
/// (Vehtari et al. 2021, section 4.3). A quantile is ignored if no draws are on one side of it, as for an element with few values.
pub fn tail_ess(chains: &[&[f64]]) -> f64 {
    // `min` ignores a NaN if the other argument is a number.
    quantile_ess(chains, 0.05).min(quantile_ess(chains, 0.95))
}

/// Returns the effective sample size of the quantile at `probability`: the effective sample size of the mean of the indicator that a draw does not
/// exceed the quantile (Vehtari et al. 2021, section 4.2).
pub fn quantile_ess(chains: &[&[f64]], probability: f64) -> f64 {
    let Some(halves) = SplitChains::of(chains) else {
        return f64::NAN;
    };
    let mut sorted = halves.draws();
    if sorted.iter().any(|x| x.is_nan()) {
        return f64::NAN;
    }
    sorted.sort_by(f64::total_cmp);
    let quantile = quantile_of_sorted(&sorted, probability);
    let below = halves.map(|x| f64::from(u8::from(x <= quantile)));
    effective_samples(&below)
}

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

/// Returns the standard error of the mean of all draws: `sd / √ESS` (Vehtari et al. 2021, section 3.2).
pub fn mcse_mean(chains: &[&[f64]]) -> f64 {
    (variance(&chains.concat()) / mean_ess(chains)).sqrt()
}

/// Returns the standard error of the standard deviation of all draws: `√(Var(y) / ESS(y)) / (2 sd)`, where `y` is the squared
/// distance to the mean (delta method).
pub fn mcse_sd(chains: &[&[f64]]) -> f64 {
    let Some(halves) = SplitChains::of(chains) else {
        return f64::NAN;
    };
    let middle = mean(&halves.draws());
    let squares = halves.map(|x| (x - middle).powi(2));
    let draws = squares.draws();
    let error = (variance(&draws) / effective_samples(&squares)).sqrt();
    error / (2.0 * mean(&draws).sqrt())
}

/// Returns the standard error of the quantile at `probability`. The standard error is half the distance between the quantiles one standard error
/// below and above `probability`, for the effective sample size [`quantile_ess`] (Vehtari et al. 2021, section 4.4).
pub fn mcse_quantile(chains: &[&[f64]], probability: f64) -> f64 {
    let range = quantile_range(probability, quantile_ess(chains, probability));
    let Some((low, high)) = range else {
        return f64::NAN;
    };
    let mut sorted = chains.concat();
    sorted.sort_by(f64::total_cmp);
    (quantile_of_sorted(&sorted, high) - quantile_of_sorted(&sorted, low)) / 2.0
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
