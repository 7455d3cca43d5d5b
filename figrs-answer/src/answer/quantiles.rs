//! Quantiles of numeric elements.

use figrs_core::Value;
use num_traits::ToPrimitive;

use super::estimate::Quality;
use super::marginal::Marginal;
use crate::quality::diagnostics::quantile_range;

/// Tolerance for rounding errors in sums of probabilities.
const ROUNDING: f64 = 1e-12;

impl<T: Value + ToPrimitive> Marginal<T> {
    /// Returns the quantile: the smallest number that the value does not exceed with the given `probability` or a larger one; NaN if `probability` is
    /// outside [0, 1].
    pub fn quantile(&self, probability: f64) -> f64 {
        quantile(&self.sorted(), probability)
    }

    /// Returns the median: the smallest number that the value of the element exceeds with a probability of at most one half.
    pub fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    /// Returns a central credible interval: the value is in the interval with probability `mass`, and is below the interval and above the interval
    /// with equal probabilities.
    pub fn interval(&self, mass: f64) -> (f64, f64) {
        let sorted = self.sorted();
        let outside = (1.0 - mass) / 2.0;
        (quantile(&sorted, outside), quantile(&sorted, 1.0 - outside))
    }

    /// Returns the standard error of [`quantile`](Self::quantile); zero if the quantile is exact, NaN if the error is unknown.
    ///
    /// Let *p* be the probability that the element does not exceed the quantile. The standard error of a quantile is half the distance between the
    /// quantiles at the probabilities one standard error below and one standard error above *p* (Vehtari et al. 2021, section 4.4).
    pub fn quantile_error(&self, probability: f64) -> f64 {
        let Quality::Sampled { effective_samples } = self.quality() else {
            return self.standard_error_of(|_| 0.0);
        };
        let sorted = self.sorted();
        let cut = quantile(&sorted, probability);
        let is_below = |v: &T| number(v) <= cut;
        let share = self.probability_that(is_below);
        let error = self.standard_error_that(is_below);
        let own = share * (1.0 - share) / (error * error);
        let samples = if own > 0.0 { own } else { effective_samples };
        match quantile_range(probability, samples) {
            Some((low, high)) => (quantile(&sorted, high) - quantile(&sorted, low)) / 2.0,
            None => f64::NAN,
        }
    }

    fn sorted(&self) -> Vec<(f64, f64)> {
        let mut sorted: Vec<(f64, f64)> = self.iter().map(|(v, p)| (number(v), p)).collect();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        sorted
    }
}

fn number<T: ToPrimitive>(value: &T) -> f64 {
    value.to_f64().unwrap_or(f64::NAN)
}

fn quantile(sorted: &[(f64, f64)], probability: f64) -> f64 {
    if !(0.0..=1.0).contains(&probability) {
        return f64::NAN;
    }
    let mut sum = 0.0;
    let possible = sorted.iter().filter(|&&(_, p)| p > 0.0);
    let mut last = f64::NAN;
    for &(number, p) in possible {
        last = number;
        sum += p;
        if sum >= probability - ROUNDING {
            break;
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::estimate::Estimate;

    #[test]
    fn quantiles_of_a_die() {
        let die = Marginal::new(
            vec![6, 2, 3, 4, 5, 1, 9],
            {
                let mut p = vec![1.0 / 6.0; 6];
                p.push(0.0);
                p
            },
            Estimate::Exact,
        );
        assert_eq!(die.median(), 3.0);
        assert_eq!(
            [0.0, 1.0 / 6.0, 0.17, 1.0].map(|p| die.quantile(p)),
            [1.0, 1.0, 2.0, 6.0]
        );
        assert_eq!(die.interval(2.0 / 3.0), (1.0, 5.0));
        assert_eq!(die.quantile_error(0.5), 0.0);
        assert!(die.quantile(1.5).is_nan() && die.quantile(f64::NAN).is_nan());
    }

    #[test]
    fn the_error_of_a_median_is_that_of_its_share() {
        // Ten thousand equal weights on a grid of the unit interval; the median of n uniform draws has the standard error 0.5 / √n.
        let n = 10_000;
        let grid: Vec<f64> = (0..n)
            .map(|i| (f64::from(i) + 0.5) / f64::from(n))
            .collect();
        let weight = 1.0 / f64::from(n);
        let squares = vec![weight * weight; grid.len()];
        let uniform = Marginal::new(
            grid.clone(),
            vec![weight; grid.len()],
            Estimate::Weighted {
                squares,
                unseen: 0.01,
            },
        );
        assert!((uniform.quantile_error(0.5) - 0.005).abs() < 2e-4);
        assert!((uniform.interval(0.9).0 - 0.05).abs() < 2e-4);
        let unknown = Marginal::new(grid, vec![weight; n as usize], Estimate::Approximate);
        assert!(unknown.quantile_error(0.5).is_nan());
    }
}
