//! Storage for the elements that a `Chain` returns, so that both worlds of a counterfactual get the same element for the same parent values.

use std::any::Any;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use rustc_hash::FxHashMap;

use crate::element::node::{AnyElement, ElementId, Kind};
use crate::error::Fault;
use crate::value::support::SupportBuilder;

/// Stored results of a `Chain`'s function. In the factual and in the counterfactual world, the function of a `Chain` must return the same element for
/// the same arguments.
///
/// If no counterfactual needs the stored results, a call of the `Chain`'s function costs only one additional atomic load.
#[derive(Default)]
pub struct BranchMemory {
    is_active: AtomicBool,
    /// The stored results; their memory is allocated when it is first needed, because models have many `Chain` elements.
    results: OnceLock<Box<Mutex<RememberedResults>>>,
}

#[derive(Default)]
struct RememberedResults {
    /// The registries of the counterfactuals that need the stored results.
    needed_by: Vec<Weak<BranchRegistry>>,
    /// For each argument of the function, the values that have occurred so far; their indices are the keys of `results`.
    values: Vec<SupportBuilder>,
    results: FxHashMap<Vec<usize>, AnyElement>,
}

impl BranchMemory {
    /// True while the `Chain` stores its results. A `Chain` that stores its results for a counterfactual does not share the results with other
    /// `Chain` elements that have the same function.
    pub(crate) fn is_active(&self) -> bool {
        self.is_active.load(Ordering::Acquire)
    }

    fn lock(&self) -> MutexGuard<'_, RememberedResults> {
        let results = self.results.get_or_init(Box::default);
        results.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn result(
        &self,
        arguments: &[&dyn Any],
        make: impl FnOnce() -> Result<AnyElement, Fault>,
    ) -> Result<AnyElement, Fault> {
        if !self.is_active() {
            return make();
        }
        let (key, known) = {
            let mut all = self.lock();
            let key = all.key(arguments);
            let known = all.results.get(&key).cloned();
            (key, known)
        };
        if let Some(known) = known {
            return Ok(known);
        }
        let made = make()?;
        let registries = self.lock().needed_by.clone();
        let mut is_needed = false;
        // All counterfactuals register the new element before anything within the element is evaluated, and before other threads can access it.
        for registry in registries.iter().filter_map(Weak::upgrade) {
            is_needed |= BranchRegistry::visit(&registry, &made, VisitedElements::Created);
        }
        if !is_needed {
            return Ok(made);
        }
        // Another thread may have inserted a result first; all threads must return the same element.
        Ok(self.lock().results.entry(key).or_insert(made).clone())
    }

    /// Starts storing results for the counterfactual of `registry`, and returns the results that have already been stored.
    fn activate(&self, parents: &[AnyElement], registry: &Arc<BranchRegistry>) -> Vec<AnyElement> {
        let mut all = self.lock();
        if all.needed_by.is_empty() {
            all.values = parents.iter().map(AnyElement::no_values).collect();
        }
        all.needed_by.push(Arc::downgrade(registry));
        self.is_active.store(true, Ordering::Release);
        all.results.values().cloned().collect()
    }

    /// Drops the stored results if no living counterfactual needs them.
    fn release(&self) {
        let forgotten = {
            let mut all = self.lock();
            all.needed_by.retain(|registry| registry.strong_count() > 0);
            if !all.needed_by.is_empty() {
                return;
            }
            self.is_active.store(false, Ordering::Release);
            std::mem::take(&mut *all)
        };
        drop(forgotten);
    }
}

impl fmt::Debug for BranchMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BranchMemory(active: {})", self.is_active())
    }
}

impl RememberedResults {
    fn key(&mut self, arguments: &[&dyn Any]) -> Vec<usize> {
        let values = self.values.iter_mut().zip(arguments);
        let number =
            |(values, argument): (&mut SupportBuilder, &&dyn Any)| values.insert(*argument);
        values.filter_map(number).collect()
    }
}

/// The place where a registry (the list of all elements that a counterfactual uses) found an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VisitedElements {
    /// The elements with evidence, and the targets of the query.
    Roots,
    /// An element that the function of a `Chain` returned.
    Created,
}

/// Registry of one counterfactual: all elements on which the roots of its query and the results of `Chain` elements depend. The registered `Chain`
/// elements store their results.
pub(super) struct BranchRegistry {
    /// The registered elements. The registry keeps its elements alive; therefore algorithms treat the elements as shared, and no new element has the
    /// identity of a registered element.
    seen: Mutex<FxHashMap<ElementId, AnyElement>>,
    max_elements: usize,
    /// The number of registered elements that `Chain` elements have created.
    created: AtomicUsize,
    may_reach_scores: AtomicBool,
}

impl BranchRegistry {
    pub(super) fn new(max_elements: usize) -> Arc<Self> {
        Arc::new(Self {
            seen: Mutex::default(),
            max_elements,
            created: AtomicUsize::new(0),
            may_reach_scores: AtomicBool::new(false),
        })
    }

    pub(super) fn max_elements(&self) -> usize {
        self.max_elements
    }

    /// True if the registry has visited a `Score`, or a `Chain` whose function may create a `Score`.
    pub(super) fn may_reach_scores(&self) -> bool {
        self.may_reach_scores.load(Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, FxHashMap<ElementId, AnyElement>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns an error if `Chain` elements have created more elements than the limit allows.
    pub(super) fn check(&self) -> Result<(), Fault> {
        if self.created.load(Ordering::Relaxed) > self.max_elements {
            return Err(Fault::TooManyBranches(self.max_elements));
        }
        Ok(())
    }

    /// Makes `element` and all `Chain` elements on which it depends store their results; returns `false` if `Chain` elements have created more
    /// elements than the limit allows.
    pub(super) fn visit(
        registry: &Arc<Self>,
        element: &AnyElement,
        visited: VisitedElements,
    ) -> bool {
        let mut open = vec![(element.clone(), visited)];
        while let Some((element, visited)) = open.pop() {
            if registry
                .lock()
                .insert(element.id(), element.clone())
                .is_some()
            {
                continue;
            }
            if visited == VisitedElements::Created {
                registry.created.fetch_add(1, Ordering::Relaxed);
                if registry.check().is_err() {
                    return false;
                }
            }
            match element.kind() {
                Kind::Chain(parents, op) => {
                    if let Some(memory) = op.memory() {
                        registry.may_reach_scores.store(true, Ordering::Relaxed);
                        let remembered = memory.activate(parents, registry).into_iter();
                        open.extend(remembered.map(|e| (e, VisitedElements::Created)));
                    }
                }
                Kind::Score(..) => registry.may_reach_scores.store(true, Ordering::Relaxed),
                Kind::Atomic(_) | Kind::Apply(..) | Kind::Table(..) => {}
            }
            let parents = element.parents().iter().cloned();
            open.extend(parents.map(|parent| (parent, visited)));
        }
        registry.check().is_ok()
    }
}

impl Drop for BranchRegistry {
    fn drop(&mut self) {
        let seen = std::mem::take(&mut *self.lock());
        for element in seen.values() {
            if let Kind::Chain(_, op) = element.kind()
                && let Some(memory) = op.memory()
            {
                memory.release();
            }
        }
    }
}
