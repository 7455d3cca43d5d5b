//! Mixtures of normal distributions.

use rand::{Rng, RngExt};
use statrs::distribution::{Continuous, ContinuousCDF, Normal};

use figrs_core::internals::standard_normal_tail;

/// A normal distribution of a list of numbers, as one component of a [`NormalMixture`].
#[derive(Clone, Debug, PartialEq)]
pub struct NormalComponent {
    /// The probability of this component of the mixture.
    pub share: f64,
    /// The mean of each number.
    pub mean: Vec<f64>,
    /// The covariance matrix of the numbers, row by row. A number that is known exactly has variance zero.
    pub covariance: Vec<f64>,
}

/// The distribution of a number, or of a list of numbers, as a mixture of normal distributions.
///
/// The mixture has one component for each possible assignment of the finite elements on which the numbers depend. The distribution is exact,
/// unless it comes from `ExpectationPropagation`.
///
/// For the distribution of a single number, the lists of means and covariances of a component have length one. Methods that return one number use the
/// first number of the list.
#[derive(Clone, Debug, PartialEq)]
pub struct NormalMixture {
    components: Vec<NormalComponent>,
}

/// Distance from an approximate quantile of a normal distribution, in standard deviations, within which the exact quantile is.
const WITHIN: f64 = 1e-6;

/// Number of halvings after which the width of an interval that contains a quantile is of the size of rounding errors.
const HALVINGS: usize = 200;

impl NormalMixture {
    /// Creates the mixture of `components`, whose shares sum to one; there must be at least one component.
    pub fn new(components: Vec<NormalComponent>) -> Self {
        Self { components }
    }

    /// Returns the components of the mixture.
    pub fn components(&self) -> &[NormalComponent] {
        &self.components
    }

    /// Returns the length of the list of numbers.
    pub fn dimension(&self) -> usize {
        self.components.first().map_or(0, |c| c.mean.len())
    }

    fn average(&self, value: impl Fn(&NormalComponent) -> f64) -> f64 {
        self.components.iter().map(|c| c.share * value(c)).sum()
    }

    /// Returns the mean of each number of the list.
    pub fn means(&self) -> Vec<f64> {
        (0..self.dimension())
            .map(|i| self.average(|c| c.mean[i]))
            .collect()
    }

    /// Returns the mean of the first number of the list.
    pub fn mean(&self) -> f64 {
        self.average(|c| c.mean[0])
    }

    /// Returns the covariance matrix of the list, row by row.
    pub fn covariance(&self) -> Vec<Vec<f64>> {
        let means = self.means();
        let entry = |i: usize, j: usize| {
            let within = |c: &NormalComponent| c.covariance[i * means.len() + j];
            self.average(|c| within(c) + (c.mean[i] - means[i]) * (c.mean[j] - means[j]))
        };
        let row = |i| (0..means.len()).map(|j| entry(i, j)).collect();
        (0..means.len()).map(row).collect()
    }

    /// Returns the variance of the first number of the list.
    pub fn variance(&self) -> f64 {
        let mean = self.mean();
        self.average(|c| c.covariance[0] + (c.mean[0] - mean).powi(2))
    }

    /// Returns the standard deviation of the first number of the list.
    pub fn standard_deviation(&self) -> f64 {
        self.variance().sqrt()
    }

    /// Returns the probability that the first number of the list is at most `x`.
    pub fn cdf(&self, x: f64) -> f64 {
        self.average(|c| match normal(c) {
            Some(_) => lower_tail(c, x),
            None => f64::from(c.mean[0] <= x),
        })
    }

    /// Returns the probability that the first number of the list is above `low` and at most `high`.
    pub fn probability_between(&self, low: f64, high: f64) -> f64 {
        let between = |c: &NormalComponent| match normal(c) {
            // Above the mean, the difference of two upper tail probabilities has a smaller rounding error than that of two lower tail probabilities.
            Some(_) if low > c.mean[0] => upper_tail(c, low) - upper_tail(c, high),
            Some(_) => lower_tail(c, high) - lower_tail(c, low),
            None => f64::from(low < c.mean[0] && c.mean[0] <= high),
        };
        self.average(between).max(0.0)
    }

    /// Returns the density of the first number of the list at `x`; infinite if the number is known to be `x`.
    pub fn density(&self, x: f64) -> f64 {
        self.average(|c| match normal(c) {
            Some(normal) => normal.pdf(x),
            None if c.mean[0] == x => f64::INFINITY,
            None => 0.0,
        })
    }

    /// Returns the quantile: the number that the first number of the list does not exceed with probability `probability`; NaN if `probability`
    /// is outside (0, 1).
    ///
    /// **Guarantee.** The quantile is exact within rounding errors. For several components, the quantile is found by halving the interval between the
    /// components' quantiles until the width of the interval is of the size of rounding errors.
    pub fn quantile(&self, probability: f64) -> f64 {
        if !(probability > 0.0 && probability < 1.0) {
            return f64::NAN;
        }
        let own = |c: &NormalComponent| {
            let quantile = normal(c).map_or(c.mean[0], |normal| normal.inverse_cdf(probability));
            (quantile, c.covariance[0].sqrt() * WITHIN)
        };
        let quantiles = self.components.iter().map(own);
        let (mut low, mut high) = quantiles
            .fold((f64::INFINITY, f64::NEG_INFINITY), |all, (x, within)| {
                (all.0.min(x - within), all.1.max(x + within))
            });
        if self.cdf(low) >= probability {
            return low;
        }
        (low, high) = halved((low, high), |x| self.cdf(x) < probability);
        // The quantile may be a number that some components assign with certainty.
        let known = self.components.iter().filter(|c| normal(c).is_none());
        let within = known.map(|c| c.mean[0]).filter(|&x| low < x && x < high);
        let first = within.fold(high, f64::min);
        if self.cdf(first) < probability {
            high
        } else {
            first
        }
    }

    /// Returns the central interval with probability `mass`: the first number of the list is below the interval and above the interval with equal
    /// probabilities.
    pub fn interval(&self, mass: f64) -> (f64, f64) {
        let outside = (1.0 - mass) / 2.0;
        (self.quantile(outside), self.quantile(1.0 - outside))
    }

    /// Draws a value of the first number of the list from the distribution.
    pub fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        let mut rest: f64 = rng.random();
        let chosen = self.components.iter().find(|c| {
            rest -= c.share;
            rest < 0.0
        });
        let component = chosen.or(self.components.last());
        component.map_or(f64::NAN, |c| match normal(c) {
            Some(normal) => rng.sample(normal),
            None => c.mean[0],
        })
    }
}

/// Halves the interval from `low` to `high` until the width of the interval is of the size of rounding errors. The condition `holds` must be true at
/// the lower end of the interval, and false at the upper end.
pub(crate) fn halved((mut low, mut high): (f64, f64), holds: impl Fn(f64) -> bool) -> (f64, f64) {
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            break;
        }
        if holds(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low, high)
}

/// Returns the probability that the first number of a component is above `x`.
fn upper_tail(component: &NormalComponent, x: f64) -> f64 {
    standard_normal_tail((x - component.mean[0]) / component.covariance[0].sqrt())
}

/// Returns the probability that the first number of a component is below `x`.
fn lower_tail(component: &NormalComponent, x: f64) -> f64 {
    standard_normal_tail((component.mean[0] - x) / component.covariance[0].sqrt())
}

/// Returns the normal distribution of the first number of a component; `None` if the component assigns this number with certainty.
fn normal(component: &NormalComponent) -> Option<Normal> {
    Normal::new(component.mean[0], component.covariance[0].sqrt()).ok()
}
