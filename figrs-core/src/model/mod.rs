//! A model: evidence and interventions on elements, the parameters on which its answers depend, and the pooling of observations of one distribution.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::element::Element;
use crate::element::label::Label;
use crate::element::node::{AnyElement, ElementId, Kind};
use crate::element::operations::FamilyOp;
use crate::element::param::{Number, Param};
use crate::model::evidence::Evidence;
use crate::value::Value;
use crate::value::datum::Datum;
use figrs_factor::wording;

pub mod evidence;

/// Evidence and interventions on the elements of a probabilistic program. A model is stored separately from the elements of the program.
///
/// Several models can use the same elements. An element may have several statements of evidence; in every possible world of the model, all of them
/// hold. The roots of a possible world are the elements with evidence, and the targets of the query.
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
    /// Creates a model without any evidence.
    pub fn new() -> Self {
        Self::default()
    }

    /// States the evidence that `element` has the value `value`.
    #[track_caller]
    pub fn observe<T: Value>(self, element: &Element<T>, value: T) -> Self {
        self.with(element, Evidence::observe(value))
    }

    /// States the evidence that the value of `element` passes `test`. To state a condition on several elements, state the condition for their
    /// [`tuple`](crate::tuple).
    #[track_caller]
    pub fn condition<T: Value>(
        self,
        element: &Element<T>,
        test: impl Fn(&T) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.with(element, Evidence::condition(test))
    }

    /// States that the value of each of `elements` passes `test`, such as a constraint along a whole [`fold`](crate::fold) or a grid.
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

    /// States a condition as [`condition`](Self::condition) does, with a test function that several statements of evidence share. A result that an
    /// algorithm computed for one statement can then be used for all statements that share the test.
    #[track_caller]
    pub fn condition_shared<T: Value, F>(self, element: &Element<T>, test: &Arc<F>) -> Self
    where
        F: Fn(&T) -> bool + Send + Sync + 'static,
    {
        self.with(element, Evidence::condition_shared(test))
    }

    /// Multiplies the weight of each possible world by a function of the value of `element`. The results of the weight function must be finite and
    /// not negative, and may exceed one.
    #[track_caller]
    pub fn weigh<T: Value>(
        self,
        element: &Element<T>,
        weight: impl Fn(&T) -> f64 + Send + Sync + 'static,
    ) -> Self {
        self.with(element, Evidence::weigh(weight))
    }

    /// Weighs possible worlds as [`weigh`](Self::weigh) does, with the promise that no weight exceeds `maximum`; a larger weight is an error.
    ///
    /// Algorithms that compute bounds without listing all values of the model need a maximum of the weight.
    #[track_caller]
    pub fn weigh_at_most<T: Value>(
        self,
        element: &Element<T>,
        maximum: f64,
        weight: impl Fn(&T) -> f64 + Send + Sync + 'static,
    ) -> Self {
        self.with(element, Evidence::weigh_at_most(maximum, weight))
    }

    /// Multiplies the weight of each possible world by a function of the value of `element`. The function `log_weight` returns the natural logarithm
    /// of this factor; the result `-inf` excludes a value.
    #[track_caller]
    pub fn log_weigh<T: Value>(
        self,
        element: &Element<T>,
        log_weight: impl Fn(&T) -> f64 + Send + Sync + 'static,
    ) -> Self {
        self.with(element, Evidence::log_weigh(log_weight))
    }

    /// Weighs possible worlds like [`log_weigh`](Self::log_weigh), with a function that returns the log-weights of several values of `element`.
    /// Samplers that evaluate many worlds together call the function once, with the values of `element` in these worlds.
    ///
    /// Apart from rounding errors, the log-weight of a value must not depend on the other values in the same call.
    #[doc(hidden)]
    #[track_caller]
    pub fn log_weigh_together<T: Value>(
        self,
        element: &Element<T>,
        log_weights: impl Fn(&[&T]) -> Vec<f64> + Send + Sync + 'static,
    ) -> Self {
        self.with(element, Evidence::log_weigh_together(log_weights))
    }

    /// Weighs possible worlds like [`log_weigh`](Self::log_weigh), with a function that may return an error. If the weight function returns an error,
    /// the query fails with [`ModelError::Function`](crate::ModelError::Function), which contains the text of the error.
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

    /// Sets `element` to `value`, independent of the parents of the element. An intervention on an element is not evidence about the parents of the
    /// element. A later intervention on the same element replaces the earlier intervention.
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
    /// decision takes precedence over the policy. A later policy for the same decision replaces the earlier policy.
    ///
    /// The element `policy` must not depend on the decision that follows it.
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

    /// Adds the interventions `set`, whose elements must not have an intervention yet.
    pub(crate) fn with_set(mut self, set: impl Iterator<Item = (AnyElement, Datum)>) -> Self {
        Arc::make_mut(&mut self.interventions).extend(set);
        self
    }

    /// Adds all evidence of the model `other`.
    pub fn with_evidence_of(mut self, other: &Self) -> Self {
        Arc::make_mut(&mut self.evidence).extend(other.evidence.iter().cloned());
        self
    }

    /// Returns all evidence of the model, in the order in which it was stated.
    pub fn evidence(&self) -> &[(AnyElement, Evidence)] {
        &self.evidence
    }

    /// Returns all interventions of the model, each with its element.
    pub fn interventions(&self) -> &[(AnyElement, Datum)] {
        &self.interventions
    }

    /// Returns the decisions that follow policies, each with the element from which the decision takes its value.
    #[doc(hidden)]
    pub fn policies(&self) -> &[(AnyElement, AnyElement)] {
        &self.policies
    }

    /// True if the model `other` is a clone of this model, or states the same evidence, interventions and policies about the same elements.
    /// Conditions and weights given by functions without a known identity are equal only if one model is a clone of the other.
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

    /// Returns a copy of the model with only the statements of evidence for whose indices `keep` returns `true`.
    pub fn filtered(&self, keep: impl Fn(usize) -> bool) -> Self {
        let kept = self.evidence.iter().enumerate().filter(|(i, _)| keep(*i));
        Self {
            evidence: Arc::new(kept.map(|(_, e)| e.clone()).collect()),
            interventions: self.interventions.clone(),
            policies: self.policies.clone(),
        }
    }

    /// Describes the statement of evidence with the index `position` in words.
    pub fn describe(&self, position: usize) -> DescribedStatement {
        let (element, evidence) = &self.evidence[position];
        DescribedStatement {
            element: element.label(),
            text: match evidence.observed() {
                Some(value) if wording::addresses_users() => format!("= {value:?}"),
                Some(value) => format!("= {value:?} (stated at {})", evidence.location()),
                None => format!("{evidence:?}"),
            },
        }
    }
}

/// A statement of evidence about an element, described in words for the user. The displayed text of a described statement is the element, followed by
/// the description of the statement.
#[derive(Clone, Debug, PartialEq)]
pub struct DescribedStatement {
    /// The element that has the evidence, or the `Score` that multiplies the weights of worlds.
    pub element: Label,
    /// The statement about the element, such as `= true`.
    pub text: String,
}

impl fmt::Display for DescribedStatement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.element, self.text)
    }
}

/// The `Param`s on which the answers to a query depend, each with its value at one time.
#[derive(Clone, Debug, Default)]
pub struct ParameterValues(Vec<(Param, f64)>);

impl ParameterValues {
    /// Returns the present values of the `Param`s in the distributions on which the targets and the evidence of a model depend.
    ///
    /// `Param`s in elements that the functions of `Chain` elements create are not found.
    pub fn of_model(model: &Model, targets: &[AnyElement]) -> Self {
        let statements = model.evidence().iter().map(|(element, _)| element);
        let policies = model.policies().iter().map(|(_, policy)| policy);
        let mut open: Vec<&AnyElement> = targets.iter().chain(statements).chain(policies).collect();
        let mut elements: FxHashSet<_> = open.iter().map(|element| element.id()).collect();
        let mut values = Values::default();
        while let Some(element) = open.pop() {
            values.add_numbers_of(element);
            if let Some(family) = element.kind().family() {
                values.add(family.fixed_numbers());
            }
            let parents = element.parents().iter();
            open.extend(parents.filter(|parent| elements.insert(parent.id())));
        }
        values.found
    }

    /// Returns the present values of the `Param`s in the distributions of `elements`.
    pub fn of<'e>(elements: impl Iterator<Item = &'e AnyElement>) -> Self {
        let mut values = Values::default();
        elements.for_each(|element| values.add_numbers_of(element));
        values.found
    }

    /// Returns the first `Param` whose value has changed since the stored values were read; `None` if no value has changed.
    pub fn changed(&self) -> Option<&Param> {
        let mut parameters = self.0.iter();
        let changed = parameters.find(|(param, value)| param.get().to_bits() != value.to_bits());
        changed.map(|(param, _)| param)
    }
}

/// A list of the values of `Param`s that is being collected; each `Param` is listed only once.
#[derive(Default)]
struct Values {
    found: ParameterValues,
    seen: FxHashSet<usize>,
}

impl Values {
    fn add_numbers_of(&mut self, element: &AnyElement) {
        if let Some(op) = element.kind().atomic() {
            self.add(op.numbers());
        }
    }

    fn add<'n>(&mut self, numbers: impl IntoIterator<Item = &'n Number>) {
        for number in numbers {
            if let Number::Param(param) = number
                && self.seen.insert(param.id())
            {
                self.found.0.push((param.clone(), param.get()));
            }
        }
    }
}

/// Maximum number of distributions, with the same parents and the same hash, with which a new distribution is compared to find an equal one.
const MAX_CANDIDATES: usize = 8;

/// The observations of values of one distribution, given by the indices of the statements of evidence.
struct ObservationPool<'a> {
    family: &'a dyn FamilyOp,
    statements: Vec<usize>,
}

/// Returns the parents and the family of `element`, if `statement` is an observation and the element is a member of a family.
fn member<'a>(
    element: &'a AnyElement,
    statement: &'a Evidence,
) -> Option<(&'a [AnyElement], &'a dyn FamilyOp)> {
    let Kind::Chain(parents, op) = element.kind() else {
        return None;
    };
    statement.observed()?;
    Some((parents, op.family()?))
}

impl Model {
    /// Returns a model in which all observations of values of the same distribution are replaced by one observation of a list of these values.
    ///
    /// In the order of the evidence, the observation of the list takes the place of the first observation that it replaces.
    ///
    /// Interventions set the elements whose observations were replaced to their observed values, because other elements may depend on them. The
    /// pooled model depends only on the original model, and not on the number of threads.
    #[doc(hidden)]
    pub fn pooled(&self) -> Cow<'_, Self> {
        let set = self.interventions().iter().map(|(element, _)| element.id());
        let mut met: FxHashSet<ElementId> = set.collect();
        // Elements with an intervention or with several statements keep their statements.
        let stated = self.evidence().iter().map(|(element, _)| element.id());
        let apart: FxHashSet<ElementId> = stated.filter(|&id| !met.insert(id)).collect();
        let mut buckets = FxHashMap::<(Vec<ElementId>, u64), Vec<usize>>::default();
        let mut pools: Vec<ObservationPool<'_>> = Vec::new();
        for (at, (element, statement)) in self.evidence().iter().enumerate() {
            let Some((parents, family)) = member(element, statement) else {
                continue;
            };
            if apart.contains(&element.id()) {
                continue;
            }
            let parents = parents.iter().map(AnyElement::id).collect();
            let bucket = buckets.entry((parents, family.digest())).or_default();
            let mut recent = bucket.iter().rev().take(MAX_CANDIDATES);
            let known = recent.find(|&&pool| pools[pool].family.is_same_as(family));
            let pool = known.copied().unwrap_or_else(|| {
                bucket.push(pools.len());
                let statements = Vec::new();
                pools.push(ObservationPool { family, statements });
                pools.len() - 1
            });
            pools[pool].statements.push(at);
        }
        let mut lists = FxHashMap::<usize, (AnyElement, Datum)>::default();
        let mut others = vec![true; self.evidence().len()];
        for ObservationPool { family, statements } in
            pools.iter().filter(|pool| pool.statements.len() > 1)
        {
            let observed = |&at: &usize| self.evidence()[at].1.observed();
            let values: Option<Vec<&Datum>> = statements.iter().map(observed).collect();
            let first = &self.evidence()[statements[0]].0;
            if let Some(list) = values.and_then(|values| family.list(first, &values)) {
                for &at in statements {
                    others[at] = false;
                }
                lists.insert(statements[0], list);
            }
        }
        if lists.is_empty() {
            return Cow::Borrowed(self);
        }
        let listed = self
            .evidence()
            .iter()
            .zip(&others)
            .filter(|(_, other)| !**other);
        let listed = listed.filter_map(|((element, statement), _)| {
            Some((element.clone(), statement.observed()?.clone()))
        });
        let mut pooled = self.filtered(|_| false).with_set(listed);
        for (at, (element, statement)) in self.evidence().iter().enumerate() {
            if let Some((list, values)) = lists.remove(&at) {
                pooled = pooled.observe_any(&list, values);
            } else if others[at] {
                pooled = pooled.with_evidence(element.clone(), statement.clone());
            }
        }
        Cow::Owned(pooled)
    }
}

#[cfg(test)]
mod tests {
    use crate::element::{Flip, Select};
    use crate::{Dirichlet, Model};

    #[test]
    fn what_is_set_or_differs_stays_apart() {
        let shares = Dirichlet::new([1.0, 1.0, 2.0]);
        let draw = || Select::by(&shares, ['a', 'b', 'c']);
        let (held, set) = (draw(), draw());
        let model = Model::new()
            .observe(&draw(), 'a')
            .observe(&held, 'b')
            .observe(&draw(), 'c')
            .observe(&Select::by(&shares, ['a', 'b', 'd']), 'a')
            .observe(&draw(), 'a')
            .observe(&set, 'a')
            .observe(&Flip::new(0.5), true)
            .observe(&Flip::new(0.5), true)
            .condition(&draw(), |c| *c != 'a')
            .intervene(&set, 'b');
        let pooled = model.pooled();
        assert_eq!(pooled.evidence().len(), 6);
        let observed = pooled.evidence()[0].1.observed();
        assert_eq!(
            observed.and_then(|o| o.get()),
            Some(&vec!['a', 'b', 'c', 'a'])
        );
        // The elements that were observed are set to their values, for the elements that depend on them.
        assert_eq!(pooled.interventions().len(), 1 + 4);
    }
}
