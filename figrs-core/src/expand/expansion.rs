//! Expansion of a model: all elements that its roots need, with their supports, tables and weights.

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

/// The completeness of the lists of values in an expansion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Listing {
    #[default]
    Complete,
    /// Some values are omitted, or are represented by intervals.
    Ranged,
    /// In addition, a function of an interval, or evidence on it, was evaluated at some points only, and is not known to be monotone.
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

    /// True if some `Chain` elements were omitted because of their depth.
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
    pub fn cells(&self, position: usize) -> Option<&[Cell]> {
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
    /// Number of `Chain` elements in which the element is nested.
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
    /// For each combination of values of all parents but the last one, `true` if the element does not read its last parent. The list is empty if the
    /// element always reads all its parents.
    pub(super) skips_last: Vec<bool>,
}

/// The combinations of parent values for which the function of an element failed, so that the element has no value.
///
/// An expansion calls a function for all combinations of the values that its parents can take. Some of the combinations of values may occur in no
/// world, because the parents may depend on each other. Therefore a failure of a function is an error only if it occurs in a world of positive
/// probability.
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
        (own + weights + content + failures + self.skips_last.len()) as u64
    }

    /// Returns the number of values of the element in a factor graph, including the value `unknown` but not the value `absent`.
    pub(super) fn states(&self) -> usize {
        self.support.len() + usize::from(self.unknown)
    }

    /// Returns the parents that every world with this element evaluates.
    pub(crate) fn read_parents(&self) -> &[usize] {
        &self.parents[..self.parents.len() - usize::from(!self.skips_last.is_empty())]
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
    /// The value is random, without a finite support. Only an observed `Chain` may choose this element.
    NotEnumerable(NotEnumerable),
    /// The value is a function of the parents. For each combination of parent values, the list has the index of the value in the support, or
    /// [`NO_VALUE`](crate::factor::FactorTable::NO_VALUE) if evidence excludes the value.
    Apply(Vec<u32>),
    /// The value is that of the element that the `Chain` chooses for the parent values.
    Chain {
        /// For each combination of parent values, the index of the chosen element in `results`; [`Content::NO_CHOICE`] if the function failed.
        choice: Vec<u32>,
        /// The distinct elements that the `Chain` can choose, by their indices in the expansion.
        results: Vec<usize>,
    },
    /// The value is random. For each combination of parent values, the list has the probabilities of the values in the support.
    Table(Weights),
    /// The element is a `Score`: its value is its parent's value. The list has the weight of each value.
    Score(Weights),
    /// The element is a `Chain` that was not expanded; its value is `unknown`.
    Unexplored,
}

impl Content {
    /// The entry of a combination of parent values for which the function of a `Chain` failed, or returned an element without a value.
    pub const NO_CHOICE: u32 = FactorTable::NO_VALUE;

    /// The entry of a combination of parent values for which the value of a function, or the choice of a `Chain`, is unknown, because some parent
    /// values are intervals.
    pub const UNKNOWN: u32 = FactorTable::NO_VALUE - 1;

    /// Returns the value or the choice for each combination of parent values, if the content is a function or a `Chain`.
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

pub(super) fn bytes_of<T>(count: usize) -> u64 {
    (count * size_of::<T>()) as u64
}

/// Memory of an expansion, and of the elements that were created during the expansion.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExpansionMemory {
    /// The memory footprint of the thread before the expansion.
    before: Footprint,
    pub(super) account: MemoryAccount,
}

impl ExpansionMemory {
    /// Creates an account that counts the elements that are created from now on, or since an earlier reading of the memory footprint.
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
    /// The ends of the interval; both ends of a single number are the number.
    pub ends: [f64; 2],
    /// The value of the bin in which the interval lies, if a discretised element has this bin. A single number is its own bin.
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

/// The outcomes of a random element whose probabilities depend on parameters.
#[derive(Clone, Debug)]
pub struct ParametricOutcomes {
    /// The atomic element whose distribution has the parameters: the random element, or the member of a family that replaces the random element.
    pub member: AnyElement,
    /// The index of the element in its expansion.
    pub position: usize,
    /// The index of the element's first outcome in the list of all parametric outcomes. The later outcomes of the element have the indices that
    /// follow.
    pub first: u32,
    /// The outcomes of the element; an empty list if only the observed value is an outcome.
    pub support: Support,
}

impl ParametricOutcomes {
    /// Returns the number of parametric outcomes of the element: the number of listed outcomes, or one for the observed value.
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

    /// Returns an infinite recursive model; each call creates two wide distributions and two `Chain` elements on them.
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
