//! `StudentT`: Student's t-distribution.

use std::f64::consts::LN_2;
use std::panic::Location;

use rand::Rng;
use rand::distr::Distribution as _;
use statrs::distribution::{ContinuousCDF, Normal, StudentsT as Statrs};
use statrs::function::gamma::digamma;

use super::convention::{DegreesOfFreedom, Scale, finite, kept_finite, positive};
use super::distribution::{Family, Tails};
use super::gamma::ln_unit_gamma;
use super::param::Operand;
use super::saddle_point::ln_student;
use crate::element::Element;
use crate::element::family::{compiled_family, debug_name, density_parameters};

/// Builds a random number with a shifted and scaled t-distribution.
#[derive(Debug)]
pub struct StudentT;

impl StudentT {
    /// Creates the number location + scale · t, where t has Student's t-distribution with the [`DegreesOfFreedom`] `freedom`, and `scale` is a
    /// [`Scale`].
    ///
    /// The support of Student's t-distribution is all finite numbers. The mean of the shifted t-distribution is its location if the degrees of
    /// freedom n are above one. The variance of the scaled t-distribution is scale² · n / (n − 2) if n is above two, and otherwise infinite; it is
    /// not the square of the scale.
    #[track_caller]
    pub fn new<S: Into<Operand>, D: Into<Operand>>(
        location: impl Into<Operand>,
        scale: Scale<S>,
        freedom: DegreesOfFreedom<D>,
    ) -> Element<f64> {
        compiled_family!(
            "StudentT": StudentTDistribution => f64,
            [location.into(), scale.operand(), freedom.operand()]
        )
    }
}

#[derive(Clone)]
struct StudentTDistribution;

debug_name!(StudentTDistribution, "StudentT");

impl Family<f64> for StudentTDistribution {
    density_parameters!(finite "location", positive "scale", positive "degrees of freedom");

    #[inline]
    fn log_prob(&self, parameters: &[f64], value: &f64) -> f64 {
        let [location, scale, freedom] = [parameters[0], parameters[1], parameters[2]];
        let x = (value / 2.0 - location / 2.0) / scale * 2.0;
        if x.is_infinite() {
            return f64::NEG_INFINITY;
        }
        ln_student(x, freedom) - scale.ln()
    }

    fn moments(&self, parameters: &[f64]) -> Option<Vec<(f64, f64)>> {
        let [location, scale, freedom] = [parameters[0], parameters[1], parameters[2]];
        let mean = if freedom > 1.0 { location } else { f64::NAN };
        let variance = if freedom > 2.0 {
            scale * scale * freedom / (freedom - 2.0)
        } else {
            f64::INFINITY
        };
        Some(vec![(mean, variance)])
    }

    fn log_prob_derivative(&self, parameters: &[f64], index: usize, value: &f64) -> Option<f64> {
        let [location, scale, freedom] = [parameters[0], parameters[1], parameters[2]];
        let x = (value - location) / scale;
        // `pull` is the negative derivative of the log-density with respect to the logarithm of `x`.
        let pull = (freedom + 1.0) * x / (freedom + x * x) * x;
        Some(match index {
            0 => (freedom + 1.0) * x / (freedom + x * x) / scale,
            1 => (pull - 1.0) / scale,
            _ => {
                let gammas = digamma(f64::midpoint(freedom, 1.0)) - digamma(freedom / 2.0);
                let tail = (x * x / freedom).ln_1p();
                0.5 * (gammas - tail + (pull - 1.0) / freedom)
            }
        })
    }

    #[inline]
    fn sample<R: Rng + ?Sized>(&self, parameters: &[f64], rng: &mut R) -> f64 {
        let [location, scale, freedom] = [parameters[0], parameters[1], parameters[2]];
        let normal = Normal::standard().sample(rng);
        // The logarithm of a chi-squared draw divided by its degrees of freedom; without the logarithm, the draw may round to zero.
        let ln_ratio = ln_unit_gamma(freedom / 2.0, rng) + LN_2 - freedom.ln();
        kept_finite(location + kept_finite(scale * kept_finite(normal * (-0.5 * ln_ratio).exp())))
    }

    /// Returns no tail probabilities (`None`) for a Student's t-distribution with 10 000 to 1e15 degrees of freedom, for which the library of special
    /// functions is inaccurate. For a Student's t-distribution with more than 1e15 degrees of freedom, returns the tail probabilities of the normal
    /// distribution.
    fn tails(&self, parameters: &[f64], value: &f64) -> Option<Tails> {
        let [location, scale, freedom] = [parameters[0], parameters[1], parameters[2]];
        let x = kept_finite((value / 2.0 - location / 2.0) / scale * 2.0);
        let [lower, upper] = if freedom < 1e4 {
            let student = Statrs::new(0.0, 1.0, freedom).ok()?;
            [student.cdf(x), student.sf(x)]
        } else if freedom < 1e15 {
            return None;
        } else {
            [Normal::standard().cdf(x), Normal::standard().sf(x)]
        };
        Some(Tails { lower, upper })
    }
}
