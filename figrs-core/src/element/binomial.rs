//! `Binomial`: the number of successes in independent trials.

use std::fmt;
use std::panic::Location;

use rand::{Rng, RngExt};
use statrs::distribution::{Binomial as Statrs, Discrete};

use crate::distribution::{Family, Outcomes, WrongParameter};
use crate::element::{Element, family_at};
use crate::param::{Number, Operand};

/// Builds the number of successes in `n` trials that succeed with probability `p`.
#[derive(Debug)]
pub struct Binomial;

impl Binomial {
    /// Successes in `trials` trials; the probability is a number, a [`Param`](crate::Param), or an element.
    #[track_caller]
    pub fn new(trials: u32, probability: impl Into<Operand>) -> Element<u32> {
        let parameters = vec![probability.into()];
        family_at("Binomial", Location::caller(), Trials(trials), parameters)
    }
}

/// The most outcomes that are listed.
const MOST: u32 = 1 << 24;

struct Trials(u32);

impl fmt::Debug for Trials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Binomial[{} trials]", self.0)
    }
}

impl Trials {
    fn statrs(&self, p: f64) -> Option<Statrs> {
        Statrs::new(p, u64::from(self.0)).ok()
    }
}

impl Family<u32> for Trials {
    fn parameters(&self) -> &'static [&'static str] {
        &["probability"]
    }

    fn check(&self, parameters: &[f64]) -> Result<(), WrongParameter> {
        if self.0 > MOST {
            return Err(WrongParameter::new(
                0,
                format!(
                    "for {} trials: they are too many to list; at most {MOST}",
                    self.0
                ),
            ));
        }
        if (0.0..=1.0).contains(&parameters[0]) {
            Ok(())
        } else {
            Err(WrongParameter::new(0, "is outside [0, 1]"))
        }
    }

    fn outcomes(&self, parameters: &[Number]) -> Outcomes<u32> {
        let Some(binomial) = self.statrs(parameters[0].get()) else {
            return Outcomes::Finite(Vec::new());
        };
        let range = match parameters[0] {
            Number::Constant(0.0) => 0..=0,
            Number::Constant(1.0) => self.0..=self.0,
            _ => 0..=self.0,
        };
        Outcomes::Finite(range.map(|k| (k, binomial.pmf(u64::from(k)))).collect())
    }

    fn log_prob(&self, parameters: &[f64], value: &u32) -> f64 {
        self.statrs(parameters[0])
            .map_or(f64::NAN, |binomial| binomial.ln_pmf(u64::from(*value)))
    }

    fn sample<R: Rng + ?Sized>(&self, parameters: &[f64], rng: &mut R) -> u32 {
        let p = parameters[0];
        (0..self.0)
            .map(|_| u32::from(rng.random::<f64>() < p))
            .sum()
    }
}
