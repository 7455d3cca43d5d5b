//! Monte Carlo standard errors of estimates from chains.

use super::autocorrelation::effective_samples;
use super::effective_samples::{mean_ess, quantile_ess};
use super::quantile::{quantile_of_sorted, quantile_range};
use super::split_chains::{SplitChains, mean, variance};

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
