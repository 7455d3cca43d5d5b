//! `Flip`: the Bernoulli distribution.

use std::ops::Range;
use std::panic::Location;

use rand::{Rng, RngExt};

use super::distribution::{Family, Outcomes, WrongParameter};
use super::likelihood::{Likelihood, Term};
use super::moments::times;
use super::param::{Number, Operand};
use crate::element::Element;
use crate::element::family::{compiled_family, debug_name};

/// Builds the element that is `true` with a given probability.
#[derive(Debug)]
pub struct Flip;

impl Flip {
    /// Creates an element that is true with probability `probability`, which is a number, a
    /// [`Param`](crate::Param), or an element.
    #[track_caller]
    pub fn new(probability: impl Into<Operand>) -> Element<bool> {
        compiled_family!("Flip": Bernoulli => bool, [probability.into()])
    }
}

#[derive(Clone)]
struct Bernoulli;

debug_name!(Bernoulli, "Flip");

impl Family<bool> for Bernoulli {
    fn parameters(&self) -> &'static [&'static str] {
        &["probability"]
    }

    #[inline]
    fn check(&self, parameters: &[f64]) -> Result<(), WrongParameter> {
        if (0.0..=1.0).contains(&parameters[0]) {
            Ok(())
        } else {
            Err(WrongParameter::new(0, "is outside [0, 1]"))
        }
    }

    fn outcomes(&self, parameters: &[Number]) -> Outcomes<bool> {
        let probability = &parameters[0];
        let p = probability.get();
        let mut outcomes = Vec::with_capacity(2);
        if !probability.is_structural_zero() {
            outcomes.push((true, p));
        }
        if !matches!(probability, Number::Constant(1.0)) {
            outcomes.push((false, 1.0 - p));
        }
        Outcomes::Finite(outcomes)
    }

    #[inline]
    fn log_prob(&self, parameters: &[f64], value: &bool) -> f64 {
        let p = parameters[0];
        if *value { p.ln() } else { (-p).ln_1p() }
    }

    /// Returns the sufficient statistics of Boolean values: the number of values, and the number of values that are true.
    fn statistics(&self, values: &[bool]) -> Option<Vec<f64>> {
        let heads = values.iter().filter(|value| **value).count();
        Some(vec![values.len() as f64, heads as f64])
    }

    fn log_prob_of_all(&self, parameters: &[f64], statistics: &[f64]) -> f64 {
        let (p, [count, heads]) = (parameters[0], [statistics[0], statistics[1]]);
        times(heads, p.ln()) + times(count - heads, (-p).ln_1p())
    }

    fn likelihood(
        &self,
        parameters: &[f64],
        open: Range<usize>,
        value: &bool,
        likelihood: &mut Likelihood,
    ) {
        let _ = (parameters, open);
        let term = if *value {
            Term::Log
        } else {
            Term::LogComplement
        };
        likelihood.add(term, 1.0);
    }

    fn likelihood_of_all(
        &self,
        parameters: &[f64],
        open: Range<usize>,
        statistics: &[f64],
        likelihood: &mut Likelihood,
    ) {
        let _ = (parameters, open);
        let [count, heads] = [statistics[0], statistics[1]];
        for (term, count) in [(Term::Log, heads), (Term::LogComplement, count - heads)] {
            if count > 0.0 {
                likelihood.add(term, count);
            }
        }
    }

    #[inline]
    fn sample<R: Rng + ?Sized>(&self, parameters: &[f64], rng: &mut R) -> bool {
        // The parameter may become invalid while a sampler runs; a comparison accepts any number and never panics.
        rng.random::<f64>() < parameters[0]
    }
}
