//! The outcomes of a distribution as a list, or the reason that there is none.

use crate::value::support::Support;

/// The finite support of an atomic element or of a table row, with probabilities.
#[derive(Clone, Debug)]
pub struct FiniteOutcomes {
    /// The outcomes.
    pub support: Support,
    /// The probability of each; zero may mean too small for `f64`, then the logarithm is finite.
    pub probabilities: Vec<f64>,
}

/// Obstacle to listing the outcomes of an atomic element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotEnumerable {
    /// Countably many.
    Infinite,
    /// A continuum.
    Continuous,
    /// Finitely many, but too many to be listed.
    TooMany,
}

impl NotEnumerable {
    /// The obstacle in words.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Infinite => "infinitely many discrete",
            Self::Continuous => "continuous",
            Self::TooMany => "too many discrete",
        }
    }
}
