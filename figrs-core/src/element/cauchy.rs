//! `Cauchy`: the Cauchy (Lorentz) distribution.

use std::f64::consts::PI;
use std::panic::Location;

use rand::{Rng, RngExt};

use super::convention::{Scale, finite, kept_finite, positive};
use super::distribution::{Family, Tails};
use super::laplace::distance;
use super::param::Operand;
use crate::element::Element;
use crate::element::family::{compiled_family, debug_name, density_parameters};

/// Builds a random number with a Cauchy distribution, which has no mean.
#[derive(Debug)]
pub struct Cauchy;

impl Cauchy {
    /// Creates a number whose median is the location; with probability one half, the number is within this [`Scale`] of the
    /// location.
    ///
    /// The support is all finite numbers. The density is 1 / (π scale (1 + ((x − location) / scale)²)); the distribution has no
    /// mean and no variance. [`StudentT`](crate::StudentT) with one degree of freedom is the same distribution.
    #[track_caller]
    pub fn new<P: Into<Operand>>(location: impl Into<Operand>, scale: Scale<P>) -> Element<f64> {
        compiled_family!("Cauchy": CauchyDistribution => f64, [location.into(), scale.operand()])
    }
}

#[derive(Clone)]
pub(super) struct CauchyDistribution;

debug_name!(CauchyDistribution, "Cauchy");

impl Family<f64> for CauchyDistribution {
    density_parameters!(finite "location", positive "scale");

    #[inline]
    fn log_prob(&self, parameters: &[f64], value: &f64) -> f64 {
        let z = distance(parameters, *value).abs();
        let ln_scale = parameters[1].ln();
        // For a large `z`, its square would overflow; for a small `z`, its square would be lost in the addition to one.
        let ln_spread = if z < 1e8 {
            (z * z).ln_1p()
        } else if z.is_finite() {
            2.0 * z.ln()
        } else {
            return f64::NEG_INFINITY;
        };
        -PI.ln() - ln_scale - ln_spread
    }

    fn log_prob_derivative(&self, parameters: &[f64], index: usize, value: &f64) -> Option<f64> {
        let z = distance(parameters, *value);
        // This expression equals z / (1 + z²), but does not overflow for large `z`.
        let pull = 1.0 / (z + 1.0 / z);
        let pull = if z == 0.0 { 0.0 } else { pull };
        let slope = match index {
            0 => 2.0 * pull,
            _ => 2.0 * z * pull - 1.0,
        };
        Some(slope / parameters[1])
    }

    #[inline]
    fn sample<R: Rng + ?Sized>(&self, parameters: &[f64], rng: &mut R) -> f64 {
        let angle = PI * (rng.random::<f64>() - 0.5);
        kept_finite(parameters[0] + kept_finite(parameters[1] * angle.tan()))
    }

    fn tails(&self, parameters: &[f64], value: &f64) -> Option<Tails> {
        let z = distance(parameters, *value);
        Some(Tails {
            lower: 1.0_f64.atan2(-z) / PI,
            upper: 1.0_f64.atan2(z) / PI,
        })
    }
}
