//! `KernelDensity`: the mixture of normal distributions around the points of a sample.

use std::fmt;
use std::panic::Location;

use rand::{Rng, RngExt};

use super::distribution::{Family, Outcomes, Tails, WrongParameter};
use super::normal::{NormalDistribution, Spread};
use super::param::Number;
use crate::element::Element;
use crate::element::family::compiled_family;
use crate::value::Value;
use figrs_factor::algebra::log_sum;

/// Builds a random number whose distribution is estimated from a sample of numbers.
#[derive(Debug)]
pub struct KernelDensity;

impl KernelDensity {
    /// Creates a number that is a point of `sample`, plus normal noise. All points of the sample have the same probability. The type of `bandwidth`
    /// ([`StandardDeviation`](crate::StandardDeviation), [`Variance`](crate::Variance) or [`Precision`](crate::Precision)) states how the standard
    /// deviation of the noise (the bandwidth) is given.
    ///
    /// The support of a kernel density is all finite numbers. The kernel density is the mean of the normal densities around the points of the sample.
    /// If the sample has the mean m and the variance v (the mean squared deviation from m), the kernel density has the mean m, and its variance is v
    /// plus the variance of the noise. The computation of a kernel density at one number takes time proportional to the number of points in the
    /// sample.
    ///
    /// ```
    /// # use figrs_core::{KernelDensity, StandardDeviation};
    /// let height = KernelDensity::new([1.62, 1.75, 1.71, 1.80], StandardDeviation(0.05));
    /// # drop(height);
    /// ```
    #[track_caller]
    pub fn new(
        sample: impl IntoIterator<Item = f64>,
        bandwidth: impl Into<Spread>,
    ) -> Element<f64> {
        let (noise, bandwidth) = NormalDistribution::of_spread(bandwidth.into());
        let points = sample.into_iter().collect();
        compiled_family!(
            "KernelDensity": KernelDensityDistribution => f64,
            KernelDensityDistribution { points, noise }, [bandwidth]
        )
    }
}

#[derive(Clone)]
struct KernelDensityDistribution {
    points: Vec<f64>,
    noise: NormalDistribution,
}

impl fmt::Debug for KernelDensityDistribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KernelDensity[{} points]", self.points.len())
    }
}

impl Family<f64> for KernelDensityDistribution {
    fn parameters(&self) -> &'static [&'static str] {
        &self.noise.parameters()[1..]
    }

    fn check(&self, parameters: &[f64]) -> Result<(), WrongParameter> {
        let all = |problem: String| Err(WrongParameter::new(WrongParameter::WHOLE, problem));
        if let Some(i) = self.points.iter().position(|x| !x.is_finite()) {
            let point = self.points[i];
            return all(format!(
                "point {i} of the sample is {point:?}; it must be finite"
            ));
        }
        if self.points.is_empty() {
            return all("the sample is empty; give at least one point".into());
        }
        self.noise.check(&[0.0, parameters[0]]).map_err(|wrong| {
            let index = wrong.index.saturating_sub(1);
            WrongParameter { index, ..wrong }
        })
    }

    fn outcomes(&self, _: &[Number]) -> Outcomes<f64> {
        Outcomes::Continuous
    }

    fn log_prob(&self, parameters: &[f64], value: &f64) -> f64 {
        let around = |&point: &f64| self.noise.log_prob(&[point, parameters[0]], value);
        log_sum(self.points.iter().map(around)) - (self.points.len() as f64).ln()
    }

    fn is_same_as(&self, other: &Self) -> bool {
        self.noise.is_same_as(&other.noise) && self.points.same(&other.points)
    }

    /// The derivative of a kernel density's logarithm is the mean of the derivatives for the single points, weighted by the densities for the single
    /// points.
    fn log_prob_derivative(&self, parameters: &[f64], _: usize, value: &f64) -> Option<f64> {
        let all = self.log_prob(parameters, value) + (self.points.len() as f64).ln();
        if all == f64::NEG_INFINITY {
            return Some(0.0);
        }
        let around = |&point: &f64| {
            let parameters = [point, parameters[0]];
            let share = (self.noise.log_prob(&parameters, value) - all).exp();
            if share == 0.0 {
                return Some(0.0);
            }
            let slope = self.noise.log_prob_derivative(&parameters, 1, value)?;
            Some(share * slope)
        };
        self.points.iter().map(around).sum()
    }

    fn sample<R: Rng + ?Sized>(&self, parameters: &[f64], rng: &mut R) -> f64 {
        if self.points.is_empty() {
            return f64::NAN;
        }
        let point = self.points[rng.random_range(0..self.points.len())];
        self.noise.sample(&[point, parameters[0]], rng)
    }

    fn tails(&self, parameters: &[f64], value: &f64) -> Option<Tails> {
        let share = 1.0 / self.points.len() as f64;
        let mut sum = Tails {
            lower: 0.0,
            upper: 0.0,
        };
        for &point in &self.points {
            let Tails { lower, upper } = self.noise.tails(&[point, parameters[0]], value)?;
            sum.lower += share * lower;
            sum.upper += share * upper;
        }
        sum.lower = sum.lower.min(1.0);
        sum.upper = sum.upper.min(1.0);
        Some(sum)
    }

    fn heap_bytes(&self) -> usize {
        self.points.heap_bytes()
    }
}
