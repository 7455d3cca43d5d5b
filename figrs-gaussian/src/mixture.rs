//! Mixtures of normal distributions.

use nalgebra::{DMatrix, DVector};

use crate::expectation_propagation::Projection;

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

impl Component {
    /// Returns the mean and the variance of a linear function of the vector.
    pub(crate) fn projected(&self, projection: &Projection) -> (f64, f64) {
        let coefficients = DVector::from_column_slice(&projection.coefficients);
        let variance = (&self.covariance * &coefficients).dot(&coefficients);
        let mean = projection.offset + coefficients.dot(&self.mean);
        (mean, variance.max(0.0))
    }
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
