//! `Gamma`: the gamma distribution of sums of waiting times.

use std::ops::Range;
use std::panic::Location;

use rand::distr::Distribution as _;
use rand::{Rng, RngExt};
use statrs::distribution::{ContinuousCDF, Gamma as Statrs};
use statrs::function::gamma::digamma;

use super::convention::{RateConvention, RateOrScale, kept_positive, positive};
use super::distribution::{Family, Outcomes, Tails, WrongParameter, derivative_by_terms};
use super::likelihood::{Likelihood, Term};
use super::moments::sum_of;
use super::param::{Number, Operand};
use super::saddle_point::ln_poisson;
use crate::element::Element;
use crate::element::family::{compiled_family, debug_name};

/// Builds a random number with a gamma distribution.
#[derive(Debug)]
pub struct Gamma;

impl Gamma {
    /// Creates a number with the shape `shape`, and a [`Rate`](crate::Rate) or a [`Scale`](crate::Scale); the scale is 1 / rate.
    ///
    /// The support of the gamma distribution is the positive numbers. The mean of the gamma distribution is shape / rate = shape · scale, and its
    /// variance is shape / rate² = shape · scale². With a shape of one, the gamma distribution is [`Exponential`](crate::Exponential). With a shape
    /// below one, the gamma density at zero is infinite, and observing zero is an error.
    #[track_caller]
    pub fn new(shape: impl Into<Operand>, pace: impl Into<RateOrScale>) -> Element<f64> {
        let RateOrScale { pace, operand } = pace.into();
        compiled_family!(
            "Gamma": GammaDistribution => f64,
            GammaDistribution(pace), [shape.into(), operand]
        )
    }
}

#[derive(Clone)]
pub(super) struct GammaDistribution(pub(super) RateConvention);

debug_name!(GammaDistribution, "Gamma");

impl Family<f64> for GammaDistribution {
    fn parameters(&self) -> &'static [&'static str] {
        match self.0 {
            RateConvention::Rate => &["shape", "rate"],
            RateConvention::Scale => &["shape", "scale"],
        }
    }

    #[inline]
    fn check(&self, parameters: &[f64]) -> Result<(), WrongParameter> {
        positive(parameters, 0)?;
        positive(parameters, 1)
    }

    fn outcomes(&self, _: &[Number]) -> Outcomes<f64> {
        Outcomes::Continuous
    }

    #[inline]
    fn log_prob(&self, parameters: &[f64], value: &f64) -> f64 {
        let [shape, pace] = [parameters[0], parameters[1]];
        let ln_rate = self.0.ln_rate(pace);
        let x = self.0.standard(*value, pace);
        ln_gamma_density(shape, x, *value, value.ln() + ln_rate) + ln_rate
    }

    fn is_same_as(&self, other: &Self) -> bool {
        self.0 == other.0
    }

    /// Returns the sufficient statistics of gamma-distributed values: the number of values, their sum, and the sum of their logarithms.
    fn statistics(&self, values: &[f64]) -> Option<Vec<f64>> {
        let positive = values.iter().all(|x| *x > 0.0);
        let sums = || [sum_of(values, |x| *x), sum_of(values, |x| x.ln())];
        positive.then(|| [values.len() as f64].into_iter().chain(sums()).collect())
    }

    fn log_prob_of_all(&self, parameters: &[f64], statistics: &[f64]) -> f64 {
        let [shape, pace] = [parameters[0], parameters[1]];
        let [count, sum, logs] = [statistics[0], statistics[1], statistics[2]];
        if count == 0.0 {
            return 0.0;
        }
        // The result is `count` times the log-density at the geometric mean, corrected for the difference between the sum of the values and `count`
        // geometric means.
        let ln_rate = self.0.ln_rate(pace);
        let middle = (logs / count).exp();
        let x = self.0.standard(middle, pace);
        let each = ln_gamma_density(shape, x, middle, logs / count + ln_rate) + ln_rate;
        count * each - self.0.standard(sum - count * middle, pace)
    }

    fn likelihood(
        &self,
        parameters: &[f64],
        open: Range<usize>,
        value: &f64,
        likelihood: &mut Likelihood,
    ) {
        if open != (1..2) {
            return likelihood.refuse();
        }
        self.0.likelihood(parameters[0], *value, likelihood);
    }

    fn likelihood_of_all(
        &self,
        parameters: &[f64],
        open: Range<usize>,
        statistics: &[f64],
        likelihood: &mut Likelihood,
    ) {
        if open != (1..2) {
            return likelihood.refuse();
        }
        let [count, sum] = [statistics[0], statistics[1]];
        self.0.likelihood(count * parameters[0], sum, likelihood);
    }

    fn conjugate_terms(&self) -> &'static [Term] {
        &[Term::Log, Term::Linear]
    }

    fn posterior(&self, parameters: &[f64], likelihood: &Likelihood) -> Option<Vec<f64>> {
        let rate = self.0.standard(1.0, parameters[1]);
        let (shape, rate) = conditional_gamma(parameters[0], rate, likelihood)?;
        Some(vec![shape, self.0.standard(1.0, rate)])
    }

    fn moments(&self, parameters: &[f64]) -> Option<Vec<(f64, f64)>> {
        let mean = self.0.stretched(parameters[0], parameters[1]);
        Some(vec![(mean, mean * mean / parameters[0])])
    }

    fn mode(&self, parameters: &[f64]) -> Option<Vec<f64>> {
        let [shape, pace] = [parameters[0], parameters[1]];
        (shape >= 1.0).then(|| vec![self.0.stretched(shape - 1.0, pace)])
    }

    fn student_t_of_spread(&self, parameters: &[f64]) -> Option<(f64, f64)> {
        // A normal number whose precision is gamma-distributed has a t-distribution.
        let [shape, pace] = [parameters[0], parameters[1]];
        Some((2.0 * shape, self.0.standard(1.0, pace) / shape))
    }

    fn log_prob_derivative(&self, parameters: &[f64], index: usize, value: &f64) -> Option<f64> {
        if index == 0 && *value > 0.0 {
            let ln_rate = self.0.ln_rate(parameters[1]);
            return Some(value.ln() + ln_rate - digamma(parameters[0]));
        }
        derivative_by_terms(self, parameters, index, value)
    }

    #[inline]
    fn sample<R: Rng + ?Sized>(&self, parameters: &[f64], rng: &mut R) -> f64 {
        let [shape, pace] = [parameters[0], parameters[1]];
        kept_positive(self.0.stretched(unit_gamma(shape, rng), pace))
    }

    fn tails(&self, parameters: &[f64], value: &f64) -> Option<Tails> {
        let x = self.0.standard(*value, parameters[1]);
        unit_gamma_tails(parameters[0], x)
    }
}

/// Returns the log-density of the gamma distribution of rate one at `x`, whose logarithm is `ln_x`. The number `x` is `value` divided by the scale;
/// because of rounding, `x` may be zero or infinite although `value` is neither.
pub(super) fn ln_gamma_density(shape: f64, x: f64, value: f64, ln_x: f64) -> f64 {
    if value < 0.0 || value == f64::INFINITY {
        f64::NEG_INFINITY
    } else if value == 0.0 {
        match shape.total_cmp(&1.0) {
            std::cmp::Ordering::Less => f64::INFINITY,
            std::cmp::Ordering::Equal => 0.0,
            std::cmp::Ordering::Greater => f64::NEG_INFINITY,
        }
    } else if shape < 1.0 {
        ln_poisson(shape, x, ln_x) + shape.ln() - ln_x
    } else {
        ln_poisson(shape - 1.0, x, ln_x)
    }
}

/// Returns the shape and the rate of the gamma distribution that is proportional to the product of a gamma distribution and `likelihood`, which has
/// terms in θ and ln θ.
pub(super) fn conditional_gamma(
    shape: f64,
    rate: f64,
    likelihood: &Likelihood,
) -> Option<(f64, f64)> {
    let shape = shape + likelihood.get(Term::Log);
    let rate = rate - likelihood.get(Term::Linear);
    let exists = shape > 0.0 && rate > 0.0 && shape.is_finite() && rate.is_finite();
    exists.then_some((shape, rate))
}

/// Returns the tail probabilities of the gamma distribution of rate one. Returns `None` for a gamma distribution with a shape above 1e8, for which
/// the library of special functions takes too long.
pub(super) fn unit_gamma_tails(shape: f64, x: f64) -> Option<Tails> {
    if shape > 1e8 {
        return None;
    }
    let gamma = Statrs::new(shape, 1.0).ok()?;
    Some(Tails {
        lower: gamma.cdf(x),
        upper: gamma.sf(x),
    })
}

/// Draws a number from the gamma distribution of rate one; the draw may round to zero.
pub(super) fn unit_gamma<R: Rng + ?Sized>(shape: f64, rng: &mut R) -> f64 {
    // For an infinite shape, the loop of the library would not end.
    match Statrs::new(shape, 1.0) {
        Ok(gamma) if shape.is_finite() => gamma.sample(rng),
        _ => f64::NAN,
    }
}

/// Returns the logarithm of a draw from the gamma distribution of rate one; the logarithm is finite even if the draw rounds to zero.
///
/// The draw with a given shape is computed from a draw with this shape plus one, times a power of a uniform random number: Marsaglia and Tsang
/// (2000), section 6.
pub(super) fn ln_unit_gamma<R: Rng + ?Sized>(shape: f64, rng: &mut R) -> f64 {
    if shape < 1.0 {
        let power = 1.0 - rng.random::<f64>();
        (unit_gamma(shape + 1.0, rng).ln() + power.ln() / shape).max(-f64::MAX)
    } else {
        unit_gamma(shape, rng).ln()
    }
}
