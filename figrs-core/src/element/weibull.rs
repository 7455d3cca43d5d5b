//! `Weibull`: the Weibull distribution of lifetimes whose hazard rate is a power of time.

use std::panic::Location;

use rand::Rng;

use super::convention::{Scale, kept_positive, positive};
use super::distribution::{Family, Tails};
use super::exponential::unit_exponential;
use super::param::Operand;
use crate::element::Element;
use crate::element::family::{compiled_family, debug_name, density_parameters};

/// Builds a random lifetime with a Weibull distribution.
#[derive(Debug)]
pub struct Weibull;

impl Weibull {
    /// Creates a lifetime with the shape `shape`, and with the [`Scale`] `scale`; 63.2 % of all lifetimes are below the scale.
    ///
    /// The support of the Weibull distribution is the non-negative numbers. The Weibull density is shape / scale · z^(shape − 1) · exp(−z^shape) with
    /// z = x / scale. The Weibull mean is scale · Γ(1 + 1 / shape), and the variance is scale² · (Γ(1 + 2 / shape) − Γ(1 + 1 / shape)²). With a shape
    /// of one, the Weibull distribution is [`Exponential`](crate::Exponential). With a shape below one, the Weibull density at zero is infinite, and
    /// observing zero is an error.
    #[track_caller]
    pub fn new<P: Into<Operand>>(shape: impl Into<Operand>, scale: Scale<P>) -> Element<f64> {
        compiled_family!("Weibull": WeibullDistribution => f64, [shape.into(), scale.operand()])
    }
}

#[derive(Clone)]
struct WeibullDistribution;

debug_name!(WeibullDistribution, "Weibull");

/// Returns the logarithm of x / scale, and the cumulative hazard (x / scale)^shape.
fn hazard(parameters: &[f64], value: f64) -> (f64, f64) {
    let log = value.ln() - parameters[1].ln();
    (log, (parameters[0] * log).exp())
}

impl Family<f64> for WeibullDistribution {
    density_parameters!(positive "shape", positive "scale");

    #[inline]
    fn log_prob(&self, parameters: &[f64], value: &f64) -> f64 {
        let [shape, scale] = [parameters[0], parameters[1]];
        if *value < 0.0 || *value == f64::INFINITY {
            return f64::NEG_INFINITY;
        }
        let ln_rate = shape.ln() - scale.ln();
        if *value == 0.0 && shape == 1.0 {
            return ln_rate;
        }
        let (log, hazard) = hazard(parameters, *value);
        if hazard == f64::INFINITY {
            return f64::NEG_INFINITY;
        }
        ln_rate + (shape - 1.0) * log - hazard
    }

    fn log_prob_derivative(&self, parameters: &[f64], index: usize, value: &f64) -> Option<f64> {
        let [shape, scale] = [parameters[0], parameters[1]];
        if *value < 0.0 {
            return Some(0.0);
        }
        let (log, hazard) = hazard(parameters, *value);
        Some(match index {
            0 => 1.0 / shape + log * (1.0 - hazard),
            _ => shape / scale * (hazard - 1.0),
        })
    }

    #[inline]
    fn sample<R: Rng + ?Sized>(&self, parameters: &[f64], rng: &mut R) -> f64 {
        let log = unit_exponential(rng).ln() / parameters[0];
        kept_positive((log + parameters[1].ln()).exp())
    }

    fn tails(&self, parameters: &[f64], value: &f64) -> Option<Tails> {
        let (_, hazard) = hazard(parameters, value.max(0.0));
        Some(Tails {
            lower: -(-hazard).exp_m1(),
            upper: (-hazard).exp(),
        })
    }
}
