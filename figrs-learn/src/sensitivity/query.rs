//! Queries for a single number of an answer.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use figrs_core::{AnyElement, Element, Value};
use num_traits::ToPrimitive;

use figrs_answer::error::Error;

/// A number that a model determines given its evidence: the probability of an event, the expectation of a function of an element, or the
/// logarithm of the probability of the evidence.
///
/// ```
/// # use figrs_core::{Flip, Model, Param};
/// # use figrs_infer::{JunctionTree, Run};
/// # use figrs_learn::{Query, Sensitivity};
/// let rate = Param::new("rate", 0.2);
/// let rain = Flip::new(&rate).named("rain");
/// let answer = JunctionTree::new().run(&Model::new(), &rain)?;
/// let query = Query::probability(&rain, true);
/// assert_eq!(query.to_string(), "P(rain = true)");
/// assert!((answer.derivative(&query, &rate)? - 1.0).abs() < 1e-12);
/// # Ok::<(), figrs_infer::Error>(())
/// ```
#[derive(Clone)]
pub struct Query {
    name: String,
    of: QueryKind,
}

type ValueFunction = Arc<dyn Fn(&dyn Any) -> f64 + Send + Sync>;

#[derive(Clone)]
enum QueryKind {
    Expectation(AnyElement, ValueFunction),
    LogEvidence,
}

impl Query {
    /// Creates a query for the probability that `element` has the value `value`.
    pub fn probability<T: Value>(element: &Element<T>, value: T) -> Self {
        let name = format!("P({} = {value:?})", short_name(element.erased()));
        Self::of(element, name, move |v: &T| {
            f64::from(u8::from(v.same(&value)))
        })
    }

    /// Creates a query for the probability that the value of `element` passes `test`.
    pub fn probability_that<T: Value>(
        element: &Element<T>,
        test: impl Fn(&T) -> bool + Send + Sync + 'static,
    ) -> Self {
        let name = format!("P({} passes a test)", short_name(element.erased()));
        Self::of(element, name, move |v| f64::from(u8::from(test(v))))
    }

    /// Creates a query for the expectation of `function` of the value of `element`.
    pub fn expectation<T: Value>(
        element: &Element<T>,
        function: impl Fn(&T) -> f64 + Send + Sync + 'static,
    ) -> Self {
        let name = format!("E(function of {})", short_name(element.erased()));
        Self::of(element, name, function)
    }

    /// Creates a query for the mean of the numeric `element`.
    pub fn mean<T: Value + ToPrimitive>(element: &Element<T>) -> Self {
        let name = format!("E({})", short_name(element.erased()));
        Self::of(element, name, |v: &T| v.to_f64().unwrap_or(f64::NAN))
    }

    /// Creates a query for the log-evidence: the natural logarithm of the probability of the evidence, including the weights of soft evidence.
    pub fn log_evidence() -> Self {
        Self {
            name: "ln P(evidence)".into(),
            of: QueryKind::LogEvidence,
        }
    }

    /// Sets the name of the query. The default name is derived from the element of the query.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    fn of<T: Value>(
        element: &Element<T>,
        name: String,
        function: impl Fn(&T) -> f64 + Send + Sync + 'static,
    ) -> Self {
        let function = move |value: &dyn Any| value.downcast_ref().map_or(f64::NAN, &function);
        Self {
            name,
            of: QueryKind::Expectation(element.erased().clone(), Arc::new(function)),
        }
    }

    /// Returns the element of the query; `None` for the log-evidence.
    pub(super) fn element(&self) -> Option<&AnyElement> {
        match &self.of {
            QueryKind::Expectation(element, _) => Some(element),
            QueryKind::LogEvidence => None,
        }
    }

    pub(super) fn numbers<'v>(
        &self,
        values: impl Iterator<Item = &'v dyn Any>,
    ) -> Result<Vec<f64>, Error> {
        let QueryKind::Expectation(_, function) = &self.of else {
            return Ok(Vec::new());
        };
        let number = |value| {
            let number = function(value);
            if number.is_finite() {
                Ok(number)
            } else {
                Err(Error::NotFiniteQuery {
                    query: self.name.clone(),
                    number,
                })
            }
        };
        values.map(number).collect()
    }
}

/// Returns the name of `element`, or the name of its constructor if the element has no name.
fn short_name(element: &AnyElement) -> String {
    let label = element.label();
    label.short().to_string()
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl fmt::Debug for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Query({})", self.name)
    }
}
