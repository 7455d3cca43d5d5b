//! `Constant`: a deterministic value.

use std::panic::Location;

use rand::Rng;

use super::distribution::{Distribution, Outcomes};
use crate::element::{Element, atomic_at};
use crate::value::Value;

/// Builds an element that always has the same value.
#[derive(Debug)]
pub struct Constant;

impl Constant {
    /// Creates the element whose value is always `value`.
    #[track_caller]
    pub fn new<T: Value>(value: T) -> Element<T> {
        atomic_at("Constant", Location::caller(), PointMass(value))
    }
}

#[derive(Debug)]
struct PointMass<T>(T);

impl<T: Value> Distribution<T> for PointMass<T> {
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
    fn outcomes(&self) -> Outcomes<T> {
        Outcomes::Finite(vec![(self.0.clone(), 1.0)])
    }
    fn log_prob(&self, value: &T) -> f64 {
        if self.0.same(value) {
            0.0
        } else {
            f64::NEG_INFINITY
        }
    }
    fn sample(&self, _: &mut dyn Rng) -> T {
        self.0.clone()
    }
    fn describe(&self) -> String {
        format!("{:?}", self.0)
    }
    fn heap_bytes(&self) -> usize {
        self.0.heap_bytes()
    }
}
