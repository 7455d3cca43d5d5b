//! Mixtures of normal distributions.

use nalgebra::{DMatrix, DVector};

/// One component of a [`Mixture`]: a normal distribution and its probability.
#[derive(Clone, Debug, PartialEq)]
pub struct Component {
    /// The probability of the component.
    pub share: f64,
    /// The mean of the component.
    pub mean: DVector<f64>,
    /// The covariance matrix of the component; it is singular if a linear combination of the numbers is known exactly.
    pub covariance: DMatrix<f64>,
}

/// A mixture of normal distributions of one vector.
#[derive(Clone, Debug, PartialEq)]
pub struct Mixture {
    /// The components of the mixture; their shares are positive and sum to one.
    pub components: Vec<Component>,
}

impl Mixture {
    /// Returns the mean of the mixture.
    pub fn mean(&self) -> DVector<f64> {
        let parts = self.components.iter().map(|c| &c.mean * c.share);
        parts.reduce(|sum, part| sum + part).unwrap_or_default()
    }

    /// Returns the covariance matrix of the mixture.
    pub fn covariance(&self) -> DMatrix<f64> {
        let mean = self.mean();
        let parts = self.components.iter().map(|c| {
            let apart = &c.mean - &mean;
            (&c.covariance + &apart * apart.transpose()) * c.share
        });
        parts.reduce(|sum, part| sum + part).unwrap_or_default()
    }
}
