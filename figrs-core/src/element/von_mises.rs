//! `VonMises`: the von Mises distribution of angles, similar to a normal distribution.

use std::f64::consts::{PI, TAU};
use std::panic::Location;

use rand::distr::Distribution as _;
use rand::{Rng, RngExt};
use statrs::distribution::Normal;

use super::bessel::{bessel_ratio, ln_scaled_bessel};
use super::convention::{Concentration, finite, positive};
use super::distribution::{Family, Tails};
use super::param::Operand;
use crate::element::Element;
use crate::element::family::{compiled_family, debug_name, density_parameters};

/// Builds a random angle with a von Mises distribution, such as the direction of the wind or the time of day of an event.
#[derive(Debug)]
pub struct VonMises;

impl VonMises {
    /// Creates an angle in radians with the mean direction `mean`, and with the [`Concentration`] `concentration` around this direction.
    ///
    /// The support of the von Mises distribution is the angles from −π to π. Any finite mean direction is allowed, and multiples of 2π are subtracted
    /// from it. The von Mises density is exp(κ cos(x − mean)) / (2π I₀(κ)), where κ is the concentration and I is the modified Bessel function; the
    /// mean of cos(x − mean) is I₁(κ) / I₀(κ), and the mean of sin(x − mean) is zero. For a large concentration κ, the variance of the angle is about
    /// 1 / κ.
    ///
    /// The cumulative distribution function of the von Mises distribution is computed for concentrations up to 1e6.
    ///
    /// ```
    /// # use figrs_core::{Concentration, VonMises};
    /// let wind = VonMises::new(0.5, Concentration(4.0));
    /// let gust = VonMises::new(&wind, Concentration(20.0));
    /// # drop(gust);
    /// ```
    #[track_caller]
    pub fn new<P: Into<Operand>>(
        mean: impl Into<Operand>,
        concentration: Concentration<P>,
    ) -> Element<f64> {
        compiled_family!(
            "VonMises": VonMisesDistribution => f64,
            [mean.into(), concentration.operand()]
        )
    }
}

#[derive(Clone)]
struct VonMisesDistribution;

debug_name!(VonMisesDistribution, "VonMises");

/// Largest concentration for which the von Mises distribution function is computed; the number of terms of its series grows with the square root of
/// the concentration.
const MOST_CONCENTRATED: f64 = 1e6;

/// Subtracts a multiple of 2π from `angle`, so that the result is from −π to π.
fn without_turns(angle: f64) -> f64 {
    if angle.abs() <= PI {
        return angle;
    }
    (angle + PI).rem_euclid(TAU) - PI
}

/// Returns the cumulative distribution function of von Mises angles with mean direction zero, extended to all real numbers: the function grows by one
/// in each interval of length 2π. The series for the von Mises distribution function is from Hill (1977), "Algorithm 518", with the ratios of Bessel
/// functions by backward recursion.
fn turns_below(concentration: f64, angle: f64) -> f64 {
    let terms = (30.0 + 10.0 * concentration.sqrt()) as u32;
    let (mut ratio, mut sum) = (0.0, 0.0);
    for term in (1..=terms).rev() {
        let n = f64::from(term);
        ratio = 1.0 / (2.0 * n / concentration + ratio);
        sum = ratio * ((n * angle).sin() / n + sum);
    }
    0.5 + angle / TAU + sum / PI
}

impl Family<f64> for VonMisesDistribution {
    density_parameters!(finite "mean direction", positive "concentration");

    #[inline]
    fn log_prob(&self, parameters: &[f64], value: &f64) -> f64 {
        let concentration = parameters[1];
        if value.abs() > PI {
            return f64::NEG_INFINITY;
        }
        // The exponent is computed by 1 − cos d = 2 sin²(d / 2), which loses no digits.
        let sine = ((value - without_turns(parameters[0])) / 2.0).sin();
        -2.0 * concentration * sine * sine - TAU.ln() - ln_scaled_bessel(concentration)
    }

    fn log_prob_derivative(&self, parameters: &[f64], index: usize, value: &f64) -> Option<f64> {
        let concentration = parameters[1];
        if value.abs() > PI {
            return Some(0.0);
        }
        let difference = value - without_turns(parameters[0]);
        Some(match index {
            0 => concentration * difference.sin(),
            _ => difference.cos() - bessel_ratio(concentration),
        })
    }

    /// Draws an angle from the von Mises distribution by rejection. The proposed angles are uniform for concentrations κ up to one, and normal with
    /// the variance π² / 4κ for larger concentrations. Since |sin(d / 2)| ≥ |d| / π, a multiple of that normal density is nowhere below the von Mises
    /// density. The rejection sampler for angles accepts more than 46 % of the proposals.
    #[inline]
    fn sample<R: Rng + ?Sized>(&self, parameters: &[f64], rng: &mut R) -> f64 {
        let [mean, concentration] = [without_turns(parameters[0]), parameters[1]];
        let spread = PI / (2.0 * concentration.sqrt());
        let normal = match Normal::new(0.0, spread) {
            Ok(normal) if self.check(parameters).is_ok() => normal,
            _ => return f64::NAN,
        };
        loop {
            let (difference, envelope) = if concentration <= 1.0 {
                (PI * (2.0 * rng.random::<f64>() - 1.0), 0.0)
            } else {
                let difference: f64 = normal.sample(rng);
                (difference, (difference / PI).powi(2))
            };
            if difference.abs() > PI {
                continue;
            }
            let log = 2.0 * concentration * (envelope - (difference / 2.0).sin().powi(2));
            if rng.random::<f64>() <= log.exp() {
                return without_turns(mean + difference).clamp(-PI, PI);
            }
        }
    }

    fn tails(&self, parameters: &[f64], value: &f64) -> Option<Tails> {
        let [mean, concentration] = [without_turns(parameters[0]), parameters[1]];
        if concentration > MOST_CONCENTRATED {
            return None;
        }
        let below = |angle: f64| turns_below(concentration, angle - mean);
        let here = below(value.clamp(-PI, PI));
        Some(Tails {
            lower: (here - below(-PI)).clamp(0.0, 1.0),
            upper: (below(PI) - here).clamp(0.0, 1.0),
        })
    }
}
