//! Mixtures of normal distributions.

use nalgebra::{DMatrix, DVector};
use statrs::distribution::{ContinuousCDF, Normal};

use crate::square_root_form::LN_2_PI;

/// One component of a [`Mixture`]: a normal distribution and its share.
#[derive(Clone, Debug, PartialEq)]
pub struct Component {
    /// The probability of the component.
    pub share: f64,
    /// The mean.
    pub mean: DVector<f64>,
    /// The covariance matrix, which is singular if a number is known exactly.
    pub covariance: DMatrix<f64>,
}

/// A mixture of normal distributions of one vector.
#[derive(Clone, Debug, PartialEq)]
pub struct Mixture {
    /// The components, with shares that are positive and sum to one.
    pub components: Vec<Component>,
}

impl Mixture {
    /// The mean.
    pub fn mean(&self) -> DVector<f64> {
        let parts = self.components.iter().map(|c| &c.mean * c.share);
        parts.reduce(|sum, part| sum + part).unwrap_or_default()
    }

    /// The covariance matrix.
    pub fn covariance(&self) -> DMatrix<f64> {
        let mean = self.mean();
        let parts = self.components.iter().map(|c| {
            let apart = &c.mean - &mean;
            (&c.covariance + &apart * apart.transpose()) * c.share
        });
        parts.reduce(|sum, part| sum + part).unwrap_or_default()
    }

    /// The probability that the number at this position of the vector is at most `x`.
    pub fn cdf(&self, position: usize, x: f64) -> f64 {
        let below = |c: &Component| {
            let deviation = c.covariance[(position, position)].sqrt();
            let mean = c.mean[position];
            // A number that is known exactly has no normal distribution.
            let normal = Normal::new(mean, deviation).ok();
            normal.map_or(f64::from(mean <= x), |normal| normal.cdf(x))
        };
        self.components.iter().map(|c| c.share * below(c)).sum()
    }

    /// The natural logarithm of the density at `x`; infinite or minus infinity where the covariance is singular.
    pub fn log_density(&self, x: &DVector<f64>) -> f64 {
        let log = |c: &Component| {
            let apart = x - &c.mean;
            let Some(factor) = c.covariance.clone().cholesky() else {
                let is_mean = apart.iter().all(|&d| d == 0.0);
                return if is_mean {
                    f64::INFINITY
                } else {
                    f64::NEG_INFINITY
                };
            };
            let squares = apart.dot(&factor.solve(&apart));
            let diagonal = factor.l_dirty().diagonal();
            let log_deviations: f64 = diagonal.iter().map(|x| x.ln()).sum();
            c.share.ln() - log_deviations - 0.5 * (squares + x.len() as f64 * LN_2_PI)
        };
        let logs: Vec<f64> = self.components.iter().map(log).collect();
        let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if largest.is_infinite() {
            return largest;
        }
        largest + logs.iter().map(|l| (l - largest).exp()).sum::<f64>().ln()
    }
}
