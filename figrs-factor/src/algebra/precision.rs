//! Semirings in two representations, scaled numbers and logarithms, and conversions between the representations.

use super::logarithmic::{LogSumProduct, MaxProduct};
use super::scaled::{ScaledMaxProduct, SumProduct};
use super::semiring::Semiring;

/// A semiring in two representations: scaled numbers and natural logarithms.
pub trait Precision: std::fmt::Debug {
    /// The semiring on scaled numbers, which may overflow or underflow.
    type Scaled: Semiring<Value = f64>;
    /// The semiring on natural logarithms, which never overflow or underflow.
    type Logs: Semiring<Value = f64>;
}

/// The semiring of sums of products.
#[derive(Debug)]
pub struct SumProductPrecision;

impl Precision for SumProductPrecision {
    type Scaled = SumProduct;
    type Logs = LogSumProduct;
}

/// The semiring of maxima of products.
#[derive(Debug)]
pub struct MaxProductPrecision;

impl Precision for MaxProductPrecision {
    type Scaled = ScaledMaxProduct;
    type Logs = MaxProduct;
}

/// Representation of a weight: the number itself, or its logarithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberForm {
    /// The number itself.
    Scaled,
    /// The natural logarithm of the number.
    Logs,
}

impl NumberForm {
    /// Returns the natural logarithm of the number that `value` represents.
    pub fn log(self, value: f64) -> f64 {
        match self {
            Self::Scaled => value.ln(),
            Self::Logs => value,
        }
    }

    /// Returns `values` divided by their sum, as plain numbers; all are zero if the sum is zero.
    pub fn shares(self, values: Vec<f64>) -> Vec<f64> {
        self.normalised(values).0
    }

    /// Returns `values` divided by their sum, as plain numbers, and the natural logarithm of the sum. All returned numbers are
    /// zero if the sum is zero.
    pub fn normalised(self, mut values: Vec<f64>) -> (Vec<f64>, f64) {
        let mut log_scale = 0.0;
        if self == Self::Logs {
            log_scale = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let scaled = |log: f64| {
                if log == f64::NEG_INFINITY {
                    0.0
                } else {
                    (log - log_scale).exp()
                }
            };
            for value in &mut values {
                *value = scaled(*value);
            }
        }
        let sum: f64 = values.iter().sum();
        if sum > 0.0 {
            for value in &mut values {
                *value /= sum;
            }
        }
        (values, log_scale + sum.ln())
    }
}
