//! The elements of the counterfactual world.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use super::branch_memory::{BranchRegistry, VisitedElements};
use super::twin_ops::{FixedValue, TwinChain, TwinRow};
use crate::element::node::{AnyElement, ElementId, Kind};
use crate::error::Fault;
use crate::model::Model;
use crate::value::datum::Datum;

/// The counterfactual world: maps each element of the factual world to its twin, which is created when it is first needed.
pub(super) struct TwinWorld {
    /// The elements that are set in the counterfactual world, with their counterfactual values.
    set: Vec<(AnyElement, Datum)>,
    registry: Arc<BranchRegistry>,
    /// The twin of each element of the factual world; the element is stored too, so that no new element gets its identity.
    twins: Mutex<FxHashMap<ElementId, (AnyElement, AnyElement)>>,
    /// Elements that have their factual value also in the counterfactual world, even if their parents have other values in that world.
    factual: Mutex<Vec<AnyElement>>,
}

impl TwinWorld {
    pub(super) const MAX_ELEMENTS: usize = 1 << 20;

    pub(super) fn new(
        model: &Model,
        set: Vec<(AnyElement, Datum)>,
        max_elements: usize,
    ) -> Arc<Self> {
        let mut twins = FxHashMap::default();
        // An intervention removes the dependence of an element on its parents in both worlds.
        for (element, _) in model.interventions() {
            twins.insert(element.id(), (element.clone(), element.clone()));
        }
        for (element, value) in &set {
            let twin = FixedValue::element(element, value.clone());
            twins.insert(element.id(), (element.clone(), twin));
        }
        Arc::new(Self {
            set,
            registry: BranchRegistry::new(max_elements),
            twins: Mutex::new(twins),
            factual: Mutex::default(),
        })
    }

    pub(super) fn set(&self) -> Vec<(AnyElement, Datum)> {
        self.set.clone()
    }

    pub(super) fn max_elements(&self) -> usize {
        self.registry.max_elements()
    }

    pub(super) fn may_reach_scores(&self) -> bool {
        self.registry.may_reach_scores()
    }

    /// Makes all `Chain` elements on which `root` depends store their results, before any of these `Chain` elements is called.
    pub(super) fn visit(&self, root: &AnyElement) {
        BranchRegistry::visit(&self.registry, root, VisitedElements::Roots);
    }

    pub(super) fn check(&self) -> Result<(), Fault> {
        self.registry.check()
    }

    fn twins(&self) -> MutexGuard<'_, FxHashMap<ElementId, (AnyElement, AnyElement)>> {
        self.twins.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes `element` its own twin, so that it has its factual value also in the counterfactual world.
    pub(super) fn keep_factual(&self, element: &AnyElement) {
        let kept = (element.clone(), element.clone());
        self.twins().insert(element.id(), kept);
        let mut factual = self.factual.lock().unwrap_or_else(PoisonError::into_inner);
        factual.push(element.clone());
    }

    pub(super) fn keep_factual_of(&self, other: &Self) {
        let kept = other
            .factual
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        for element in &kept {
            self.keep_factual(element);
        }
    }

    /// Returns the twin of `root`. If all elements on which `root` depends are equal in both worlds, the twin is `root` itself.
    pub(super) fn twin(world: &Arc<Self>, root: &AnyElement) -> Result<AnyElement, Fault> {
        let mut twins = world.twins();
        let mut open = vec![root.clone()];
        while let Some(element) = open.last().cloned() {
            if twins.contains_key(&element.id()) {
                open.pop();
                continue;
            }
            let waiting = open.len();
            for parent in element.parents() {
                if !twins.contains_key(&parent.id()) {
                    open.push(parent.clone());
                }
            }
            if open.len() > waiting {
                continue;
            }
            let parents = element.parents().iter();
            let parents: Vec<AnyElement> = parents.map(|p| twins[&p.id()].1.clone()).collect();
            let twin = Self::made(world, &element, parents)?;
            twins.insert(element.id(), (element, twin));
            open.pop();
        }
        Ok(twins[&root.id()].1.clone())
    }

    /// Returns the twin of `element`, given the twins of its parents.
    fn made(
        world: &Arc<Self>,
        element: &AnyElement,
        parents: Vec<AnyElement>,
    ) -> Result<AnyElement, Fault> {
        let pairs = element.parents().iter().zip(&parents);
        let is_same = pairs
            .into_iter()
            .all(|(parent, twin)| parent.id() == twin.id());
        let kind = match element.kind() {
            Kind::Atomic(_) => return Ok(element.clone()),
            // The twin of a `Score` is the twin of its parent, without a weight, because evidence holds only in the factual world.
            Kind::Score(..) => return Ok(parents[0].clone()),
            // The elements that a function has captured may differ between the two worlds even if the arguments of the function are equal.
            Kind::Chain(_, op) if op.family().is_none() => {
                let op = TwinChain::new(element, Arc::downgrade(world))?;
                Kind::Chain(parents.into(), Box::new(op))
            }
            _ if is_same => return Ok(element.clone()),
            Kind::Apply(_, op) => Kind::Apply(parents.into(), op.clone()),
            Kind::Chain(..) | Kind::Table(..) => {
                let own = element.parents().iter().cloned();
                let all = own.chain(parents).chain([element.clone()]);
                Kind::Chain(all.collect(), Box::new(TwinRow(element.clone())))
            }
        };
        let twin = element.with_kind(kind);
        if let Some(name) = element.label().name {
            twin.set_name(format!("{name} (had)"));
        }
        Ok(twin)
    }
}
