//! R-hat, which measures the convergence of several chains.

use super::ranks::normal_scores;
use super::split_chains::{SplitChains, varies};

/// Returns R-hat: the larger of [`bulk_r_hat`] and [`folded_r_hat`]. The maximum of both detects chains that differ in location or in scale (Vehtari
/// et al. 2021, section 4.1). If the chains agree, R-hat is slightly above 1; chains with an R-hat above 1.01 should not be trusted.
pub fn r_hat(chains: &[&[f64]]) -> f64 {
    bulk_r_hat(chains).max(folded_r_hat(chains))
}

/// Returns the ratio `√(var⁺ / W)` over the split chains: the standard deviation of all draws divided by the standard deviation within a
/// chain (Gelman and Rubin 1992, with split chains as in Gelman et al. 2013). The split R-hat is infinite if each half is constant, but
/// the constants differ. The split R-hat is meaningless if the distribution has no variance; prefer [`r_hat`].
pub fn split_r_hat(chains: &[&[f64]]) -> f64 {
    SplitChains::of(chains).map_or(f64::NAN, |halves| ratio(&halves))
}

/// Returns the [`split_r_hat`] of the rank-normalised draws, which exists for any distribution (Vehtari et al. 2021, section 4.1).
pub fn bulk_r_hat(chains: &[&[f64]]) -> f64 {
    let scores = SplitChains::of(chains).and_then(|halves| normal_scores(&halves));
    scores.map_or(f64::NAN, |scores| ratio(&scores))
}

/// Returns the [`bulk_r_hat`] of the absolute deviations from the median. The folded R-hat detects chains that differ only in scale
/// (Vehtari et al. 2021, equation 15).
pub fn folded_r_hat(chains: &[&[f64]]) -> f64 {
    let Some(halves) = SplitChains::of(chains) else {
        return f64::NAN;
    };
    let mut sorted = halves.draws();
    sorted.sort_by(f64::total_cmp);
    // The number of draws in all halves together is even.
    let median = sorted[sorted.len() / 2 - 1].midpoint(sorted[sorted.len() / 2]);
    let folded = normal_scores(&halves.map(|x| (x - median).abs()));
    folded.map_or(f64::NAN, |scores| ratio(&scores))
}

pub(super) fn ratio(halves: &SplitChains) -> f64 {
    if !varies(&halves.draws()) {
        return f64::NAN;
    }
    let spread = halves.spread();
    (spread.total / spread.within).sqrt()
}
