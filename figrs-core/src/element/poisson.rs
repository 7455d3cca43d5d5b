//! `Poisson`: the Poisson distribution of the number of independent events.

use std::ops::Range;
use std::panic::Location;

use rand::Rng;
use rand::distr::Distribution as _;
use statrs::distribution::{Normal, Poisson as Statrs};

use super::distribution::{Family, Outcomes, WrongParameter};
use super::likelihood::{Likelihood, Term};
use super::moments::sum_of;
use super::param::{Number, Operand};
use super::saddle_point::ln_poisson;
use crate::element::Element;
use crate::element::family::{compiled_family, debug_name};

/// Builds the number of events that happen independently of each other.
#[derive(Debug)]
pub struct Poisson;

impl Poisson {
    /// Creates a random count with the rate `rate`, which is the expected number of events. The rate of the Poisson distribution is a number, a
    /// [`Param`](crate::Param), or an element, and at most 1e9.
    ///
    /// The Poisson support is the non-negative integers, the probability of k is rate^k exp(−rate) / k!, and both mean and variance equal the rate.
    #[track_caller]
    pub fn new(rate: impl Into<Operand>) -> Element<u64> {
        compiled_family!("Poisson": PoissonDistribution => u64, [rate.into()])
    }
}

/// Largest rate of a Poisson distribution for which the library's sampler is used; for larger rates, its rejection test loses digits.
const MAX_RATE: f64 = 1e9;

#[derive(Clone)]
struct PoissonDistribution;

debug_name!(PoissonDistribution, "Poisson");

impl PoissonDistribution {
    fn statrs(parameters: &[f64]) -> Option<Statrs> {
        let rate = parameters[0].min(MAX_RATE);
        Statrs::new(rate).ok()
    }
}

impl Family<u64> for PoissonDistribution {
    fn parameters(&self) -> &'static [&'static str] {
        &["rate"]
    }

    #[inline]
    fn check(&self, parameters: &[f64]) -> Result<(), WrongParameter> {
        if parameters[0] > 0.0 && parameters[0] <= MAX_RATE {
            Ok(())
        } else {
            let problem = format!("must be positive and at most {MAX_RATE:e}");
            Err(WrongParameter::new(0, problem))
        }
    }

    fn outcomes(&self, _: &[Number]) -> Outcomes<u64> {
        Outcomes::Infinite
    }

    #[inline]
    fn log_prob(&self, parameters: &[f64], value: &u64) -> f64 {
        ln_poisson(*value as f64, parameters[0], parameters[0].ln())
    }

    /// Returns three statistics of Poisson values: their number, their mean, and their total log-probability at a rate equal to that mean.
    fn statistics(&self, values: &[u64]) -> Option<Vec<f64>> {
        let count = values.len() as f64;
        let sum = sum_of(values, |k| *k as f64);
        if sum == 0.0 {
            return Some(vec![count, 0.0, 0.0]);
        }
        let mean = sum / count;
        let ln_mean = mean.ln();
        let at_mean = sum_of(values, |k| ln_poisson(*k as f64, mean, ln_mean));
        Some(vec![count, mean, at_mean])
    }

    fn log_prob_of_all(&self, parameters: &[f64], statistics: &[f64]) -> f64 {
        let [count, mean, at_mean] = [statistics[0], statistics[1], statistics[2]];
        let rate = parameters[0];
        if mean == 0.0 {
            return -count * rate;
        }
        let apart = (rate - mean) / mean;
        // This form of the difference of the log-probabilities loses no digits if the rate is close to the mean.
        at_mean + count * mean * (apart.ln_1p() - apart)
    }

    fn likelihood(
        &self,
        parameters: &[f64],
        open: Range<usize>,
        value: &u64,
        likelihood: &mut Likelihood,
    ) {
        let _ = (parameters, open);
        likelihood.add(Term::Log, *value as f64);
        likelihood.add(Term::Linear, -1.0);
    }

    fn likelihood_of_all(
        &self,
        parameters: &[f64],
        open: Range<usize>,
        statistics: &[f64],
        likelihood: &mut Likelihood,
    ) {
        let _ = (parameters, open);
        let [count, mean] = [statistics[0], statistics[1]];
        likelihood.add(Term::Log, count * mean);
        likelihood.add(Term::Linear, -count);
    }

    #[inline]
    fn sample<R: Rng + ?Sized>(&self, parameters: &[f64], rng: &mut R) -> u64 {
        Self::statrs(parameters).map_or(0, |poisson| poisson.sample(rng))
    }
}

/// Draws a Poisson count with any rate. For a rate above [`MAX_RATE`], where the skewness of the Poisson distribution is below 1e-4, a normal draw is
/// rounded to an integer.
pub(super) fn draw_poisson<R: Rng + ?Sized>(rate: f64, rng: &mut R) -> u64 {
    if rate > MAX_RATE {
        let normal: f64 = Normal::standard().sample(rng);
        return (rate + rate.sqrt() * normal).round() as u64;
    }
    PoissonDistribution.sample(&[rate], rng)
}
