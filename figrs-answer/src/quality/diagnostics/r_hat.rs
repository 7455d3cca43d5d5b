//! R-hat, which measures the convergence of several chains, and the normal scores of the ranks of draws.

use statrs::distribution::{ContinuousCDF, Normal};

use super::split_chains::{SplitChains, varies};

/// Returns R-hat: the larger of [`bulk_r_hat`] and [`folded_r_hat`]. The maximum of [`bulk_r_hat`] and [`folded_r_hat`] detects chains that differ in
/// location or in scale (Vehtari et al. 2021, section 4.1). If the chains agree, R-hat is slightly above 1; chains with an R-hat above 1.01 should
/// not be trusted.
pub fn r_hat(chains: &[&[f64]]) -> f64 {
    bulk_r_hat(chains).max(folded_r_hat(chains))
}

/// Returns the ratio `√(var⁺ / W)` over the split chains: the standard deviation of all draws divided by the standard deviation within a chain
/// (Gelman and Rubin 1992, with split chains as in Gelman et al. 2013). The split R-hat is infinite if each half of a chain is constant, but the
/// constants differ between halves. The split R-hat is meaningless if the distribution has no variance; prefer [`r_hat`].
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

/// Replaces each draw by `Φ⁻¹((r − 3/8) / (S + 1/4))`, where `r` is its rank among all `S` draws. Equal draws get the mean of their ranks
/// (Blom 1958; Vehtari et al. 2021, equation 14). Returns `None` if a draw is NaN.
pub(super) fn normal_scores(halves: &SplitChains) -> Option<SplitChains> {
    let draws = halves.draws();
    let normal = Normal::standard();
    let count = draws.len() as f64;
    let ranks = mean_ranks(&draws)?.into_iter();
    let scores: Vec<f64> = ranks
        .map(|rank| normal.inverse_cdf((rank - 0.375) / (count + 0.25)))
        .collect();
    let scores = scores.chunks_exact(halves.length());
    Some(SplitChains(scores.map(<[f64]>::to_vec).collect()))
}

/// Returns the rank of each draw, counted from one; equal draws get the mean of their ranks. Returns `None` if a draw is NaN.
pub fn mean_ranks(draws: &[f64]) -> Option<Vec<f64>> {
    if draws.iter().any(|x| x.is_nan()) {
        return None;
    }
    let mut order: Vec<usize> = (0..draws.len()).collect();
    order.sort_by(|&a, &b| draws[a].total_cmp(&draws[b]));
    let mut ranks = vec![0.0; draws.len()];
    let mut below = 0;
    for equal in order.chunk_by(|&a, &b| draws[a] == draws[b]) {
        let rank = below as f64 + 1.0_f64.midpoint(equal.len() as f64);
        for &i in equal {
            ranks[i] = rank;
        }
        below += equal.len();
    }
    Some(ranks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_draws_share_their_mean_rank() {
        let halves = SplitChains(vec![vec![5.0, 1.0], vec![5.0, f64::INFINITY]]);
        let scores = normal_scores(&halves).unwrap();
        let score = |rank: f64| Normal::standard().inverse_cdf((rank - 0.375) / 4.25);
        assert_eq!(
            scores.0,
            [[score(2.5), score(1.0)], [score(2.5), score(4.0)]]
        );
        assert_eq!(score(2.5), 0.0);
        assert!(normal_scores(&SplitChains(vec![vec![f64::NAN, 1.0]])).is_none());
    }
}
