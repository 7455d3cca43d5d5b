//! Expanded elements: their supports, tables and weights.

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
    /// The values that the element can take, without values that evidence excludes.
    pub support: Support,
    /// `true` if the element may also have the value `unknown`, because it depends on unexpanded parts of the model.
    pub unknown: bool,
    /// The natural logarithm of the largest weight that evidence can give the element if it is `unknown`; infinite if the weight has
    /// no bound.
    pub max_log_weight: f64,
    /// Nesting depth of the element in Chains.
    pub depth: usize,
    /// Source of the element's value.
    pub content: Content,
    /// The weight that soft evidence gives to each value of the element.
    pub weights: Option<Weights>,
    /// `true` if evidence excluded values that the element could otherwise take.
    pub restricted: bool,
    /// The index of the element's outcomes among the [`parametric_outcomes`](super::Expansion::parametric_outcomes), if parameters
    /// determine their probabilities.
    pub parametric: Option<usize>,
    /// The combinations of parent values for which the element's function failed, if there are such combinations.
    pub failures: Option<Box<FunctionFailures>>,
}

/// Failures of an element's function: the combinations of parent values for which the element has no value.
///
/// An expansion calls a function for all combinations of the values that its parents can take. Some combinations of parent values
/// may occur in no world, because parents may depend on each other, and a branch may be taken for some values only. Therefore a
/// failure of a function is a mistake in the model only if a world can reach it.
#[derive(Clone, Debug)]
pub struct FunctionFailures {
    /// The failure for the first of the failed combinations.
    pub error: ModelError,
    /// For each combination of parent values, `true` if the function failed.
    pub failed: Vec<bool>,
}

impl ExpandedElement {
    /// Returns the approximate size in bytes, without the element itself and its support.
    pub(super) fn bytes(&self) -> u64 {
        // Bytes of an entry in the table of positions.
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

    /// True if the element has a value for every combination of parent values.
    pub(super) fn always_has_value(&self, elements: &[Self]) -> bool {
        self.failures.is_none() && !self.has_unknown_parents(elements)
    }

    /// True if the value of a parent may be unknown.
    pub(super) fn has_unknown_parents(&self, elements: &[Self]) -> bool {
        self.parents.iter().any(|&parent| elements[parent].unknown)
    }
}

/// Source of the value of an expanded element.
#[derive(Debug)]
pub enum Content {
    /// The value is set by an intervention.
    Fixed,
    /// The value is random, with these probabilities for the values of the support. If the value may be unknown, the probability of the
    /// value `unknown` comes last.
    Atomic(Weights),
    /// The value is random, without a finite support; only an observed Chain may use the element.
    NotEnumerable(NotEnumerable),
    /// The value is a function of the parents: for each combination of parent values, the index of the value in the support, or
    /// [`NO_VALUE`](crate::factor::FactorTable::NO_VALUE) if evidence excludes it.
    Apply(Vec<u32>),
    /// The value is that of a selected element: for each combination of parent values, the index of the element in `results`.
    Chain {
        /// For each combination of parent values, the index of the selected element in `results`; [`Content::NO_CHOICE`] if the
        /// function failed.
        choice: Vec<u32>,
        /// The distinct elements that can be selected, by their indices in the expansion.
        results: Vec<usize>,
    },
    /// The value follows a conditional table: for each combination of parent values, the probabilities of the values in
    /// the support.
    Table(Weights),
    /// The value is the parent's value, which evidence weighs.
    Score(Weights),
    /// The element is a Chain that was not expanded; its value is `unknown`.
    Unexplored,
}

impl Content {
    /// Marks a combination of parent values for which the function of a Chain failed, or returned an element that has no value.
    pub const NO_CHOICE: u32 = FactorTable::NO_VALUE;
}
