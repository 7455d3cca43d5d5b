//! R-hat: convergence measures of several chains.

use super::ranks::normal_scores;
use super::split_chains::{SplitChains, varies};

/// The larger of [`bulk_r_hat`] and [`folded_r_hat`], which finds chains that differ in place or in scale (Vehtari et al. 2021,
/// section 4.1). Chains that agree have little more than 1; above 1.01 they should not be trusted.
pub fn r_hat(chains: &[&[f64]]) -> f64 {
    bulk_r_hat(chains).max(folded_r_hat(chains))
}

/// `√(var⁺ / W)` over the split chains: by how much the spread of all draws exceeds that within a chain (Gelman and Rubin
/// 1992, split as in Gelman et al. 2013). Infinite for chains that each stay where they are, in different places. Blind where
/// the distribution has no variance: [`r_hat`] is to be preferred.
pub fn split_r_hat(chains: &[&[f64]]) -> f64 {
    SplitChains::of(chains).map_or(f64::NAN, |halves| ratio(&halves))
}

/// [`split_r_hat`] of the rank-normalised draws, which exists for any distribution (Vehtari et al. 2021, section 4.1).
pub fn bulk_r_hat(chains: &[&[f64]]) -> f64 {
    let scores = SplitChains::of(chains).and_then(|halves| normal_scores(&halves));
    scores.map_or(f64::NAN, |scores| ratio(&scores))
}

/// [`bulk_r_hat`] of the distances to the median, which finds chains that differ in scale only (Vehtari et al. 2021, equation
/// 15).
pub fn folded_r_hat(chains: &[&[f64]]) -> f64 {
    let Some(halves) = SplitChains::of(chains) else {
        return f64::NAN;
    };
    let mut sorted = halves.draws();
    sorted.sort_by(f64::total_cmp);
    // Halves of chains are even in number.
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
