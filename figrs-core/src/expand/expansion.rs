//! Expansion of a model: all elements that its roots need, with their values.

use rustc_hash::FxHashMap;

use super::content::{Content, ExpandedElement, FunctionFailures};
use super::parametric::ParametricOutcomes;
use crate::element::node::{AnyElement, ElementId};
use crate::error::ModelError;

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
    /// The depth to which the model was expanded, and `true` if some part of it was left out.
    pub(super) cut: Option<(usize, bool)>,
    /// `true` if some values of an element with infinitely many values were left out.
    pub(super) is_ranged: bool,
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
    /// True if no part of the model and no values were left out.
    pub fn is_complete(&self) -> bool {
        !self.is_cut() && !self.is_ranged
    }

    /// True if some Chains were left out because of their depth.
    pub fn is_cut(&self) -> bool {
        matches!(self.cut, Some((_, true)))
    }

    /// True if some values of an element with infinitely many values were left out.
    pub fn is_ranged(&self) -> bool {
        self.is_ranged
    }

    /// True if some elements are calls of recursive functions that were not unfolded; the expansion then lacks the elements
    /// inside these calls.
    pub fn shares_calls(&self) -> bool {
        self.shares_calls
    }

    /// Returns the number of elements reached, including repetitions of a traversal.
    pub fn reached(&self) -> usize {
        self.reached
    }

    /// Returns the elements, in an order in which parents and branch results come first.
    pub fn elements(&self) -> &[ExpandedElement] {
        &self.elements
    }

    /// Returns the index of an element, if the element was reached.
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
