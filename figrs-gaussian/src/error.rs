//! Errors of an elimination of real numbers.

use figrs_derive::ErrorDebug;
use figrs_factor::eliminate::EliminationError;
use thiserror::Error;

use crate::hybrid_graph::RealId;

/// Reason why a hybrid factor graph has no answer.
#[derive(Clone, PartialEq, Error, ErrorDebug)]
#[non_exhaustive]
pub enum GaussianError {
    /// The factors give a vector no normal distribution, because its precision matrix is singular.
    #[error("the factors do not determine a distribution of the vector {}; give it a prior with a finite variance", .0.0)]
    Improper(RealId),
    /// A mixture would have more components than the limit.
    #[error("the distribution of the vector {} is a mixture of {components} normal distributions, more than the limit of {limit}", .real.0)]
    TooManyComponents {
        /// The vector whose distribution would be the mixture with too many components.
        real: RealId,
        /// Number of components of the mixture.
        components: f64,
        /// The maximum number of components of a mixture.
        limit: usize,
    },
    /// A likelihood that is not Gaussian grows so fast that its expected value is infinite, given all other factors.
    #[error(
        "the likelihood {site} has an infinite expected value; bound it, or let it grow more slowly"
    )]
    InfiniteLikelihood {
        /// The index of the likelihood whose expected value is infinite.
        site: usize,
    },
    /// The integral of the product of the factors is infinite, or is not a number.
    #[error(
        "the integral of the product of the factors is infinite or not a number; use numbers of moderate size"
    )]
    InfiniteTotal,
    /// The elimination of the finite variables failed.
    #[error(transparent)]
    Elimination(#[from] EliminationError),
}
