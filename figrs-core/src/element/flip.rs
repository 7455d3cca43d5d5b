//! `Flip`: true with some probability.

use std::panic::Location;

use rand::{Rng, RngExt};

use crate::distribution::{Distribution, Outcomes};
use crate::element::{Element, atomic_at, chain_at};
use crate::param::{Number, Operand};
use crate::parents::One;

/// Builds the element that is `true` with a given probability.
#[derive(Debug)]
pub struct Flip;

impl Flip {
    /// True with this probability: a number, a [`Param`](crate::Param), or an element.
    #[track_caller]
    pub fn new(probability: impl Into<Operand>) -> Element<bool> {
        let location = Location::caller();
        match probability.into() {
            Operand::Number(p) => atomic_at("Flip", location, Bernoulli(p)),
            Operand::Element(p) => {
                let parents = vec![p.erased().clone()];
                chain_at::<One<f64>, _, _>("Flip", location, parents, move |&p| {
                    atomic_at("Flip", location, Bernoulli(Number::Constant(p)))
                })
            }
        }
    }
}

#[derive(Debug)]
struct Bernoulli(Number);

impl Distribution<bool> for Bernoulli {
    fn check(&self) -> Result<(), String> {
        let p = self.0.get();
        if (0.0..=1.0).contains(&p) {
            Ok(())
        } else {
            Err(format!("probability {:?} is outside [0, 1]", self.0))
        }
    }

    fn outcomes(&self) -> Outcomes<bool> {
        let p = self.0.get();
        let mut outcomes = Vec::with_capacity(2);
        if !self.0.is_structural_zero() {
            outcomes.push((true, p));
        }
        if !matches!(self.0, Number::Constant(1.0)) {
            outcomes.push((false, 1.0 - p));
        }
        Outcomes::Finite(outcomes)
    }

    fn log_prob(&self, value: &bool) -> f64 {
        let p = self.0.get();
        if *value { p.ln() } else { (-p).ln_1p() }
    }

    fn sample(&self, rng: &mut dyn Rng) -> bool {
        // A parameter may change while a sampler runs: any number is compared, none panics.
        rng.random::<f64>() < self.0.get()
    }

    fn describe(&self) -> String {
        format!("Flip({:?})", self.0)
    }
}
