//! Index of the statements of a model, by element.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::element::node::{AnyElement, ElementId};
use crate::model::Model;
use crate::model::evidence::Evidence;
use crate::value::datum::Datum;

/// The evidence, the interventions and the policies of a model, indexed by element. The index is valid only for elements of the indexed
/// model, and while the model is alive.
#[derive(Debug, Default)]
pub struct StatementIndex {
    evidence: FxHashMap<ElementId, Arc<[Evidence]>>,
    /// For each element with an intervention, the element and the value that the intervention sets; the stored element prevents another element from
    /// getting the same identity.
    interventions: FxHashMap<ElementId, (AnyElement, Datum)>,
    /// For each decision that follows a policy, the decision and the element from which it takes its value.
    policies: FxHashMap<ElementId, (AnyElement, AnyElement)>,
}

impl StatementIndex {
    /// Creates the index of the statements of `model`.
    pub fn of(model: &Model) -> Self {
        let mut statements = FxHashMap::<ElementId, Vec<Evidence>>::default();
        for (element, statement) in model.evidence() {
            let all = statements.entry(element.id()).or_default();
            all.push(statement.clone());
        }
        let evidence = statements.into_iter().map(|(id, all)| (id, all.into()));
        let interventions = model.interventions().iter();
        let interventions: FxHashMap<_, _> = interventions
            .map(|(element, value)| (element.id(), (element.clone(), value.clone())))
            .collect();
        let policies = model.policies().iter();
        let open = policies.filter(|(decision, _)| !interventions.contains_key(&decision.id()));
        Self {
            evidence: evidence.collect(),
            policies: open.map(|pair| (pair.0.id(), pair.clone())).collect(),
            interventions,
        }
    }

    /// Returns the statements of evidence about `element`, in their order in the model.
    pub fn evidence(&self, element: &AnyElement) -> Arc<[Evidence]> {
        let all = self.evidence.get(&element.id());
        all.cloned().unwrap_or_default()
    }

    /// Returns the value that an intervention sets for `element`, if there is one.
    pub fn intervention(&self, element: &AnyElement) -> Option<&Datum> {
        let (_, value) = self.interventions.get(&element.id())?;
        Some(value)
    }

    /// Returns the element from which the decision takes its value, if the decision follows a policy.
    #[inline]
    pub fn policy(&self, element: &AnyElement) -> Option<&AnyElement> {
        if self.policies.is_empty() {
            return None;
        }
        let (_, policy) = self.policies.get(&element.id())?;
        Some(policy)
    }

    /// True if a decision takes its value from `element`.
    pub fn is_policy(&self, element: &AnyElement) -> bool {
        let mut policies = self.policies.values();
        policies.any(|(_, policy)| policy.id() == element.id())
    }
}
