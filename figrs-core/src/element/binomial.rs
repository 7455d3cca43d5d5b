//! `Binomial`: the number of successes in independent trials.

use std::panic::Location;

use rand::{Rng, RngExt};
use statrs::distribution::{Binomial as Statrs, Discrete};

use crate::distribution::{Distribution, Outcomes};
use crate::element::{Element, atomic_at, chain_at};
use crate::param::{Number, Operand};
use crate::parents::One;

/// Builds the number of successes in `n` trials that succeed with probability `p`.
#[derive(Debug)]
pub struct Binomial;

impl Binomial {
    /// Successes in `trials` trials; the probability is a number, a [`Param`](crate::Param), or an element.
    #[track_caller]
    pub fn new(trials: u32, probability: impl Into<Operand>) -> Element<u32> {
        let location = Location::caller();
        let build = move |p| atomic_at("Binomial", location, Trials { trials, p });
        match probability.into() {
            Operand::Number(p) => build(p),
            Operand::Element(p) => {
                let parents = vec![p.erased().clone()];
                chain_at::<One<f64>, _, _>("Binomial", location, parents, move |&p| {
                    build(Number::Constant(p))
                })
            }
        }
    }
}

/// The most outcomes that are listed.
const MOST: u32 = 1 << 24;

#[derive(Debug)]
struct Trials {
    trials: u32,
    p: Number,
}

impl Trials {
    fn statrs(&self) -> Option<Statrs> {
        Statrs::new(self.p.get(), u64::from(self.trials)).ok()
    }
}

impl Distribution<u32> for Trials {
    fn check(&self) -> Result<(), String> {
        if self.trials > MOST {
            return Err(format!(
                "{} trials are too many to list; at most {MOST}",
                self.trials
            ));
        }
        if (0.0..=1.0).contains(&self.p.get()) {
            Ok(())
        } else {
            Err(format!("probability {:?} is outside [0, 1]", self.p))
        }
    }

    fn outcomes(&self) -> Outcomes<u32> {
        let Some(binomial) = self.statrs() else {
            return Outcomes::Finite(Vec::new());
        };
        let range = match self.p {
            Number::Constant(0.0) => 0..=0,
            Number::Constant(1.0) => self.trials..=self.trials,
            _ => 0..=self.trials,
        };
        Outcomes::Finite(range.map(|k| (k, binomial.pmf(u64::from(k)))).collect())
    }

    fn log_prob(&self, value: &u32) -> f64 {
        self.statrs()
            .map_or(f64::NAN, |binomial| binomial.ln_pmf(u64::from(*value)))
    }

    fn sample(&self, rng: &mut dyn Rng) -> u32 {
        let p = self.p.get();
        (0..self.trials)
            .map(|_| u32::from(rng.random::<f64>() < p))
            .sum()
    }

    fn describe(&self) -> String {
        format!("Binomial({}, {:?})", self.trials, self.p)
    }
}
