//! A model: evidence and interventions on elements.

pub mod evidence;
pub(crate) mod observation_pool;

use std::fmt;
use std::sync::Arc;

use figrs_factor::wording;

use crate::element::Element;
use crate::element::node::AnyElement;
use crate::model::evidence::Evidence;
use crate::value::Value;
use crate::value::datum::Datum;

/// Evidence and interventions on elements. A model is stored separately from the elements.
///
/// Several models can use the same elements. An element may have several statements of evidence; all of them hold. The roots of a world are the
/// elements with evidence, and the targets of the query.
///
/// ```
/// # use figrs_core::{Flip, Model};
/// let rain = Flip::new(0.2);
/// let wet = rain.flat_map(|&rain| Flip::new(if rain { 0.9 } else { 0.1 }));
/// let model = Model::new().observe(&wet, true);
/// # drop(model);
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Model {
    // The evidence is shared by clones of the model, which are therefore cheap; each answer holds a clone.
    evidence: Arc<Vec<(AnyElement, Evidence)>>,
    interventions: Arc<Vec<(AnyElement, Datum)>>,
    policies: Arc<Vec<(AnyElement, AnyElement)>>,
}

impl Model {
    /// Creates a model without evidence.
    pub fn new() -> Self {
        Self::default()
    }

    /// States that `element` has the value `value`.
    #[track_caller]
    pub fn observe<T: Value>(self, element: &Element<T>, value: T) -> Self {
        self.with(element, Evidence::observe(value))
    }

    /// States that the value of `element` passes `test`. To state a condition on several elements, state it for their
    /// [`tuple`](crate::tuple).
    #[track_caller]
    pub fn condition<T: Value>(
        self,
        element: &Element<T>,
        test: impl Fn(&T) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.with(element, Evidence::condition(test))
    }

    /// States that the values of all `elements`, in order, pass `test`, such as a constraint along a whole [`fold`](crate::fold) or a grid.
    #[track_caller]
    pub fn condition_each<'a, T: Value>(
        mut self,
        elements: impl IntoIterator<Item = &'a Element<T>>,
        test: impl Fn(&T) -> bool + Send + Sync + 'static,
    ) -> Self {
        let test = Arc::new(test);
        for element in elements {
            self = self.condition_shared(element, &test);
        }
        self
    }

    /// States a condition as [`condition`](Self::condition) does, with a test that several statements share. Algorithms can then use results that
    /// were computed for one of these statements for all of them.
    #[track_caller]
    pub fn condition_shared<T: Value, F>(self, element: &Element<T>, test: &Arc<F>) -> Self
    where
        F: Fn(&T) -> bool + Send + Sync + 'static,
    {
        self.with(element, Evidence::condition_shared(test))
    }

    /// Multiplies the weight of each world by a function of the value of `element`. The results of the function must be finite and not negative, and
    /// may exceed one.
    #[track_caller]
    pub fn weigh<T: Value>(
        self,
        element: &Element<T>,
        weight: impl Fn(&T) -> f64 + Send + Sync + 'static,
    ) -> Self {
        self.with(element, Evidence::weigh(weight))
    }

    /// Weighs worlds as [`weigh`](Self::weigh) does, with the promise that no weight exceeds `maximum`; a larger weight is an error.
    ///
    /// Algorithms that compute bounds without expanding the whole model need such a maximum.
    #[track_caller]
    pub fn weigh_at_most<T: Value>(
        self,
        element: &Element<T>,
        maximum: f64,
        weight: impl Fn(&T) -> f64 + Send + Sync + 'static,
    ) -> Self {
        self.with(element, Evidence::weigh_at_most(maximum, weight))
    }

    /// Multiplies the weight of each world by a function of the value of `element`; `log_weight` returns the natural logarithm of the factor, and
    /// `-inf` excludes a value.
    #[track_caller]
    pub fn log_weigh<T: Value>(
        self,
        element: &Element<T>,
        log_weight: impl Fn(&T) -> f64 + Send + Sync + 'static,
    ) -> Self {
        self.with(element, Evidence::log_weigh(log_weight))
    }

    /// Weighs worlds like [`log_weigh`](Self::log_weigh), with a function that may return an error. If the function returns an error, the query fails
    /// with [`ModelError::Function`](crate::ModelError::Function), which has the text of the error.
    #[track_caller]
    pub fn try_log_weigh<T: Value, E: fmt::Display>(
        self,
        element: &Element<T>,
        log_weight: impl Fn(&T) -> Result<f64, E> + Send + Sync + 'static,
    ) -> Self {
        self.with(element, Evidence::try_log_weigh(log_weight))
    }

    /// States an observation like [`observe`](Self::observe), with an untyped value, which must have the element's type.
    #[track_caller]
    pub fn observe_any(self, element: &AnyElement, value: Datum) -> Self {
        self.with_evidence(element.clone(), Evidence::observe_any(value))
    }

    /// Sets `element` to `value`, independent of its parents. An intervention is not evidence about the parents of the element. A later intervention
    /// on the same element replaces an earlier one.
    pub fn intervene<T: Value>(self, element: &Element<T>, value: T) -> Self {
        self.intervene_any(element.erased(), Datum::new(value))
    }

    /// Sets an element as [`intervene`](Self::intervene) does, with an untyped value, which must have the element's type.
    pub fn intervene_any(mut self, element: &AnyElement, value: Datum) -> Self {
        let interventions = Arc::make_mut(&mut self.interventions);
        interventions.retain(|(e, _)| e.id() != element.id());
        interventions.push((element.clone(), value));
        self
    }

    /// Makes `decision` follow `policy`: the decision has the value of the element `policy`, which must have the same type. An intervention on the
    /// decision takes precedence. A later policy for the same decision replaces an earlier one.
    ///
    /// The element `policy` must not depend on the decision.
    #[doc(hidden)]
    pub fn follow_any(mut self, decision: &AnyElement, policy: AnyElement) -> Self {
        let policies = Arc::make_mut(&mut self.policies);
        policies.retain(|(e, _)| e.id() != decision.id());
        policies.push((decision.clone(), policy));
        self
    }

    fn with<T: Value>(self, element: &Element<T>, evidence: Evidence) -> Self {
        self.with_evidence(element.erased().clone(), evidence)
    }

    /// Adds a statement of evidence about an element, such as one of the [statements](Self::evidence) of another model.
    pub fn with_evidence(mut self, element: AnyElement, evidence: Evidence) -> Self {
        Arc::make_mut(&mut self.evidence).push((element, evidence));
        self
    }

    /// Adds the interventions `set`, except on elements that already have an intervention.
    pub(crate) fn with_set(mut self, set: impl Iterator<Item = (AnyElement, Datum)>) -> Self {
        Arc::make_mut(&mut self.interventions).extend(set);
        self
    }

    /// Adds the evidence of `other`.
    pub fn with_evidence_of(mut self, other: &Self) -> Self {
        Arc::make_mut(&mut self.evidence).extend(other.evidence.iter().cloned());
        self
    }

    /// Returns all evidence, in the order of the statements.
    pub fn evidence(&self) -> &[(AnyElement, Evidence)] {
        &self.evidence
    }

    /// Returns all interventions of the model, each with its element.
    pub fn interventions(&self) -> &[(AnyElement, Datum)] {
        &self.interventions
    }

    /// Returns the decisions that follow policies, each with the element from which it takes its value.
    #[doc(hidden)]
    pub fn policies(&self) -> &[(AnyElement, AnyElement)] {
        &self.policies
    }

    /// True if `other` is a clone of this model, or states the same evidence, interventions and policies about the same elements. Conditions and
    /// weights whose functions have no known identity are equal only in clones.
    #[doc(hidden)]
    pub fn states_the_same(&self, other: &Self) -> bool {
        let same_evidence = |(a, b): (&(AnyElement, Evidence), &(AnyElement, Evidence))| {
            let identity = a.1.identity();
            a.0.id() == b.0.id() && identity.is_some() && identity == b.1.identity()
        };
        let evidence = Arc::ptr_eq(&self.evidence, &other.evidence)
            || (self.evidence.len() == other.evidence.len()
                && self
                    .evidence
                    .iter()
                    .zip(&*other.evidence)
                    .all(same_evidence));
        let set = |model: &Self| -> Vec<_> {
            let set = model.interventions.iter();
            set.map(|(element, value)| (element.id(), value.clone()))
                .collect()
        };
        let followed = |model: &Self| -> Vec<_> {
            let policies = model.policies.iter();
            policies.map(|(a, b)| (a.id(), b.id())).collect()
        };
        evidence && set(self) == set(other) && followed(self) == followed(other)
    }

    /// Returns the model with only the statements of evidence for whose indices `keep` returns `true`.
    pub fn filtered(&self, keep: impl Fn(usize) -> bool) -> Self {
        let kept = self.evidence.iter().enumerate().filter(|(i, _)| keep(*i));
        Self {
            evidence: Arc::new(kept.map(|(_, e)| e.clone()).collect()),
            interventions: self.interventions.clone(),
            policies: self.policies.clone(),
        }
    }

    /// Describes the statement of evidence with the index `position` in words.
    pub fn describe(&self, position: usize) -> String {
        let (element, evidence) = &self.evidence[position];
        let element = element.label();
        match evidence.observed() {
            Some(value) if wording::addresses_users() => format!("{element} = {value:?}"),
            Some(value) => format!("{element} = {value:?} (stated at {})", evidence.location()),
            None => format!("{element} {evidence:?}"),
        }
    }
}
