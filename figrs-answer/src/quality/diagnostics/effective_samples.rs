//! Effective sample sizes of Markov chains, for the mean, the bulk, the tails and quantiles, and the standard errors computed from these sizes.

use statrs::distribution::{Beta, ContinuousCDF};

use super::r_hat::normal_scores;
use super::split_chains::{SplitChains, mean, variance, varies};

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

/// Returns the two probabilities whose quantiles lie one standard error below and one standard error above the quantile at `probability`, for an
/// effective sample size *S*. The two probabilities are the 16 % and 84 % quantiles of Beta(a, b) with `a = S p + 1` and `b = S (1 − p) + 1` (Vehtari
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

/// Number of lags for which the autocorrelation is computed; for longer lags, neighbouring draws are first averaged in pairs. Because neighbouring
/// draws are averaged in pairs for longer lags, the cost of all autocorrelations is linear in the number of draws. With 128 lags, the effective
/// sample size differs by at most five percent from the size computed with all lags (test `few_lags_are_as_good_as_all`). With 1024 lags, the
/// diagnosis of chains that hardly move took longer than drawing the samples of the chains.
const LAGS: usize = 128;

/// Returns the effective sample size of the mean of all draws in the halves of the chains.
///
/// Let `ρ(t) = 1 − (W − mean of the autocovariances at lag t) / var⁺` be the autocorrelation at lag `t`, and let `P(k) = ρ(2k) + ρ(2k + 1)` be the
/// sums of pairs of autocorrelations. For a reversible chain, the sums `P(k)` are positive and decreasing. Let `τ = −1 + 2 Σ P(k)`, where the sum is
/// over the initial positive `P(k)`, made monotone. The effective sample size of `S` draws is `S / τ`, at most `S log₁₀ S` (Vehtari et al. 2021,
/// section 3.2). If the means of the halves differ, `var⁺` is large, the correlations do not decay, and the effective sample size is small.
///
/// If the correlations extend over more than 128 lags, neighbouring draws are averaged in pairs, and the computation is repeated. Averaging
/// neighbouring draws changes neither the mean nor its variance, and the total work is at most `O(128 S)`.
pub(super) fn effective_samples(halves: &SplitChains) -> f64 {
    let all = halves.draws();
    if !varies(&all) {
        return f64::NAN;
    }
    let draws = all.len() as f64;
    let fine = halves.spread().total;
    let mut halves = halves.clone();
    loop {
        let spread = halves.spread();
        let Some(time) = correlation_time(&halves, spread.within, spread.total, draws) else {
            average_pairs(&mut halves);
            continue;
        };
        let blocks = (halves.0.len() * halves.length()) as f64;
        // The variance of the mean is `total * time / blocks`; the variance of the mean of independent draws would be `fine / draws`.
        return (fine / spread.total * blocks / time).min(draws * draws.log10());
    }
}

/// Returns the correlation time `τ`; `None` if the correlations extend beyond the lags that are computed.
fn correlation_time(halves: &SplitChains, within: f64, total: f64, draws: f64) -> Option<f64> {
    let n = halves.length();
    let lags = if n <= 2 * LAGS { n } else { LAGS };
    let centred: Vec<Vec<f64>> = halves.0.iter().map(|half| centred(half)).collect();
    let correlation = |lag: usize| {
        let products: f64 = centred.iter().map(|x| product(&x[lag..], x)).sum();
        let covariance = products / (n * centred.len()) as f64;
        1.0 - (within - covariance) / total
    };
    let mut sum = 0.0;
    let mut least = f64::INFINITY;
    let mut lag = 0;
    while lag + 1 < lags {
        let even = if lag == 0 { 1.0 } else { correlation(lag) };
        let pair = even + correlation(lag + 1);
        if pair.is_nan() || pair <= 0.0 {
            // The even lag of the first negative pair is added, because it reduces the bias for chains with negative autocorrelation.
            sum += even.max(0.0) / 2.0;
            return Some(bounded(sum, draws));
        }
        least = least.min(pair);
        sum += least;
        lag += 2;
    }
    (lags == n).then(|| bounded(sum, draws))
}

/// Returns the correlation time `τ` for the sum of the pairs of autocorrelations; `τ` is at least the value for which the effective sample size is `S
/// log₁₀ S`.
fn bounded(sum: f64, draws: f64) -> f64 {
    (2.0 * sum - 1.0).max(1.0 / draws.log10())
}

fn centred(half: &[f64]) -> Vec<f64> {
    let mean = mean(half);
    half.iter().map(|x| x - mean).collect()
}

/// Returns the sum of the products of corresponding numbers of `a` and `b`, up to the end of `a`.
fn product(a: &[f64], b: &[f64]) -> f64 {
    const LANES: usize = 8;
    let b = &b[..a.len()];
    let mut sums = [0.0; LANES];
    let (a, b) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest: f64 = a
        .remainder()
        .iter()
        .zip(b.remainder())
        .map(|(x, y)| x * y)
        .sum();
    for (a, b) in a.zip(b) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum::<f64>() + rest
}

/// Replaces each pair of neighbouring numbers by the mean of the pair, and drops the last number if the number of numbers is odd.
fn average_pairs(halves: &mut SplitChains) {
    for half in &mut halves.0 {
        let pairs = half.chunks_exact(2).map(|pair| pair[0].midpoint(pair[1]));
        *half = pairs.collect();
    }
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
