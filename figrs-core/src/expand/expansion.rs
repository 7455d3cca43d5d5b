//! Expansion of a model: all elements that its roots need, with their supports, tables and weights.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::expander::Cell;
use super::expander::learned::ParametricOutcomes;
use crate::element::footprint::ALLOCATION;
use crate::element::node::{AnyElement, ElementId, NotEnumerable};
use crate::error::ModelError;
use crate::value::support::Support;
use figrs_factor::graph::{FactorTable, Weights};

/// The values of elements with infinitely many values that an expansion lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Listing {
    /// All values of all elements are listed.
    #[default]
    Complete,
    /// Some values are omitted, or intervals stand for them.
    Ranged,
    /// In addition, a function of an interval, or evidence on it, was evaluated at some points only, and is not known to be monotone.
    OfMonotone,
}

impl Listing {
    /// Raises the listing to `other`, if `holds`.
    pub(super) fn raise(&mut self, other: Self, holds: bool) {
        if holds {
            *self = other.max(*self);
        }
    }
}

/// All elements that the roots of a model (targets and evidence) need, with numbered values.
///
/// In an expansion, each element comes after its parents and after the results of its branches.
#[derive(Debug)]
pub struct Expansion {
    pub(super) elements: Vec<ExpandedElement>,
    pub(super) positions: FxHashMap<ElementId, usize>,
    pub(super) targets: Vec<usize>,
    pub(super) evidence: Vec<usize>,
    pub(super) impossible: Option<usize>,
    /// The depth to which the model was expanded, and `true` if some part of it was omitted.
    pub(super) cut: Option<(usize, bool)>,
    /// For each element that has an interval among its values, the cells of all its values.
    pub(super) cells: FxHashMap<usize, Arc<[Cell]>>,
    /// The upper bounds of the weights of an element's values, if some values are intervals for which the evidence is undecided.
    pub(super) upper_weights: FxHashMap<usize, Weights>,
    pub(super) listing: Listing,
    /// Maximum number of entries in the table of one element.
    pub(super) element_entries: u64,
    pub(super) reached: usize,
    pub(super) parametric: Vec<ParametricOutcomes>,
    /// `true` if the outcomes of random elements are to be counted; an element that is not reached must then have no
    /// outcome.
    pub(super) counts_outcomes: bool,
    /// `true` if some elements are recursive calls that share their distribution.
    pub(super) shares_calls: bool,
}

impl Expansion {
    /// True if no part of the model and no values were omitted.
    pub fn is_complete(&self) -> bool {
        !self.is_cut() && !self.is_ranged()
    }

    /// True if some Chains were omitted because of their depth.
    pub fn is_cut(&self) -> bool {
        matches!(self.cut, Some((_, true)))
    }

    /// True if some values of an element with infinitely many values were omitted.
    pub fn is_ranged(&self) -> bool {
        self.listing > Listing::Complete
    }

    /// Returns `true` if the weights of the expansion rely on functions of intervals that are assumed to be monotone.
    #[doc(hidden)]
    pub fn assumes_monotone(&self) -> bool {
        self.listing == Listing::OfMonotone
    }

    /// True if some elements are calls of recursive functions that were not unfolded; the expansion then lacks the elements
    /// inside these calls.
    pub fn shares_calls(&self) -> bool {
        self.shares_calls
    }

    /// Returns the intervals in which the values of an element lie, if they are not points.
    pub fn cells(&self, position: usize) -> Option<&[[f64; 2]]> {
        self.cells.get(&position).map(|cells| &**cells)
    }

    /// Returns the number of elements reached, including repetitions of a traversal.
    pub fn reached(&self) -> usize {
        self.reached
    }

    /// Returns the elements, in an order in which parents and branch results come first.
    pub fn elements(&self) -> &[ExpandedElement] {
        &self.elements
    }

    /// Returns the index of `element`; `None` if it was not reached.
    pub fn position(&self, element: &AnyElement) -> Option<usize> {
        self.positions.get(&element.id()).copied()
    }

    /// Returns the outcomes whose probabilities parameters determine, in the order of their indices in the weights.
    pub fn parametric_outcomes(&self) -> &[ParametricOutcomes] {
        &self.parametric
    }

    /// Returns the indices of the targets, in the order of the targets.
    pub fn targets(&self) -> &[usize] {
        &self.targets
    }

    /// Returns the indices of the elements that carry evidence, in the order of the evidence statements.
    pub fn evidence(&self) -> &[usize] {
        &self.evidence
    }

    /// Returns an error if a table of an element would have more entries than the limit allows.
    pub(super) fn check_table(
        &self,
        element: &ExpandedElement,
        needed: u128,
    ) -> Result<(), ModelError> {
        let limit = self.element_entries;
        if needed > u128::from(limit) {
            return Err(ModelError::TableTooLarge {
                element: element.element.label(),
                needed,
                limit,
            });
        }
        Ok(())
    }

    /// Returns the indices of the roots: the elements with evidence and the targets.
    pub(super) fn roots(&self) -> Vec<usize> {
        self.evidence.iter().chain(&self.targets).copied().collect()
    }

    /// Returns, by index, the elements needed by the roots whose functions failed for some combination of parent values.
    pub fn failures(&self) -> impl Iterator<Item = (usize, &FunctionFailures)> {
        let elements = self.elements.iter().enumerate();
        elements.filter_map(|(position, element)| Some((position, element.failures.as_deref()?)))
    }

    /// Returns the element at which the expansion ended because evidence leaves it no value, if there is such an element.
    pub fn impossible(&self) -> Option<usize> {
        self.impossible
    }
}

impl ExpandedElement {
    /// Returns an error if the element has infinitely many or continuous values.
    pub(super) fn require_finite(&self) -> Result<(), ModelError> {
        match &self.content {
            Content::NotEnumerable(endless) => Err(endless.unless_observed(self.element.label())),
            _ => Ok(()),
        }
    }
}

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

    /// True if the element has a value for every combination of its parents' values.
    pub(super) fn always_has_value(&self, elements: &[Self]) -> bool {
        self.failures.is_none() && !self.has_unknown_parents(elements)
    }

    /// True if the value of a parent may be unknown, or an interval for which the element's value or choice is unknown.
    pub(super) fn has_unknown_parents(&self, elements: &[Self]) -> bool {
        self.parents.iter().any(|&parent| elements[parent].unknown) || self.content.has_unknown()
    }
}

/// Source of the value of an expanded element.
#[derive(Debug)]
pub enum Content {
    /// An intervention sets the value.
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

    /// Marks a combination of parent values for which the value of a function, or the choice of a Chain, is unknown, because some parent
    /// values are intervals.
    pub const UNKNOWN: u32 = FactorTable::NO_VALUE - 1;

    /// Returns the value or the choice for each combination of parent values, if the content is a function or a Chain.
    fn index(&self) -> &[u32] {
        match self {
            Self::Apply(index) | Self::Chain { choice: index, .. } => index,
            _ => &[],
        }
    }

    /// True if the value or the choice is unknown for some combination of known parent values.
    pub(super) fn has_unknown(&self) -> bool {
        self.index().contains(&Self::UNKNOWN)
    }

    /// True if the value or the choice is unknown for a combination of known parent values.
    pub(super) fn is_unknown_at(&self, combination: usize) -> bool {
        self.index().get(combination) == Some(&Self::UNKNOWN)
    }
}
