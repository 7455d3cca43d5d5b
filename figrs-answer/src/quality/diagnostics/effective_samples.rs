//! Effective sample sizes of chains, for the mean, the bulk, the tails and quantiles.

use super::autocorrelation::effective_samples;
use super::quantile::quantile_of_sorted;
use super::ranks::normal_scores;
use super::split_chains::SplitChains;

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
