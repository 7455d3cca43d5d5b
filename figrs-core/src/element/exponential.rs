//! `Exponential`: the exponential distribution of the time until an event.

use std::ops::Range;
use std::panic::Location;

use rand::Rng;
use rand::distr::Distribution as _;
use statrs::distribution::Exp as Statrs;

use super::convention::{RateConvention, RateOrScale, kept_finite, kept_positive, positive};
use super::distribution::{Family, Outcomes, Tails, WrongParameter};
use super::gamma::{conditional_gamma, unit_gamma};
use super::likelihood::{Likelihood, Term};
use super::moments::sum_of;
use super::param::Number;
use crate::element::Element;
use crate::element::family::{compiled_family, debug_name};

/// Builds the random time until an event that is equally likely at every moment.
#[derive(Debug)]
pub struct Exponential;

impl Exponential {
    /// Creates a time with the [`Rate`](crate::Rate) or the [`Scale`](crate::Scale) `pace`; the scale is the mean.
    ///
    /// The support of the exponential distribution is the non-negative numbers. The exponential density is rate · exp(−rate · x), the mean 1 / rate
    /// and the variance 1 / rate².
    #[track_caller]
    pub fn new(pace: impl Into<RateOrScale>) -> Element<f64> {
        let RateOrScale { pace, operand } = pace.into();
        compiled_family!(
            "Exponential": ExponentialDistribution => f64,
            ExponentialDistribution(pace), [operand]
        )
    }
}

#[derive(Clone)]
struct ExponentialDistribution(RateConvention);

debug_name!(ExponentialDistribution, "Exponential");

impl Family<f64> for ExponentialDistribution {
    fn parameters(&self) -> &'static [&'static str] {
        match self.0 {
            RateConvention::Rate => &["rate"],
            RateConvention::Scale => &["scale"],
        }
    }

    #[inline]
    fn check(&self, parameters: &[f64]) -> Result<(), WrongParameter> {
        positive(parameters, 0)
    }

    fn outcomes(&self, _: &[Number]) -> Outcomes<f64> {
        Outcomes::Continuous
    }

    #[inline]
    fn log_prob(&self, parameters: &[f64], value: &f64) -> f64 {
        if *value < 0.0 {
            return f64::NEG_INFINITY;
        }
        self.0.ln_rate(parameters[0]) - self.0.standard(*value, parameters[0])
    }

    fn is_same_as(&self, other: &Self) -> bool {
        self.0 == other.0
    }

    /// Returns the sufficient statistics of exponential values: the number of values and their sum.
    fn statistics(&self, values: &[f64]) -> Option<Vec<f64>> {
        let positive = values.iter().all(|x| *x >= 0.0);
        positive.then(|| vec![values.len() as f64, sum_of(values, |x| *x)])
    }

    fn log_prob_of_all(&self, parameters: &[f64], statistics: &[f64]) -> f64 {
        let [count, sum] = [statistics[0], statistics[1]];
        count * self.0.ln_rate(parameters[0]) - self.0.standard(sum, parameters[0])
    }

    fn likelihood(
        &self,
        parameters: &[f64],
        open: Range<usize>,
        value: &f64,
        likelihood: &mut Likelihood,
    ) {
        let _ = (parameters, open);
        self.0.likelihood(1.0, *value, likelihood);
    }

    fn likelihood_of_all(
        &self,
        parameters: &[f64],
        open: Range<usize>,
        statistics: &[f64],
        likelihood: &mut Likelihood,
    ) {
        let _ = (parameters, open);
        self.0.likelihood(statistics[0], statistics[1], likelihood);
    }

    fn conjugate_terms(&self) -> &'static [Term] {
        &[Term::Log, Term::Linear]
    }

    fn sample_conditional<R: Rng + ?Sized>(
        &self,
        parameters: &[f64],
        likelihood: &Likelihood,
        rng: &mut R,
    ) -> Option<f64> {
        let rate = self.0.standard(1.0, parameters[0]);
        let (shape, rate) = conditional_gamma(1.0, rate, likelihood)?;
        Some(kept_positive(unit_gamma(shape, rng) / rate))
    }

    #[inline]
    fn sample<R: Rng + ?Sized>(&self, parameters: &[f64], rng: &mut R) -> f64 {
        kept_finite(self.0.stretched(unit_exponential(rng), parameters[0]))
    }

    fn tails(&self, parameters: &[f64], value: &f64) -> Option<Tails> {
        let x = self.0.standard(value.max(0.0), parameters[0]);
        Some(Tails {
            lower: -(-x).exp_m1(),
            upper: (-x).exp(),
        })
    }
}

pub(super) fn unit_exponential<R: Rng + ?Sized>(rng: &mut R) -> f64 {
    Statrs::new(1.0).map_or(f64::NAN, |exponential| exponential.sample(rng))
}
