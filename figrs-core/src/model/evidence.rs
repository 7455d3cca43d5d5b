//! Evidence: a statement about the value of one element.

use std::any::Any;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::element::apply::{FunctionId, contained};
use crate::element::element_map::ElementMap;
use crate::element::node::{AnyElement, ElementId};
use crate::error::{Fault, ModelError};
use crate::model::Model;
use crate::value::Value;
use crate::value::datum::Datum;
use figrs_factor::wording::StatedAt;

/// Largest allowed magnitude of the logarithm of a weight. The limit on log-weights prevents an overflow of the sum of log-weights over all elements.
pub(crate) const LARGEST_LOG: f64 = 1e300;

type Predicate = Arc<dyn Fn(&dyn Any) -> bool + Send + Sync>;
type WeightFunction = Arc<dyn Fn(&dyn Any) -> f64 + Send + Sync>;
type LogWeightFunction = Arc<dyn Fn(&dyn Any) -> Result<f64, Fault> + Send + Sync>;
type LogWeightsFunction = Arc<dyn Fn(&[&dyn Any]) -> Result<Vec<f64>, Fault> + Send + Sync>;

/// The identity of a statement of evidence, without the element that the statement is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum StatementId {
    /// The element is observed to have this value.
    Observed(Datum),
    /// The value of the element must pass the test function with this identity.
    Condition(FunctionId),
    /// The weight of each value of the element is the result of the function with this identity.
    Weight(FunctionId),
    /// The logarithm of the weight of each value of the element is the result of the function with this identity.
    LogWeight(FunctionId),
}

#[derive(Clone)]
pub(crate) enum Statement {
    Observe(Datum),
    Condition(Predicate),
    /// Soft evidence: a function gives each value of the element a weight, which is not negative.
    Weigh(WeightFunction),
    /// Soft evidence: a function gives the natural logarithm of the weight of each value of the element.
    LogWeigh(LogWeightFunction),
    /// Soft evidence: a function gives the natural logarithm of the weight of each value of the element. One call of the function computes the
    /// weights of several values together.
    LogWeighTogether(LogWeightsFunction),
    /// Soft evidence: a function gives each value of the element a weight, which is not negative and at most `maximum`.
    WeighAtMost {
        weigh: WeightFunction,
        maximum: f64,
        shown: fn(&dyn Any) -> String,
    },
}

/// A statement of evidence, with the line of the source code that states it.
#[derive(Clone)]
pub struct Evidence {
    statement: Statement,
    /// The identity of the function in the statement of evidence; `None` if the identity is not known.
    function: Option<FunctionId>,
    location: &'static Location<'static>,
}

fn typed<T: Value>(value: &dyn Any) -> &T {
    value
        .downcast_ref()
        .expect("evidence has the type of its element")
}

impl Evidence {
    #[track_caller]
    fn new(statement: Statement, function: Option<FunctionId>) -> Self {
        Self {
            statement,
            function,
            location: Location::caller(),
        }
    }

    #[track_caller]
    pub(crate) fn observe<T: Value>(value: T) -> Self {
        Self::observe_any(Datum::new(value))
    }

    #[track_caller]
    pub(crate) fn observe_any(value: Datum) -> Self {
        Self::new(Statement::Observe(value), None)
    }

    #[track_caller]
    pub(crate) fn condition<T: Value>(test: impl Fn(&T) -> bool + Send + Sync + 'static) -> Self {
        let function = FunctionId::of_code(&test);
        let test: Predicate = Arc::new(move |v| test(typed(v)));
        Self::new(Statement::Condition(test), function)
    }

    #[track_caller]
    pub(crate) fn condition_shared<T: Value, F>(test: &Arc<F>) -> Self
    where
        F: Fn(&T) -> bool + Send + Sync + 'static,
    {
        let function = Some(FunctionId::of_shared(test));
        let test = Arc::clone(test);
        let test: Predicate = Arc::new(move |v| test(typed(v)));
        Self::new(Statement::Condition(test), function)
    }

    #[track_caller]
    pub(crate) fn weigh<T: Value>(weight: impl Fn(&T) -> f64 + Send + Sync + 'static) -> Self {
        let function = FunctionId::of_code(&weight);
        let weigh: WeightFunction = Arc::new(move |v| weight(typed(v)));
        Self::new(Statement::Weigh(weigh), function)
    }

    #[track_caller]
    pub(crate) fn log_weigh<T: Value>(weight: impl Fn(&T) -> f64 + Send + Sync + 'static) -> Self {
        let function = FunctionId::of_code(&weight);
        let weigh: LogWeightFunction = Arc::new(move |v| Ok(weight(typed(v))));
        Self::new(Statement::LogWeigh(weigh), function)
    }

    #[track_caller]
    pub(crate) fn try_log_weigh<T: Value, E: fmt::Display>(
        weight: impl Fn(&T) -> Result<f64, E> + Send + Sync + 'static,
    ) -> Self {
        let failed = |error: E| Fault::Failed(error.to_string());
        let weigh: LogWeightFunction = Arc::new(move |v| weight(typed(v)).map_err(failed));
        Self::new(Statement::LogWeigh(weigh), None)
    }

    #[track_caller]
    pub(crate) fn log_weigh_together<T: Value>(
        weights: impl Fn(&[&T]) -> Vec<f64> + Send + Sync + 'static,
    ) -> Self {
        let weigh: LogWeightsFunction = Arc::new(move |values| {
            let values: Vec<&T> = values.iter().map(|&value| typed(value)).collect();
            let logs = weights(&values);
            if logs.len() == values.len() {
                return Ok(logs);
            }
            let (found, wanted) = (logs.len(), values.len());
            Err(Fault::Failed(format!(
                "the function returned {found} log-weights for {wanted} values"
            )))
        });
        Self::new(Statement::LogWeighTogether(weigh), None)
    }

    #[track_caller]
    pub(crate) fn weigh_at_most<T: Value>(
        maximum: f64,
        weight: impl Fn(&T) -> f64 + Send + Sync + 'static,
    ) -> Self {
        let statement = Statement::WeighAtMost {
            weigh: Arc::new(move |v| weight(typed(v))),
            maximum,
            shown: |v| format!("{:?}", typed::<T>(v)),
        };
        Self::new(statement, None)
    }

    /// Returns the source line that stated the evidence.
    pub fn location(&self) -> &'static Location<'static> {
        self.location
    }

    /// Returns the identity of the statement of evidence; `None` if the statement cannot be compared. If two statements of evidence about elements of
    /// the same type have equal identities, they give the same weight to every value.
    pub fn identity(&self) -> Option<StatementId> {
        match &self.statement {
            Statement::Observe(value) => Some(StatementId::Observed(value.clone())),
            Statement::Condition(_) => self.function.map(StatementId::Condition),
            Statement::Weigh(_) | Statement::WeighAtMost { .. } => {
                self.function.map(StatementId::Weight)
            }
            Statement::LogWeigh(_) | Statement::LogWeighTogether(_) => {
                self.function.map(StatementId::LogWeight)
            }
        }
    }

    /// Returns the observed value, if the statement of evidence is an observation.
    pub fn observed(&self) -> Option<&Datum> {
        match &self.statement {
            Statement::Observe(value) => Some(value),
            _ => None,
        }
    }

    /// True if the evidence can give weights other than zero and one.
    pub fn is_soft(&self) -> bool {
        !matches!(
            self.statement,
            Statement::Observe(_) | Statement::Condition(_)
        )
    }

    /// Returns the natural logarithm of the largest weight that the evidence can give to a value, if such a maximum is known. The largest weight that
    /// an observation or a condition can give is one. (The density of an observed value is not part of the weight that the evidence gives.)
    pub fn log_maximum(&self) -> Option<f64> {
        match &self.statement {
            Statement::Observe(_) | Statement::Condition(_) => Some(0.0),
            Statement::Weigh(_) | Statement::LogWeigh(_) | Statement::LogWeighTogether(_) => None,
            Statement::WeighAtMost { maximum, .. } => Some(maximum.ln()),
        }
    }

    /// Returns the weight that the evidence gives to the value `value` of `element`, and the natural logarithm of the weight.
    ///
    /// **Errors.** [`ModelError::InvalidWeight`] or [`ModelError::WeightAboveMaximum`] if the weight is not allowed; [`ModelError::Function`] if a
    /// function fails.
    pub fn weight(&self, element: &AnyElement, value: &dyn Any) -> Result<(f64, f64), ModelError> {
        let fault = |fault: Fault| element.fault(fault);
        let plain = |weigh: &WeightFunction| {
            let weight = contained(|| weigh(value)).map_err(fault)?;
            if weight >= 0.0 && weight.is_finite() {
                Ok((weight, weight.ln()))
            } else {
                let remedy = "weights must be finite and not negative";
                Err(self.invalid_weight(element, weight.to_string(), remedy))
            }
        };
        match &self.statement {
            Statement::Observe(observed) => {
                let same = observed.same_as(value);
                Ok(if same {
                    (1.0, 0.0)
                } else {
                    (0.0, f64::NEG_INFINITY)
                })
            }
            Statement::Condition(test) => {
                let holds = contained(|| test(value)).map_err(fault)?;
                Ok(if holds {
                    (1.0, 0.0)
                } else {
                    (0.0, f64::NEG_INFINITY)
                })
            }
            Statement::Weigh(weigh) => plain(weigh),
            Statement::LogWeigh(weigh) => {
                let log = contained(|| weigh(value)).flatten().map_err(fault)?;
                self.checked_log(element, log)
            }
            Statement::LogWeighTogether(weigh) => {
                let logs = contained(|| weigh(&[value])).flatten().map_err(fault)?;
                self.checked_log(element, logs[0])
            }
            Statement::WeighAtMost {
                weigh,
                maximum,
                shown,
            } => {
                let (weight, log) = plain(weigh)?;
                // This comparison also rejects a maximum that is NaN.
                if weight <= *maximum && maximum.is_finite() {
                    Ok((weight, log))
                } else {
                    Err(ModelError::WeightAboveMaximum {
                        element: element.label(),
                        value: shown(value),
                        weight,
                        maximum: *maximum,
                        location: self.location,
                    })
                }
            }
        }
    }
}

impl Evidence {
    /// Returns the weight and its logarithm, as [`weight`](Self::weight) does, for each of `values`. If the function of a statement computes the
    /// weights of several values together, it is called only once.
    ///
    /// **Errors.** The method returns the same errors as [`weight`](Self::weight).
    pub fn weights(
        &self,
        element: &AnyElement,
        values: &[&dyn Any],
    ) -> Result<Vec<(f64, f64)>, ModelError> {
        let Statement::LogWeighTogether(weigh) = &self.statement else {
            let weights = values.iter().map(|&value| self.weight(element, value));
            return weights.collect();
        };
        let logs = contained(|| weigh(values)).flatten();
        let logs = logs.map_err(|fault| element.fault(fault))?;
        let weights = logs.into_iter().map(|log| self.checked_log(element, log));
        weights.collect()
    }

    /// Returns the weight whose natural logarithm is `log`, and `log` itself.
    ///
    /// **Errors.** [`ModelError::InvalidWeight`] if `log` is positive infinity, not a number, or too large.
    fn checked_log(&self, element: &AnyElement, log: f64) -> Result<(f64, f64), ModelError> {
        if log == f64::NEG_INFINITY || log.abs() <= LARGEST_LOG {
            Ok((log.exp(), log))
        } else {
            let remedy = "the logarithm must be from -1e300 to 1e300, or -inf for a weight of zero";
            Err(self.invalid_weight(element, format!("exp({log})"), remedy))
        }
    }

    fn invalid_weight(
        &self,
        element: &AnyElement,
        weight: String,
        remedy: &'static str,
    ) -> ModelError {
        ModelError::InvalidWeight {
            element: element.label(),
            weight,
            remedy,
            location: self.location,
        }
    }
}

impl fmt::Debug for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.statement {
            Statement::Observe(value) => write!(f, "= {value:?}"),
            Statement::Condition(_) => write!(f, "condition{}", StatedAt(self.location)),
            Statement::Weigh(_)
            | Statement::LogWeigh(_)
            | Statement::LogWeighTogether(_)
            | Statement::WeighAtMost { .. } => {
                write!(f, "weight{}", StatedAt(self.location))
            }
        }
    }
}

/// The evidence, the interventions and the policies of a model, indexed by element. The index is valid only for elements of the model from which it
/// was built, and while that model is alive.
#[derive(Debug, Default)]
pub struct StatementIndex {
    evidence: Arc<Vec<(AnyElement, Evidence)>>,
    /// For each element with evidence, the indices of its statements in the list of all evidence.
    places: ElementMap<SmallVec<[u32; 4]>>,
    /// For each element with an intervention, the element and the value that the intervention sets; storing the element prevents another element from
    /// getting the same identity.
    interventions: FxHashMap<ElementId, (AnyElement, Datum)>,
    /// For each decision that follows a policy, the decision and the element from which it takes its value.
    policies: FxHashMap<ElementId, (AnyElement, AnyElement)>,
}

impl StatementIndex {
    /// Creates the index of the evidence, interventions and policies of `model`.
    pub fn of(model: &Model) -> Self {
        let mut places = ElementMap::<SmallVec<[u32; 4]>>::default();
        places.reserve(model.evidence.len());
        for (place, (element, _)) in model.evidence.iter().enumerate() {
            places.entry(element.id()).or_default().push(place as u32);
        }
        let interventions = model.interventions().iter();
        let interventions: FxHashMap<_, _> = interventions
            .map(|(element, value)| (element.id(), (element.clone(), value.clone())))
            .collect();
        let policies = model.policies().iter();
        let open = policies.filter(|(decision, _)| !interventions.contains_key(&decision.id()));
        Self {
            evidence: Arc::clone(&model.evidence),
            places,
            policies: open.map(|pair| (pair.0.id(), pair.clone())).collect(),
            interventions,
        }
    }

    /// Returns the statements of evidence about `element`, in the order in which the model states them.
    pub fn evidence(&self, element: &AnyElement) -> Arc<[Evidence]> {
        let stated = self.stated(element);
        match stated.len() {
            0 => Arc::default(),
            _ => stated.cloned().collect(),
        }
    }

    /// Returns references to the statements of evidence about `element`, in the order in which the model states them.
    pub(crate) fn stated(&self, element: &AnyElement) -> impl ExactSizeIterator<Item = &Evidence> {
        let places = self.places.get(&element.id()).map_or(&[][..], |all| all);
        places.iter().map(|&place| &self.evidence[place as usize].1)
    }

    /// Returns the value that an intervention sets for `element`, if there is an intervention.
    pub fn intervention(&self, element: &AnyElement) -> Option<&Datum> {
        let (_, value) = self.interventions.get(&element.id())?;
        Some(value)
    }

    /// If the element is a decision that follows a policy, returns the element from which the decision takes its value.
    #[inline]
    pub fn policy(&self, element: &AnyElement) -> Option<&AnyElement> {
        if self.policies.is_empty() {
            return None;
        }
        let (_, policy) = self.policies.get(&element.id())?;
        Some(policy)
    }

    /// True if a decision that follows a policy takes its value from `element`.
    pub fn is_policy(&self, element: &AnyElement) -> bool {
        let mut policies = self.policies.values();
        policies.any(|(_, policy)| policy.id() == element.id())
    }
}
