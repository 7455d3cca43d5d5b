//! Estimates of expected utilities.

use figrs_factor::bounds::six_decimals;
use std::fmt;

/// The mean utility of some draws of a sampler, with its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct UtilityEstimate {
    /// The weighted mean of the utilities of the draws.
    pub mean: f64,
    /// The standard error of the mean utility; infinite for a single draw. The standard error includes the randomness of the draws, but not the bias
    /// that arises because the known values of the draws differ from the given values.
    pub standard_error: f64,
    /// Number of draws whose utilities are averaged.
    pub draws: usize,
}

impl fmt::Display for UtilityEstimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:.6} ± {:.6}",
            six_decimals(self.mean),
            self.standard_error
        )
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct WeightedUtility {
    pub(super) weight: f64,
    pub(super) utility: f64,
}

impl UtilityEstimate {
    /// Returns the weighted mean of the utilities in `draws`, and the standard error of this mean; `None` if there are no draws.
    ///
    /// The variance of the mean utility is that of a ratio of sums, multiplied by `n / (n - 1)` and by `inflation`.
    pub(super) fn of(
        draws: impl Iterator<Item = WeightedUtility> + Clone,
        inflation: f64,
    ) -> Option<Self> {
        let (mut total, mut mean, mut count) = (0.0, 0.0, 0);
        for WeightedUtility { weight, utility } in draws.clone() {
            total += weight;
            mean += (weight / total) * (utility - mean);
            count += 1;
        }
        let squares: f64 = draws
            .map(|draw| (draw.weight / total * (draw.utility - mean)).powi(2))
            .sum();
        let n = count as f64;
        let standard_error = if count > 1 {
            (squares * n / (n - 1.0) * inflation).sqrt()
        } else {
            f64::INFINITY
        };
        (count > 0).then_some(Self {
            mean,
            standard_error,
            draws: count,
        })
    }
}
