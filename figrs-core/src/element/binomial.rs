//! `Binomial`: the binomial distribution of the number of successes in independent trials.

use std::ops::Range;
use std::panic::Location;

use rand::Rng;
use rand::distr::Distribution as _;
use statrs::distribution::{Binomial as Statrs, Discrete};

use super::distribution::{Family, Outcomes, WrongParameter};
use super::likelihood::{Likelihood, Term};
use super::param::{Number, Operand};
use crate::element::Element;
use crate::element::family::{compiled_family, debug_name};
use crate::value::integer::Integer;

/// Builds the number of successes in `n` trials that succeed with probability `p`.
#[derive(Debug)]
pub struct Binomial;

impl Binomial {
    /// Creates the number of successes in `trials` trials. `trials` is an integer or an element of integers; the probability is a
    /// number, a [`Param`](crate::Param), or an element.
    ///
    /// The support is the integers from 0 to `trials`, which is at most 2²⁴. The mean is n p, and the variance is n p (1 − p).
    #[track_caller]
    pub fn new(trials: impl Into<Integer>, probability: impl Into<Operand>) -> Element<u32> {
        let parameters = vec![trials.into().operand(), probability.into()];
        compiled_family!("Binomial": BinomialDistribution => u32, parameters)
    }
}

const MAX_OUTCOMES: u32 = 1 << 24;

#[derive(Clone)]
struct BinomialDistribution;

debug_name!(BinomialDistribution, "Binomial");

fn statrs(trials: f64, p: f64) -> Option<Statrs> {
    Statrs::new(p, trials as u64).ok()
}

impl Family<u32> for BinomialDistribution {
    fn parameters(&self) -> &'static [&'static str] {
        &["number of trials", "probability"]
    }

    #[inline]
    fn check(&self, parameters: &[f64]) -> Result<(), WrongParameter> {
        let [trials, p] = [parameters[0], parameters[1]];
        if !(trials >= 0.0 && trials.fract() == 0.0) {
            return Err(WrongParameter::new(0, "must be an integer from zero"));
        }
        if trials > f64::from(MAX_OUTCOMES) {
            let problem =
                format!("is too large: the outcomes are too many to list; at most {MAX_OUTCOMES}");
            return Err(WrongParameter::new(0, problem));
        }
        if (0.0..=1.0).contains(&p) {
            Ok(())
        } else {
            Err(WrongParameter::new(1, "is outside [0, 1]"))
        }
    }

    fn outcomes(&self, parameters: &[Number]) -> Outcomes<u32> {
        let numbers = [parameters[0].get(), parameters[1].get()];
        let [trials, p] = numbers;
        let Some(binomial) = statrs(trials, p).filter(|_| self.check(&numbers).is_ok()) else {
            return Outcomes::Finite(Vec::new());
        };
        let trials = trials as u32;
        let range = match parameters[1] {
            Number::Constant(0.0) => 0..=0,
            Number::Constant(1.0) => trials..=trials,
            _ => 0..=trials,
        };
        Outcomes::Finite(range.map(|k| (k, binomial.pmf(u64::from(k)))).collect())
    }

    #[inline]
    fn log_prob(&self, parameters: &[f64], value: &u32) -> f64 {
        statrs(parameters[0], parameters[1])
            .map_or(f64::NAN, |binomial| binomial.ln_pmf(u64::from(*value)))
    }

    fn likelihood(
        &self,
        parameters: &[f64],
        open: Range<usize>,
        value: &u32,
        likelihood: &mut Likelihood,
    ) {
        let (successes, trials) = (f64::from(*value), parameters[0]);
        if open != (1..2) || successes > trials {
            return likelihood.refuse();
        }
        likelihood.add(Term::Log, successes);
        likelihood.add(Term::LogComplement, trials - successes);
    }

    #[inline]
    fn sample<R: Rng + ?Sized>(&self, parameters: &[f64], rng: &mut R) -> u32 {
        let trials = parameters[0].min(f64::from(MAX_OUTCOMES));
        let drawn: Option<u64> = statrs(trials, parameters[1]).map(|b| b.sample(rng));
        drawn.map_or(0, |k| k as u32)
    }
}
