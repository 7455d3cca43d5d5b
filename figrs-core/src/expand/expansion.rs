//! Expansion of a model: all elements that its roots need, with their values.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::content::{Content, ExpandedElement, FunctionFailures};
use super::expander::Cell;
use super::parametric::ParametricOutcomes;
use crate::element::node::{AnyElement, ElementId};
use crate::error::ModelError;
use figrs_factor::graph::Weights;

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
