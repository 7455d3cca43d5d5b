//! Expansion of a model: the elements on which its roots depend, with their possible values.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::content::{Content, ExpandedElement, FunctionFailures};
use super::expander::Cell;
use super::parametric::ParametricOutcomes;
use crate::element::node::{AnyElement, ElementId};
use crate::error::ModelError;
use figrs_factor::graph::Weights;

/// The completeness of the lists of values in an expansion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Listing {
    #[default]
    Complete,
    /// Some values are omitted, or are represented by intervals.
    Ranged,
    /// In addition, a function of an interval was evaluated only at some points of the interval, and is not known to be monotone.
    OfMonotone,
}

impl Listing {
    pub(super) fn raise(&mut self, other: Self, holds: bool) {
        if holds {
            *self = other.max(*self);
        }
    }
}

/// The elements on which the roots of a model (targets and elements with evidence) depend, with indices for their values.
///
/// In an expansion, each element comes after its parents and after the results of its branches.
#[derive(Debug)]
pub struct Expansion {
    pub(super) elements: Vec<ExpandedElement>,
    pub(super) positions: FxHashMap<ElementId, usize>,
    pub(super) targets: Vec<usize>,
    pub(super) evidence: Vec<usize>,
    pub(super) impossible: Option<usize>,
    /// The depth limit of the expansion, and `true` if some part of the model was omitted.
    pub(super) cut: Option<(usize, bool)>,
    /// For each element with intervals among its values, the cells of all its values.
    pub(super) cells: FxHashMap<usize, Arc<[Cell]>>,
    /// For each element with intervals for which the evidence is undecided, upper bounds of the weights of its values.
    pub(super) upper_weights: FxHashMap<usize, Weights>,
    pub(super) listing: Listing,
    /// Maximum number of entries in the conditional table of one element.
    pub(super) element_entries: u64,
    pub(super) reached: usize,
    pub(super) parametric: Vec<ParametricOutcomes>,
    /// `true` if an algorithm counts the outcomes of random elements; a world must then have no outcome of an element that it does not evaluate.
    pub(super) counts_outcomes: bool,
    /// `true` if the expansion represents some recursive calls by atomic elements.
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

    /// True if some values of an element with infinitely many values were omitted or are represented by intervals.
    pub fn is_ranged(&self) -> bool {
        self.listing > Listing::Complete
    }

    /// True if the weights of the expansion are correct only if some functions of intervals are monotone.
    #[doc(hidden)]
    pub fn assumes_monotone(&self) -> bool {
        self.listing == Listing::OfMonotone
    }

    /// True if some recursive calls were not unfolded; the expansion then lacks the elements inside these calls.
    pub fn shares_calls(&self) -> bool {
        self.shares_calls
    }

    /// Returns the cells of the values of an element, if some values are intervals.
    pub fn cells(&self, position: usize) -> Option<&[[f64; 2]]> {
        self.cells.get(&position).map(|cells| &**cells)
    }

    /// Returns the number of elements that the traversals of the model reached; an element counts once in each traversal.
    pub fn reached(&self) -> usize {
        self.reached
    }

    /// Returns the elements; each element comes after its parents and after the results of its branches.
    pub fn elements(&self) -> &[ExpandedElement] {
        &self.elements
    }

    /// Returns the index of `element`; `None` if the expansion does not contain it.
    pub fn position(&self, element: &AnyElement) -> Option<usize> {
        self.positions.get(&element.id()).copied()
    }

    /// Returns the outcomes whose probabilities depend on parameters, in the order of their indices in the weights.
    pub fn parametric_outcomes(&self) -> &[ParametricOutcomes] {
        &self.parametric
    }

    /// Returns the indices of the targets, in the order of the targets.
    pub fn targets(&self) -> &[usize] {
        &self.targets
    }

    /// Returns the indices of the elements with evidence, in the order of the statements.
    pub fn evidence(&self) -> &[usize] {
        &self.evidence
    }

    /// Returns an error if the conditional table of an element would have more entries than the limit allows.
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

    pub(super) fn roots(&self) -> Vec<usize> {
        self.evidence.iter().chain(&self.targets).copied().collect()
    }

    /// Returns the elements that the roots need and whose functions failed for some combination of parent values, by index.
    pub fn failures(&self) -> impl Iterator<Item = (usize, &FunctionFailures)> {
        let elements = self.elements.iter().enumerate();
        elements.filter_map(|(position, element)| Some((position, element.failures.as_deref()?)))
    }

    /// Returns the element at which the expansion ended because the evidence excludes all its values, if there is such an element.
    pub fn impossible(&self) -> Option<usize> {
        self.impossible
    }
}

impl ExpandedElement {
    /// Returns an error if the values of the element could not be listed.
    pub(super) fn require_finite(&self) -> Result<(), ModelError> {
        match &self.content {
            Content::NotEnumerable(endless) => Err(endless.unless_observed(self.element.label())),
            _ => Ok(()),
        }
    }
}
