//! Cache shared by expansions (lists of the possible values of a model's elements) of one model to different depths.

use std::any::Any;

use rustc_hash::FxHashMap;

use super::calls::CallSolutions;
use crate::element::footprint::{ALLOCATION, Footprint};
use crate::element::node::{AnyElement, ElementId};
use crate::element::operations::ChainOp;
use crate::error::Fault;
use crate::value::support::SupportBuilder;

/// The elements that the functions of `Chain`s returned, and the nesting depths of elements, for several expansions of one model.
///
/// The function of a `Chain` is called only once for each combination of parent values, even if the model is expanded several times. The cache also
/// stores, for each element, the least nesting depth at which an expansion of the model has reached it.
#[derive(Debug)]
pub struct ExpansionCache {
    /// The cached data of each element of the model. The cache stores the element itself, so that no new element can get its address, which is its
    /// identity.
    elements: FxHashMap<ElementId, (AnyElement, CachedElement)>,
    /// The number of cached calls of the functions of `Chain`s, and the total number of their arguments.
    calls: (usize, usize),
    /// The memory of all elements of the current thread before the first expansion of the model.
    before: Footprint,
    pub(super) solutions: CallSolutions,
}

impl Default for ExpansionCache {
    fn default() -> Self {
        Self {
            elements: FxHashMap::default(),
            calls: (0, 0),
            before: Footprint::now(),
            solutions: CallSolutions::default(),
        }
    }
}

#[derive(Debug)]
struct CachedElement {
    depth: usize,
    calls: Option<Box<MemoisedCalls>>,
}

/// The cached results of the function of a `Chain`; each result has as its key the list of the indices of its arguments in `arguments`.
#[derive(Debug)]
struct MemoisedCalls {
    arguments: Vec<SupportBuilder>,
    results: FxHashMap<Box<[u32]>, Result<AnyElement, Fault>>,
}

impl ExpansionCache {
    /// Removes the stored solutions (distributions) of recursive calls. If a new expansion lists more values of infinite supports, the solutions of
    /// recursive calls must be computed again.
    pub fn forget_calls(&mut self) {
        self.solutions = CallSolutions::default();
    }

    /// Returns the approximate size of the cache in bytes, without the size of the cached elements.
    pub(super) fn bytes(&self) -> u64 {
        const ELEMENT: usize = 2 * size_of::<(ElementId, (AnyElement, CachedElement))>();
        const CALL: usize = 2 * size_of::<(Box<[u32]>, Result<AnyElement, Fault>)>() + ALLOCATION;
        let (calls, positions) = self.calls;
        (self.elements.len() * ELEMENT + calls * CALL + positions * size_of::<u32>()) as u64
    }

    pub(super) fn initial_footprint(&self) -> Footprint {
        self.before
    }

    /// Returns the smallest nesting depth at which expansions have reached `element`, including the present depth `depth`; the second result is
    /// `true` if `depth` is a new minimum.
    pub(super) fn depth(&mut self, element: &AnyElement, depth: usize) -> (usize, bool) {
        let remembered = cached_entry(&mut self.elements, element, depth);
        let known = remembered.depth;
        remembered.depth = known.min(depth);
        (remembered.depth, depth < known)
    }

    /// Returns the element that the function of `chain` returns for `arguments`, from the cache if possible.
    pub(super) fn call(
        &mut self,
        chain: &AnyElement,
        op: &dyn ChainOp,
        arguments: &[&dyn Any],
    ) -> Result<AnyElement, Fault> {
        let remembered = cached_entry(&mut self.elements, chain, usize::MAX);
        let calls = remembered.calls.get_or_insert_with(|| {
            Box::new(MemoisedCalls {
                arguments: chain.parents().iter().map(AnyElement::no_values).collect(),
                results: FxHashMap::default(),
            })
        });
        let positions = calls.arguments.iter_mut().zip(arguments);
        let positions = positions.filter_map(|(known, &value)| known.insert(value));
        let key: Box<[u32]> = positions.map(|position| position as u32).collect();
        let count = &mut self.calls;
        let result = calls.results.entry(key);
        let made = || {
            *count = (count.0 + 1, count.1 + arguments.len());
            op.call(arguments)
        };
        result.or_insert_with(made).clone()
    }
}

fn cached_entry<'m>(
    elements: &'m mut FxHashMap<ElementId, (AnyElement, CachedElement)>,
    element: &AnyElement,
    depth: usize,
) -> &'m mut CachedElement {
    let entry = elements.entry(element.id());
    let (_, remembered) = entry.or_insert_with(|| {
        let calls = None;
        (element.clone(), CachedElement { depth, calls })
    });
    remembered
}
