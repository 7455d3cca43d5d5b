//! `Atomic`: a random value with its own distribution.

use std::any::Any;
use std::marker::PhantomData;
use std::panic::Location;

use rand::Rng;

use super::apply::contained;
use super::discretise::{Bins, divided};
use super::distribution::{Distribution, Outcomes, Space, Tails};
use super::node::{AnyElement, Kind};
use super::operations::{AtomicOp, FiniteOutcomes, NotEnumerable};
use super::param::Number;
use crate::element::Element;
use crate::error::Fault;
use crate::model::evidence::LARGEST_LOG;
use crate::random::Stream;
use crate::value::Value;
use crate::value::datum::Datum;
use crate::value::support::{AnyColumn, SupportBuilder};

/// Builds an element with a given [`Distribution`], which the user may have defined.
#[derive(Debug)]
pub struct Atomic;

impl Atomic {
    /// Creates an element with the distribution `distribution`.
    #[track_caller]
    pub fn new<T: Value>(distribution: impl Distribution<T>) -> Element<T> {
        atomic_at("Atomic", Location::caller(), distribution)
    }
}

pub(crate) fn atomic_at<T: Value>(
    constructor: &'static str,
    location: &'static Location<'static>,
    distribution: impl Distribution<T>,
) -> Element<T> {
    with_known(constructor, location, distribution, None)
}

/// Creates a decision: an element whose value is chosen among the outcomes of `options`, given the values of the elements `known`.
pub(crate) fn decision_at<T: Value>(
    location: &'static Location<'static>,
    options: impl Distribution<T>,
    known: Vec<AnyElement>,
) -> Element<T> {
    with_known("Decision", location, options, Some(known))
}

fn with_known<T: Value>(
    constructor: &'static str,
    location: &'static Location<'static>,
    distribution: impl Distribution<T>,
    known: Option<Vec<AnyElement>>,
) -> Element<T> {
    let op = TypedDistribution {
        distribution,
        known,
        values: PhantomData,
    };
    Element::from_kind(constructor, location, Kind::Atomic(Box::new(op)))
}

/// Tolerance on the sum of a list of probabilities, for the rounding errors of long lists.
const TOLERANCE: f64 = 1e-6;

/// Returns the outcomes as an untyped list, in which equal values are merged; returns an error if the probabilities are invalid.
pub(crate) fn listed<T: Value>(
    outcomes: Outcomes<T>,
) -> Result<Result<FiniteOutcomes, NotEnumerable>, Fault> {
    let outcomes = match outcomes {
        Outcomes::Finite(outcomes) => outcomes,
        Outcomes::Infinite => return Ok(Err(NotEnumerable::Infinite)),
        Outcomes::TooMany => return Ok(Err(NotEnumerable::TooMany)),
        Outcomes::Continuous => return Ok(Err(NotEnumerable::Continuous)),
    };
    let mut values = SupportBuilder::new::<T>();
    values.reserve(outcomes.len());
    let mut probabilities: Vec<f64> = Vec::with_capacity(outcomes.len());
    for (value, probability) in outcomes {
        match values.insert(&value) {
            Some(index) if index < probabilities.len() => probabilities[index] += probability,
            _ => probabilities.push(probability),
        }
    }
    let sum: f64 = probabilities.iter().sum();
    if !((sum - 1.0).abs() < TOLERANCE && probabilities.iter().all(|&p| p >= 0.0)) {
        return Err(Fault::Distribution(format!(
            "lists {} outcomes whose probabilities sum to {sum}; they must be non-negative and sum to 1",
            probabilities.len()
        )));
    }
    Ok(Ok(FiniteOutcomes {
        support: values.build(),
        probabilities,
    }))
}

/// Returns `log`, the log-probability of a value with the text `text`, or an error if `log` is neither finite nor `-inf`. A log-probability so low
/// that a sum of such numbers could overflow becomes `-inf`.
pub(super) fn proper(log: f64, text: impl FnOnce() -> String) -> Result<f64, Fault> {
    if log <= LARGEST_LOG {
        Ok(if log < -LARGEST_LOG {
            f64::NEG_INFINITY
        } else {
            log
        })
    } else {
        Err(Fault::Distribution(format!(
            "gives {} the log-probability {log}; it must be a number or -inf",
            text()
        )))
    }
}

/// Returns the sum of the log-probabilities `logs` of values; `text` returns the text of the value with a given index. See [`proper`].
pub(super) fn proper_sum(logs: &[f64], text: impl Fn(usize) -> String) -> Result<f64, Fault> {
    let sum: f64 = logs.iter().sum();
    if sum.abs() <= LARGEST_LOG {
        return Ok(sum);
    }
    let mut sum = 0.0;
    for (index, &log) in logs.iter().enumerate() {
        sum += proper(log, || text(index))?;
    }
    Ok(if sum < -LARGEST_LOG {
        f64::NEG_INFINITY
    } else {
        sum
    })
}

struct TypedDistribution<T, D> {
    distribution: D,
    /// For a decision, the elements whose values are known when its value is chosen.
    known: Option<Vec<AnyElement>>,
    values: PhantomData<fn() -> T>,
}

impl<T: Value, D: Distribution<T>> AtomicOp for TypedDistribution<T, D> {
    fn check(&self) -> Result<(), String> {
        contained(|| self.distribution.check()).unwrap_or_else(|fault| Err(fault.to_string()))
    }

    fn outcomes(&self) -> Result<Result<FiniteOutcomes, NotEnumerable>, Fault> {
        listed(contained(|| self.distribution.outcomes())?)
    }

    fn log_prob(&self, value: &dyn Any) -> Result<f64, Fault> {
        let Some(typed) = value.downcast_ref::<T>() else {
            return Ok(f64::NEG_INFINITY);
        };
        let log = contained(|| self.distribution.log_prob(typed))?;
        proper(log, || format!("{typed:?}"))
    }

    fn sample(&self, rng: &mut dyn Rng) -> Result<Datum, Fault> {
        contained(|| self.distribution.sample(rng)).map(Datum::new)
    }

    fn sample_many(&self, count: usize, rng: &mut Stream) -> Result<Box<dyn AnyColumn>, Fault> {
        let mut values = contained(|| self.distribution.sample_many(count, rng))?;
        for value in &mut values {
            if let Some(canonical) = value.canonical() {
                *value = canonical;
            }
        }
        if values.len() != count {
            return Err(Fault::Distribution(format!(
                "returned {} values when `sample_many` was asked for {count}",
                values.len()
            )));
        }
        Ok(Box::new(values))
    }

    fn log_prob_of_all(&self, values: &dyn AnyColumn) -> Result<f64, Fault> {
        let Some(values) = values.as_any().downcast_ref::<Vec<T>>() else {
            return Ok(f64::NEG_INFINITY);
        };
        let log = |value| self.distribution.log_prob(value);
        let logs = contained(|| values.iter().map(log).collect::<Vec<f64>>())?;
        proper_sum(&logs, |index| format!("{:?}", values[index]))
    }

    fn tails(&self, value: &dyn Any) -> Result<Option<Tails>, Fault> {
        let Some(typed) = value.downcast_ref::<T>() else {
            return Ok(None);
        };
        let tails = contained(|| self.distribution.tails(typed))?;
        Ok(tails.and_then(Tails::clamped))
    }

    fn space(&self) -> Space {
        contained(|| self.distribution.space()).unwrap_or_default()
    }

    fn numbers(&self) -> &[Number] {
        self.distribution.numbers()
    }

    fn known(&self) -> Option<&[AnyElement]> {
        self.known.as_deref()
    }

    fn divided(&self) -> Option<(&dyn AtomicOp, &Bins)> {
        divided(&self.distribution)
    }

    fn describe(&self) -> String {
        self.distribution.describe()
    }

    fn heap_bytes(&self) -> usize {
        let known = self.known().map_or(0, size_of_val);
        known + self.distribution.heap_bytes()
    }
}
