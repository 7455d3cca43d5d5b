//! `Atomic`: a random value with a distribution of its own.

use std::any::Any;
use std::marker::PhantomData;
use std::panic::Location;

use rand::Rng;

use crate::datum::Datum;
use crate::distribution::{Distribution, Outcomes};
use crate::element::Element;
use crate::node::{AtomicOp, Endless, FiniteOutcomes, Kind};
use crate::support::SupportBuilder;
use crate::value::Value;

/// Builds an element from any [`Distribution`], the user's own included.
#[derive(Debug)]
pub struct Atomic;

impl Atomic {
    /// An element with this distribution.
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
    let op = Typed {
        distribution,
        values: PhantomData,
    };
    Element::from_kind(constructor, location, Kind::Atomic(Box::new(op)))
}

struct Typed<T, D> {
    distribution: D,
    values: PhantomData<fn() -> T>,
}

impl<T: Value, D: Distribution<T>> AtomicOp for Typed<T, D> {
    fn check(&self) -> Result<(), String> {
        self.distribution.check()
    }

    fn outcomes(&self) -> Result<FiniteOutcomes, Endless> {
        let outcomes = match self.distribution.outcomes() {
            Outcomes::Finite(outcomes) => outcomes,
            Outcomes::Infinite => return Err(Endless::Infinite),
            Outcomes::Continuous => return Err(Endless::Continuous),
        };
        let mut values = SupportBuilder::new::<T>();
        let mut probabilities: Vec<f64> = Vec::with_capacity(outcomes.len());
        for (value, probability) in outcomes {
            match values.insert(&value) {
                Some(index) if index < probabilities.len() => probabilities[index] += probability,
                _ => probabilities.push(probability),
            }
        }
        Ok(FiniteOutcomes {
            support: values.build(),
            probabilities,
        })
    }

    fn log_prob(&self, value: &dyn Any) -> f64 {
        value
            .downcast_ref()
            .map_or(f64::NEG_INFINITY, |value| self.distribution.log_prob(value))
    }

    fn sample(&self, rng: &mut dyn Rng) -> Datum {
        Datum::new(self.distribution.sample(rng))
    }

    fn describe(&self) -> String {
        self.distribution.describe()
    }
}
