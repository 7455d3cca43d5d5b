//! The outcomes of a distribution as a list, or the reason why they cannot be listed.

use super::label::Label;
use crate::error::ModelError;
use crate::value::support::Support;

/// The finite support, with probabilities, of an element without parents or of one row of a conditional probability table.
#[derive(Clone, Debug)]
pub struct FiniteOutcomes {
    /// The possible values of the element or of the table row.
    pub support: Support,
    /// The probability of each outcome; a probability that is too small for `f64` is listed as zero, but its logarithm is finite.
    pub probabilities: Vec<f64>,
}

/// Reason why the possible values of an element without parents cannot be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotEnumerable {
    /// The element has countably infinitely many outcomes.
    Infinite,
    /// The element is continuous: its outcomes are uncountable.
    Continuous,
    /// The element has finitely many outcomes, but too many to be listed.
    TooMany,
}

impl NotEnumerable {
    /// Describes in words why the outcomes cannot be listed.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Infinite => "infinitely many discrete",
            Self::Continuous => "continuous",
            Self::TooMany => "too many discrete",
        }
    }

    /// Returns the error of an algorithm that must list the values of each unobserved element.
    pub fn unless_observed(self, element: Label) -> ModelError {
        ModelError::NotFinite {
            element,
            kind: self.describe(),
            remedy: "observe it in the model",
        }
    }

    /// Returns the error of an algorithm that must list the values of each element, even if the element is observed.
    pub fn even_if_observed(self, element: Label) -> ModelError {
        ModelError::NotFinite {
            element,
            kind: self.describe(),
            remedy: "observe it and use VariableElimination or Exact, which do not try other values",
        }
    }
}
