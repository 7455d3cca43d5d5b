//! Expanded elements: their supports, conditional tables and weights.

use crate::element::footprint::ALLOCATION;
use crate::element::node::{AnyElement, NotEnumerable};
use crate::error::ModelError;
use crate::value::support::Support;
use figrs_factor::graph::{FactorTable, Weights};

/// One element of an [`Expansion`](super::Expansion).
#[derive(Debug)]
pub struct ExpandedElement {
    /// The element that was expanded.
    pub element: AnyElement,
    /// The indices of the element's parents in the expansion.
    pub parents: Vec<usize>,
    /// The values that the element can take, without the values that evidence excludes.
    pub support: Support,
    /// `true` if the element may also have the value `unknown`, because it depends on unexpanded parts of the model.
    pub unknown: bool,
    /// An upper bound of the natural logarithm of the weight that evidence gives the element if its value is `unknown`; infinite if no bound is
    /// known.
    pub max_log_weight: f64,
    /// Number of Chains in which the element is nested.
    pub depth: usize,
    /// The way in which the value of the element is determined.
    pub content: Content,
    /// The weight that soft evidence gives to each value of the element.
    pub weights: Option<Weights>,
    /// `true` if evidence excluded values that the element could otherwise take.
    pub restricted: bool,
    /// The index of the element's entry in the [`parametric_outcomes`](super::Expansion::parametric_outcomes), if the probabilities of its outcomes
    /// depend on parameters.
    pub parametric: Option<usize>,
    /// The combinations of parent values for which the element's function failed, if there are such combinations.
    pub failures: Option<Box<FunctionFailures>>,
}

/// The combinations of parent values for which the function of an element failed, so that the element has no value.
///
/// An expansion calls a function for all combinations of the values that its parents can take. Some of these combinations may occur in no world,
/// because the parents may depend on each other. Therefore a failure of a function is an error only if it occurs in a world of positive probability.
#[derive(Clone, Debug)]
pub struct FunctionFailures {
    /// The error for the first of the failed combinations.
    pub error: ModelError,
    /// For each combination of parent values, `true` if the function failed.
    pub failed: Vec<bool>,
}

impl ExpandedElement {
    pub(super) fn bytes(&self) -> u64 {
        // Bytes of the element's entry in the hash table from elements to indices.
        const POSITION: usize = 40;
        let weights = self.weights.as_ref().map_or(0, Weights::bytes);
        let content = match &self.content {
            Content::Apply(index) => size_of_val(&**index),
            Content::Chain { choice, results } => size_of_val(&**choice) + size_of_val(&**results),
            Content::Atomic(weights) | Content::Table(weights) | Content::Score(weights) => {
                weights.bytes()
            }
            Content::Fixed | Content::NotEnumerable(_) | Content::Unexplored => 0,
        };
        let failures = self
            .failures
            .as_ref()
            .map_or(0, |failures| failures.failed.len());
        let own = size_of::<Self>() + size_of_val(&*self.parents) + POSITION + 2 * ALLOCATION;
        (own + weights + content + failures) as u64
    }

    /// Returns the number of values of the element in a factor graph, including the value `unknown` but not the value `absent`.
    pub(super) fn states(&self) -> usize {
        self.support.len() + usize::from(self.unknown)
    }

    /// True if the element has a value for every combination of its parents' values.
    pub(super) fn always_has_value(&self, elements: &[Self]) -> bool {
        self.failures.is_none() && !self.has_unknown_parents(elements)
    }

    /// True if the value of a parent may be unknown, or if it may be an interval for which the element's value or choice is unknown.
    pub(super) fn has_unknown_parents(&self, elements: &[Self]) -> bool {
        self.parents.iter().any(|&parent| elements[parent].unknown) || self.content.has_unknown()
    }
}

/// The way in which the value of an expanded element is determined.
#[derive(Debug)]
pub enum Content {
    /// An intervention sets the value.
    Fixed,
    /// The value is random; the list has the probabilities of the values in the support. If the value may be unknown, the last probability is that of
    /// the value `unknown`.
    Atomic(Weights),
    /// The value is random, without a finite support. Only an observed Chain may choose this element.
    NotEnumerable(NotEnumerable),
    /// The value is a function of the parents. For each combination of parent values, the list has the index of the value in the support, or
    /// [`NO_VALUE`](crate::factor::FactorTable::NO_VALUE) if evidence excludes the value.
    Apply(Vec<u32>),
    /// The value is that of the element that the Chain chooses for the parent values.
    Chain {
        /// For each combination of parent values, the index of the chosen element in `results`; [`Content::NO_CHOICE`] if the function failed.
        choice: Vec<u32>,
        /// The distinct elements that the Chain can choose, by their indices in the expansion.
        results: Vec<usize>,
    },
    /// The value is random. For each combination of parent values, the list has the probabilities of the values in the support.
    Table(Weights),
    /// The value is the parent's value; the list has its weights.
    Score(Weights),
    /// The element is a Chain that was not expanded; its value is `unknown`.
    Unexplored,
}

impl Content {
    /// The entry of a combination of parent values for which the function of a Chain failed, or returned an element without a value.
    pub const NO_CHOICE: u32 = FactorTable::NO_VALUE;

    /// The entry of a combination of parent values for which the value of a function, or the choice of a Chain, is unknown, because some parent
    /// values are intervals.
    pub const UNKNOWN: u32 = FactorTable::NO_VALUE - 1;

    /// Returns the value or the choice for each combination of parent values, if the content is a function or a Chain.
    fn index(&self) -> &[u32] {
        match self {
            Self::Apply(index) | Self::Chain { choice: index, .. } => index,
            _ => &[],
        }
    }

    /// True if the value or the choice is unknown for some combination of parent values in the supports.
    pub(super) fn has_unknown(&self) -> bool {
        self.index().contains(&Self::UNKNOWN)
    }

    /// True if the value or the choice is unknown for the combination of parent values with the index `combination`.
    pub(super) fn is_unknown_at(&self, combination: usize) -> bool {
        self.index().get(combination) == Some(&Self::UNKNOWN)
    }
}
