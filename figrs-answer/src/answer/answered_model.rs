//! The model of an exact answer, with the values of its parameters at the time of the query.

use std::any::Any;
use std::sync::{Arc, OnceLock};

use figrs_core::expand::Expansion;
use figrs_core::internals::Kind;
use figrs_core::{AnyElement, ElementId, Limits, Model, Number, Param};
use rustc_hash::{FxHashMap, FxHashSet};

/// A model with its roots (targets and elements with evidence), the limits of its answer, and the values of its parameters at the time of the query.
#[derive(Debug)]
pub struct AnsweredModel {
    /// The model, and the elements from which worlds are evaluated (targets and elements with evidence).
    pub asked: Arc<(Model, Vec<AnyElement>)>,
    /// The limits of the model's expansion and of its elimination.
    pub limits: Limits,
    /// The parameters on which the probabilities of outcomes depend, with their values at the time of the query.
    pub(crate) parameters: Vec<(Param, f64)>,
    /// The natural logarithm of the probability of the evidence.
    pub log_evidence: f64,
    /// For each element that queries may use in place of an element of the model, the element of the model.
    pub names: FxHashMap<ElementId, AnyElement>,
    /// The compiled form of the model, which is created by the first query that needs it.
    pub compiled: OnceLock<Arc<dyn Any + Send + Sync>>,
}

impl AnsweredModel {
    pub fn new(
        asked: Arc<(Model, Vec<AnyElement>)>,
        limits: &Limits,
        expansion: &Expansion,
        log_evidence: f64,
    ) -> Self {
        Self {
            asked,
            limits: limits.clone(),
            parameters: present_parameters(expansion),
            log_evidence,
            names: FxHashMap::default(),
            compiled: OnceLock::new(),
        }
    }

    /// Lets queries use the first element of each pair instead of the second element, which belongs to the model.
    pub(crate) fn rename<'e>(
        &mut self,
        pairs: impl Iterator<Item = (&'e AnyElement, &'e AnyElement)>,
    ) {
        let pairs = pairs.map(|(name, element)| (name.id(), element.clone()));
        self.names = pairs.collect();
        self.compiled = OnceLock::new();
    }

    /// Returns the first parameter whose value has changed since the query; `None` if there is none.
    pub fn changed_parameter(&self) -> Option<&Param> {
        let mut parameters = self.parameters.iter();
        let changed = parameters.find(|(param, value)| param.get().to_bits() != value.to_bits());
        changed.map(|(param, _)| param)
    }
}

fn present_parameters(expansion: &Expansion) -> Vec<(Param, f64)> {
    let mut found: Vec<(Param, f64)> = Vec::new();
    let mut seen = FxHashSet::default();
    for parametric in expansion.parametric_outcomes() {
        let Kind::Atomic(op) = parametric.member.kind() else {
            continue;
        };
        for number in op.numbers() {
            if let Number::Param(param) = number
                && seen.insert(param.id())
            {
                found.push((param.clone(), param.get()));
            }
        }
    }
    found
}
