//! Expansion of a model: all elements that its roots (targets and elements with evidence) need, with their possible values, conditional tables and
//! weights.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::element::footprint::{ALLOCATION, Footprint};
use crate::element::node::{AnyElement, ElementId};
use crate::element::operations::NotEnumerable;
use crate::error::ModelError;
use crate::limits::check_bytes;
use crate::value::support::Support;
use figrs_factor::graph::{FactorTable, Weights};
use figrs_factor::{Limits, MemoryAccount};

/// Completeness of the lists of the elements' possible values in an expanded model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Listing {
    #[default]
    Complete,
    /// Some possible values of elements are omitted, or are represented by intervals.
    Ranged,
    /// In addition to the omission of values, a function of an interval, or evidence on an interval, was evaluated only at some points of the
    /// interval, and is not known to be monotone.
    OfMonotone,
}

impl Listing {
    pub(super) fn raise(&mut self, other: Self, holds: bool) {
        if holds {
            *self = other.max(*self);
        }
    }
}

/// The elements on which the roots of a model (targets and elements with evidence) depend, with lists of their possible values.
///
/// In an expansion, each element comes after its parents and, for a `Chain`, after the elements that it can choose.
#[derive(Debug)]
pub struct Expansion {
    pub(super) elements: Vec<ExpandedElement>,
    pub(super) positions: FxHashMap<ElementId, usize>,
    pub(super) targets: Vec<usize>,
    pub(super) evidence: Vec<usize>,
    pub(super) impossible: Option<usize>,
    /// The depth limit to which the model was expanded, and `true` if some part of the model was omitted.
    pub(super) cut: Option<(usize, bool)>,
    /// For each element with intervals among its values, the cells (intervals or single numbers) of all its values.
    pub(super) cells: FxHashMap<usize, Arc<[Cell]>>,
    /// For each element with intervals among its values, upper bounds of the weights of those values for which the effect of the evidence is
    /// undecided.
    pub(super) upper_weights: FxHashMap<usize, Weights>,
    pub(super) listing: Listing,
    /// Maximum number of entries in the conditional table of one element.
    pub(super) element_entries: u64,
    pub(super) reached: usize,
    pub(super) parametric: Vec<ParametricOutcomes>,
    /// `true` if an algorithm counts the outcomes of random elements; a world that does not evaluate an element must then have no outcome of it.
    pub(super) counts_outcomes: bool,
    /// `true` if some recursive calls are represented by elements with known distributions.
    pub(super) shares_calls: bool,
}

impl Expansion {
    /// True if the expansion omits no part of the model and no values.
    pub fn is_complete(&self) -> bool {
        !self.is_cut() && !self.is_ranged()
    }

    /// True if the expansion omits some `Chain` elements because of their nesting depth.
    pub fn is_cut(&self) -> bool {
        matches!(self.cut, Some((_, true)))
    }

    /// True if some values of an element with infinitely many values were omitted or are represented by intervals.
    pub fn is_ranged(&self) -> bool {
        self.listing > Listing::Complete
    }

    /// True if the weights of the expanded model are correct only under the assumption that some functions of intervals are monotone.
    #[doc(hidden)]
    pub fn assumes_monotone(&self) -> bool {
        self.listing == Listing::OfMonotone
    }

    /// True if some recursive calls were replaced by their distributions; the elements inside these calls are then not in the list of elements.
    pub fn shares_calls(&self) -> bool {
        self.shares_calls
    }

    /// Returns the cells (intervals or single numbers) of the values of an element, if some values are intervals.
    pub fn cells(&self, position: usize) -> Option<&[Cell]> {
        self.cells.get(&position).map(|cells| &**cells)
    }

    /// Returns the number of elements that the traversals of the model reached; an element counts several times if several traversals reach it.
    pub fn reached(&self) -> usize {
        self.reached
    }

    /// Returns the elements of the expanded model; each element comes after its parents and, for a `Chain`, after the elements that it can choose.
    pub fn elements(&self) -> &[ExpandedElement] {
        &self.elements
    }

    /// Returns the index of `element`; `None` if the expanded model does not contain it.
    pub fn position(&self, element: &AnyElement) -> Option<usize> {
        self.positions.get(&element.id()).copied()
    }

    /// Returns the outcomes whose probabilities depend on `Param`s, in the order of the indices by which weights refer to them.
    pub fn parametric_outcomes(&self) -> &[ParametricOutcomes] {
        &self.parametric
    }

    /// Returns the indices of the targets in the list of elements, in the order of the targets.
    pub fn targets(&self) -> &[usize] {
        &self.targets
    }

    /// Returns the indices of the elements with evidence, in the order of the evidence in the model.
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

    /// Returns the indices of the elements whose functions failed for some combination of parent values.
    pub fn failures(&self) -> impl Iterator<Item = (usize, &FunctionFailures)> {
        let elements = self.elements.iter().enumerate();
        elements.filter_map(|(position, element)| Some((position, element.failures.as_deref()?)))
    }

    /// Returns the element whose values are all excluded by the evidence, if there is one; the expansion of the model ends at this element.
    pub fn impossible(&self) -> Option<usize> {
        self.impossible
    }
}

impl ExpandedElement {
    /// Returns an error if the possible values of the element could not be listed.
    pub(super) fn require_finite(&self) -> Result<(), ModelError> {
        match &self.content {
            Content::NotEnumerable(endless) => Err(endless.unless_observed(self.element.label())),
            _ => Ok(()),
        }
    }
}

/// One element of an [`Expansion`](super::Expansion), with its possible values.
#[derive(Debug)]
pub struct ExpandedElement {
    /// The element of the model.
    pub element: AnyElement,
    /// The indices of the element's parents in the list of all elements.
    pub parents: Vec<usize>,
    /// The values that the element can take, without the values that evidence excludes.
    pub support: Support,
    /// `true` if the element may also have the value `unknown`, because it depends on parts of the model that were not expanded.
    pub unknown: bool,
    /// An upper bound of the natural logarithm of the weight that evidence gives the element if its value is `unknown`; infinite if no bound is
    /// known.
    pub max_log_weight: f64,
    /// Number of `Chain` elements inside which the element is nested.
    pub depth: usize,
    /// The way in which the value of the element is determined.
    pub content: Content,
    /// The weight that soft evidence gives to each value of the element.
    pub weights: Option<Weights>,
    /// `true` if evidence excluded values that the element could otherwise take.
    pub restricted: bool,
    /// The index of the element in [`parametric_outcomes`](super::Expansion::parametric_outcomes), if the probabilities of its outcomes depend on
    /// `Param`s.
    pub parametric: Option<usize>,
    /// The combinations of parent values for which the element's function failed; `None` if it never failed.
    pub failures: Option<Box<FunctionFailures>>,
    /// For each combination of values of all parents but the last one, `true` if the function of the element does not read the last parent. The list
    /// is empty if the function of the element always reads all parents.
    pub(super) skips_last: Vec<bool>,
}

/// The combinations of parent values for which the function of an element failed, so that the element has no value.
///
/// An expansion of a model calls the function of an element for all combinations of the values that its parents can take. Some combinations of
/// parent values may occur in no world, because the parents may depend on each other. A failure of a function is therefore an error only if the
/// failing combination occurs in a world of positive probability.
#[derive(Clone, Debug)]
pub struct FunctionFailures {
    /// The error for the first combination of parent values for which the function failed.
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
        (own + weights + content + failures + self.skips_last.len()) as u64
    }

    /// Returns the number of values of the element's variable in a factor graph, including the value `unknown` but not the value `absent`.
    pub(super) fn states(&self) -> usize {
        self.support.len() + usize::from(self.unknown)
    }

    /// Returns the parents of the element that are evaluated in every world that evaluates the element.
    pub(crate) fn read_parents(&self) -> &[usize] {
        &self.parents[..self.parents.len() - usize::from(!self.skips_last.is_empty())]
    }

    /// True if the element has a known value for every combination of its parents' possible values.
    pub(super) fn always_has_value(&self, elements: &[Self]) -> bool {
        self.failures.is_none() && !self.has_unknown_parents(elements)
    }

    /// True if the element's value, or the choice of the `Chain`, may be unknown because the value of a parent is unknown or is an interval.
    pub(super) fn has_unknown_parents(&self, elements: &[Self]) -> bool {
        self.parents.iter().any(|&parent| elements[parent].unknown) || self.content.has_unknown()
    }
}

/// The way in which the value of an element in an expanded model is determined.
#[derive(Debug)]
pub enum Content {
    /// An intervention sets the value of the element.
    Fixed,
    /// The value of the element is random; the list contains the probabilities of the values in the support. If the value of the element may be
    /// unknown, the last probability in the list is that of the value `unknown`.
    Atomic(Weights),
    /// The value of the element is random, and its support is not a finite list. An element without a finite support is allowed only if an observed
    /// `Chain` chooses it.
    NotEnumerable(NotEnumerable),
    /// The value of the element is a function of the parents. For each combination of parent values, the list contains the index of the function's
    /// value in the support, or [`NO_VALUE`](crate::factor::FactorTable::NO_VALUE) if evidence excludes the value.
    Apply(Vec<u32>),
    /// The value of the element is that of another element, which the `Chain` chooses for the parent values.
    Chain {
        /// For each combination of parent values, the index in `results` of the element that the `Chain` chooses; [`Content::NO_CHOICE`] if the
        /// function failed.
        choice: Vec<u32>,
        /// The distinct elements that the `Chain` can choose, given by their indices in the list of all elements.
        results: Vec<usize>,
    },
    /// The value is random. For each combination of parent values, the list contains the probabilities of the values in the support.
    Table(Weights),
    /// The element is a `Score`: its value is its parent's value. The list contains the weight that the `Score` gives to each value.
    Score(Weights),
    /// The element is a `Chain` that was not expanded because it is nested too deeply; its value is `unknown`.
    Unexplored,
}

impl Content {
    /// The list entry for a combination of parent values for which the function of a `Chain` failed, or returned an element without a value.
    pub const NO_CHOICE: u32 = FactorTable::NO_VALUE;

    /// The list entry for a combination of parent values, some of them intervals, for which the value of a function or the choice of a `Chain` is
    /// unknown.
    pub const UNKNOWN: u32 = FactorTable::NO_VALUE - 1;

    /// Returns the function's value or the `Chain`'s choice for each combination of parent values, if the element is a function or a `Chain`.
    fn index(&self) -> &[u32] {
        match self {
            Self::Apply(index) | Self::Chain { choice: index, .. } => index,
            _ => &[],
        }
    }

    /// True if the function's value or the `Chain`'s choice is unknown for some combination of the parents' possible values.
    pub(super) fn has_unknown(&self) -> bool {
        self.index().contains(&Self::UNKNOWN)
    }

    /// True if the function's value or the `Chain`'s choice is unknown for the combination of parent values with the index `combination`.
    pub(super) fn is_unknown_at(&self, combination: usize) -> bool {
        self.index().get(combination) == Some(&Self::UNKNOWN)
    }
}

pub(super) fn bytes_of<T>(count: usize) -> u64 {
    (count * size_of::<T>()) as u64
}

/// The memory that the expansion of a model takes, including the elements that the model's functions created.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExpansionMemory {
    /// The memory of the thread's elements before the model was expanded.
    before: Footprint,
    pub(super) account: MemoryAccount,
}

impl ExpansionMemory {
    /// Starts a measurement of the memory of elements that are created from now on, or since an earlier reading `before` of the memory footprint.
    pub(super) fn new(before: Option<Footprint>) -> Self {
        Self {
            before: before.unwrap_or_else(Footprint::now),
            account: MemoryAccount::default(),
        }
    }

    pub(super) fn check(
        &self,
        limits: &Limits,
        element: &AnyElement,
        more: u64,
    ) -> Result<(), ModelError> {
        let held = self.account.held() + more;
        check_bytes(
            limits,
            element,
            self.before.bytes_since().saturating_add(held),
        )
    }
}

/// An interval of real numbers, or a single number.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    /// The ends of the interval; for a single number, both ends are this number.
    pub ends: [f64; 2],
    /// If the interval lies in one bin of a discretised element, the value of that bin. If the cell is a single number, the value of its bin is this
    /// number.
    pub bin: Option<f64>,
}

impl Cell {
    pub(super) fn of_number(x: f64) -> Self {
        Self {
            ends: [x, x],
            bin: Some(x),
        }
    }

    pub(super) fn between(lower: f64, upper: f64) -> Self {
        if lower == upper {
            return Self::of_number(lower);
        }
        let (ends, bin) = ([lower, upper], None);
        Self { ends, bin }
    }

    pub(super) fn is_interval(&self) -> bool {
        self.ends[0] < self.ends[1]
    }
}

/// The outcomes of one random element, whose probabilities depend on `Param`s.
#[derive(Clone, Debug)]
pub struct ParametricOutcomes {
    /// The element without parents whose distribution contains the `Param`s: the random element itself, or the member of a family that replaces the
    /// random element.
    pub member: AnyElement,
    /// The index of the random element in the expansion.
    pub position: usize,
    /// The index of the element's first outcome in the list of all outcomes that depend on `Param`s. The further outcomes of the element have the
    /// consecutive indices after the index of its first outcome.
    pub first: u32,
    /// The outcomes of the random element; the list is empty if the observed value is the only outcome.
    pub support: Support,
}

impl ParametricOutcomes {
    /// Returns the number of outcomes of the element that depend on `Param`s: the number of listed outcomes, or one for the observed value.
    pub fn origins(&self) -> usize {
        self.support.len().max(1)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::element::{Constant, Element, Uniform};
    use crate::expand::ExpansionCache;
    use crate::model::Model;

    /// Returns an infinite recursive model for a test; each call creates two wide distributions and two `Chain` elements on them.
    fn wide(calls: &Arc<AtomicUsize>) -> Element<u64> {
        let counted = calls.clone();
        Uniform::new(0..1000_u64).flat_map(move |&a| {
            counted.fetch_add(1, Ordering::Relaxed);
            let (x, y) = (wide(&counted), wide(&counted));
            crate::Parents::map(&(&x, &y), move |(p, q)| p ^ q ^ a)
        })
    }

    fn expand(element: &Element<u64>, limits: &Limits) -> ModelError {
        let targets = [element.erased().clone()];
        let before = Footprint::now();
        let whole = Expansion::new(&Model::new(), &targets, limits).unwrap_err();
        let mut memory = ExpansionCache::default();
        let depth = Expansion::to_depth(&Model::new(), &targets, limits, 5, &mut memory);
        let kind = std::mem::discriminant(&whole);
        assert_eq!(std::mem::discriminant(&depth.unwrap_err()), kind);
        drop(memory);
        assert_eq!(before.since().nodes, 0);
        whole
    }

    #[test]
    fn branches_count_before_the_next_is_made() {
        for elements in [100, 2000] {
            let calls = Arc::default();
            let limits = Limits::default().elements(elements);
            let error = expand(&wide(&calls), &limits);
            assert!(
                matches!(error, ModelError::TooManyElements { limit, .. } if limit == elements)
            );
            // The model is expanded twice, and debug builds call each function twice to compare the results.
            let calls = calls.load(Ordering::Relaxed);
            assert!(
                calls <= 4 * (elements + 1),
                "{calls} branches for {elements}"
            );
        }
    }

    #[test]
    fn elements_that_branches_hold_count_in_bytes() {
        let calls = Arc::default();
        let limits = Limits::default().expansion_memory(8 << 20);
        let ModelError::TooMuchMemory { needed, limit, .. } = expand(&wide(&calls), &limits) else {
            panic!("another error");
        };
        assert_eq!(limit, 8 << 20);
        // The limit is exceeded by no more than the last branch.
        assert!(needed > limit && needed < limit + (1 << 18), "{needed}");
    }

    #[test]
    fn values_and_tables_count_in_bytes() {
        let bytes = 1 << 20;
        let limits = Limits::default().expansion_memory(bytes);
        let expand = |element: &AnyElement| {
            let targets = [element.clone()];
            Expansion::new(&Model::new(), &targets, &limits).map(|_| ())
        };
        let (a, b) = (Uniform::new(0..600_u32), Uniform::new(0..600_u32));
        let long = a.map(|&n| vec![n; 1000]);
        let pairs = crate::Parents::map(&(&a, &b), |(a, b)| a * b % 2);
        let many = a.flat_map(|&n| Constant::new("x".repeat(4000 + n as usize)));
        for element in [long.erased(), pairs.erased(), many.erased()] {
            let error = expand(element);
            let is_memory = matches!(error, Err(ModelError::TooMuchMemory { needed, .. }) if needed < 3 * bytes);
            assert!(is_memory, "{error:?}");
        }
        let kept = a.map(|&n| n / 2);
        assert_eq!(expand(kept.erased()), Ok(()));
    }
}
