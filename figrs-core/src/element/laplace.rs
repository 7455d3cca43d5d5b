//! `Laplace`: the Laplace (double exponential) distribution.

use std::f64::consts::LN_2;
use std::panic::Location;

use rand::{Rng, RngExt};

use super::convention::{Scale, finite, kept_finite, positive};
use super::distribution::{Family, Tails};
use super::exponential::unit_exponential;
use super::param::Operand;
use crate::element::Element;
use crate::element::family::{compiled_family, debug_name, density_parameters};

/// Builds a random number whose distance from a location is exponentially distributed; both directions are equally likely.
#[derive(Debug)]
pub struct Laplace;

impl Laplace {
    /// Creates a number with the location `location`, and with the [`Scale`] `scale`, which is the mean distance from the
    /// location.
    ///
    /// The support of the Laplace distribution is all finite numbers. The Laplace density is exp(−|x − location| / scale) / (2 scale), the mean is
    /// the location and the variance is 2 scale².
    #[track_caller]
    pub fn new<P: Into<Operand>>(location: impl Into<Operand>, scale: Scale<P>) -> Element<f64> {
        compiled_family!("Laplace": LaplaceDistribution => f64, [location.into(), scale.operand()])
    }
}

#[derive(Clone)]
struct LaplaceDistribution;

debug_name!(LaplaceDistribution, "Laplace");

pub(super) fn distance(parameters: &[f64], value: f64) -> f64 {
    (value / 2.0 - parameters[0] / 2.0) / parameters[1] * 2.0
}

impl Family<f64> for LaplaceDistribution {
    density_parameters!(finite "location", positive "scale");

    #[inline]
    fn log_prob(&self, parameters: &[f64], value: &f64) -> f64 {
        -distance(parameters, *value).abs() - LN_2 - parameters[1].ln()
    }

    fn log_prob_derivative(&self, parameters: &[f64], index: usize, value: &f64) -> Option<f64> {
        let [location, scale] = [parameters[0], parameters[1]];
        match index {
            // The density has no derivative with respect to the location where `value` is equal to the location.
            0 if *value == location => None,
            0 => Some((value - location).signum() / scale),
            _ => Some(((value - location).abs() / scale - 1.0) / scale),
        }
    }

    #[inline]
    fn sample<R: Rng + ?Sized>(&self, parameters: &[f64], rng: &mut R) -> f64 {
        let [location, scale] = [parameters[0], parameters[1]];
        let distance = kept_finite(scale * unit_exponential(rng));
        kept_finite(if rng.random() {
            location + distance
        } else {
            location - distance
        })
    }

    fn tails(&self, parameters: &[f64], value: &f64) -> Option<Tails> {
        let z = distance(parameters, *value);
        let outer = (-z.abs()).exp() / 2.0;
        let (lower, upper) = if z < 0.0 {
            (outer, 1.0 - outer)
        } else {
            (1.0 - outer, outer)
        };
        Some(Tails { lower, upper })
    }
}
