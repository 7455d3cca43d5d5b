//! One statement about the value of one element.

use std::any::Any;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;

use crate::datum::Datum;
use crate::error::{Fault, ModelError};
use crate::node::{AnyElement, contained};
use crate::value::Value;

type Test = Arc<dyn Fn(&dyn Any) -> bool + Send + Sync>;
type Weigh = Arc<dyn Fn(&dyn Any) -> f64 + Send + Sync>;

/// What is stated.
#[derive(Clone)]
pub(crate) enum Statement {
    /// The value is this one.
    Observe(Datum),
    /// The value passes a test.
    Condition(Test),
    /// Each value has a weight, not negative.
    Weigh(Weigh),
    /// Each value has a weight, given by its natural logarithm.
    LogWeigh(Weigh),
    /// Each value has a weight, not negative and at most `maximum`.
    WeighAtMost {
        weigh: Weigh,
        maximum: f64,
        /// A value in words.
        shown: fn(&dyn Any) -> String,
    },
}

/// A statement with the source line that made it.
#[derive(Clone)]
pub struct Evidence {
    statement: Statement,
    location: &'static Location<'static>,
}

fn typed<T: Value>(value: &dyn Any) -> &T {
    value
        .downcast_ref()
        .expect("evidence has the type of its element")
}

impl Evidence {
    #[track_caller]
    fn new(statement: Statement) -> Self {
        Self {
            statement,
            location: Location::caller(),
        }
    }

    #[track_caller]
    pub(crate) fn observe<T: Value>(value: T) -> Self {
        Self::new(Statement::Observe(Datum::new(value)))
    }

    #[track_caller]
    pub(crate) fn condition<T: Value>(test: impl Fn(&T) -> bool + Send + Sync + 'static) -> Self {
        Self::new(Statement::Condition(Arc::new(move |v| test(typed(v)))))
    }

    #[track_caller]
    pub(crate) fn weigh<T: Value>(weight: impl Fn(&T) -> f64 + Send + Sync + 'static) -> Self {
        Self::new(Statement::Weigh(Arc::new(move |v| weight(typed(v)))))
    }

    #[track_caller]
    pub(crate) fn log_weigh<T: Value>(weight: impl Fn(&T) -> f64 + Send + Sync + 'static) -> Self {
        Self::new(Statement::LogWeigh(Arc::new(move |v| weight(typed(v)))))
    }

    #[track_caller]
    pub(crate) fn weigh_at_most<T: Value>(
        maximum: f64,
        weight: impl Fn(&T) -> f64 + Send + Sync + 'static,
    ) -> Self {
        Self::new(Statement::WeighAtMost {
            weigh: Arc::new(move |v| weight(typed(v))),
            maximum,
            shown: |v| format!("{:?}", typed::<T>(v)),
        })
    }

    /// The source line that stated it.
    pub fn location(&self) -> &'static Location<'static> {
        self.location
    }

    /// The observed value, if this is an observation.
    pub fn observed(&self) -> Option<&Datum> {
        match &self.statement {
            Statement::Observe(value) => Some(value),
            _ => None,
        }
    }

    /// Whether weights other than zero and one are possible.
    pub fn is_soft(&self) -> bool {
        !matches!(
            self.statement,
            Statement::Observe(_) | Statement::Condition(_)
        )
    }

    /// The natural logarithm of the most that this can weigh any value with, if that was stated; an observation
    /// and a condition weigh at most one. (An observed value's density is the element's, and not counted here.)
    pub fn log_maximum(&self) -> Option<f64> {
        match &self.statement {
            Statement::Observe(_) | Statement::Condition(_) => Some(0.0),
            Statement::Weigh(_) | Statement::LogWeigh(_) => None,
            Statement::WeighAtMost { maximum, .. } => Some(maximum.ln()),
        }
    }

    /// The weight of a value of `element`, as a number and as its natural logarithm.
    pub fn weight(&self, element: &AnyElement, value: &dyn Any) -> Result<(f64, f64), ModelError> {
        let fault = |fault: Fault| element.fault(fault);
        let invalid = |weight: f64| ModelError::InvalidWeight {
            element: element.label(),
            weight,
            location: self.location,
        };
        let plain = |weigh: &Weigh| {
            let weight = contained(|| weigh(value)).map_err(fault)?;
            if weight >= 0.0 && weight.is_finite() {
                Ok((weight, weight.ln()))
            } else {
                Err(invalid(weight))
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
                let log = contained(|| weigh(value)).map_err(fault)?;
                if log < f64::INFINITY {
                    Ok((log.exp(), log))
                } else {
                    Err(invalid(log.exp()))
                }
            }
            Statement::WeighAtMost {
                weigh,
                maximum,
                shown,
            } => {
                let (weight, log) = plain(weigh)?;
                // A maximum that is not a number is exceeded as well.
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

impl fmt::Debug for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.statement {
            Statement::Observe(value) => write!(f, "= {value:?}"),
            Statement::Condition(_) => write!(f, "condition at {}", self.location),
            Statement::Weigh(_) | Statement::LogWeigh(_) | Statement::WeighAtMost { .. } => {
                write!(f, "weight at {}", self.location)
            }
        }
    }
}
