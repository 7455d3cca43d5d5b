//! R-hat: convergence measures of several chains.

use super::ranks::normal_scores;
use super::split_chains::{SplitChains, varies};

/// The larger of [`bulk_r_hat`] and [`folded_r_hat`], which detects chains that differ in place or in scale (Vehtari et al. 2021,
/// section 4.1). R-hat is little more than 1 for chains that agree; chains above 1.01 should not be trusted.
pub fn r_hat(chains: &[&[f64]]) -> f64 {
    bulk_r_hat(chains).max(folded_r_hat(chains))
}

/// `√(var⁺ / W)` over the split chains: the ratio of the spread of all draws to that within a chain (Gelman and Rubin
/// 1992, split as in Gelman et al. 2013). Infinite for chains that each stay in one place, but in different places. Meaningless if
/// the distribution has no variance: prefer [`r_hat`].
pub fn split_r_hat(chains: &[&[f64]]) -> f64 {
    SplitChains::of(chains).map_or(f64::NAN, |halves| ratio(&halves))
}

/// [`split_r_hat`] of the rank-normalised draws, which exists for any distribution (Vehtari et al. 2021, section 4.1).
pub fn bulk_r_hat(chains: &[&[f64]]) -> f64 {
    let scores = SplitChains::of(chains).and_then(|halves| normal_scores(&halves));
    scores.map_or(f64::NAN, |scores| ratio(&scores))
}

/// [`bulk_r_hat`] of the distances to the median, which detects chains that differ only in scale (Vehtari et al. 2021, equation
/// 15).
pub fn folded_r_hat(chains: &[&[f64]]) -> f64 {
    let Some(halves) = SplitChains::of(chains) else {
        return f64::NAN;
    };
    let mut sorted = halves.draws();
    sorted.sort_by(f64::total_cmp);
    // The number of halves is even.
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
