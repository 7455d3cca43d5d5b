//! `ContinuousUniform`: the continuous uniform distribution on an interval.

use std::panic::Location;

use rand::{Rng, RngExt};

use super::convention::finite;
use super::distribution::{Family, Outcomes, Tails, WrongParameter};
use super::param::{Number, Operand};
use crate::element::Element;
use crate::element::family::{compiled_family, debug_name};

/// Builds a random number with the same density everywhere in an interval.
///
/// [`DiscreteUniform`](crate::DiscreteUniform) is for integers, [`Uniform`](crate::Uniform) for a list of values.
#[derive(Debug)]
pub struct ContinuousUniform;

impl ContinuousUniform {
    /// Creates a number between `lower` and `upper`; `upper` must be greater than `lower`. Each bound of the interval is a number, a
    /// [`Param`](crate::Param), or an element.
    ///
    /// The continuous uniform distribution has the mean (lower + upper) / 2 and the variance (upper − lower)² / 12. The uniform density is the same
    /// at both ends of the interval as in its interior.
    #[track_caller]
    pub fn new(lower: impl Into<Operand>, upper: impl Into<Operand>) -> Element<f64> {
        compiled_family!(
            "ContinuousUniform": ContinuousUniformDistribution => f64,
            [lower.into(), upper.into()]
        )
    }
}

#[derive(Clone)]
struct ContinuousUniformDistribution;

debug_name!(ContinuousUniformDistribution, "ContinuousUniform");

impl Family<f64> for ContinuousUniformDistribution {
    fn parameters(&self) -> &'static [&'static str] {
        &["lower bound", "upper bound"]
    }

    #[inline]
    fn check(&self, parameters: &[f64]) -> Result<(), WrongParameter> {
        finite(parameters, 0)?;
        finite(parameters, 1)?;
        let [lower, upper] = [parameters[0], parameters[1]];
        if lower < upper {
            Ok(())
        } else {
            let problem = format!("must be above the lower bound {lower:?}");
            Err(WrongParameter::new(1, problem))
        }
    }

    fn outcomes(&self, _: &[Number]) -> Outcomes<f64> {
        Outcomes::Continuous
    }

    #[inline]
    fn log_prob(&self, parameters: &[f64], value: &f64) -> f64 {
        let [lower, upper] = [parameters[0], parameters[1]];
        if !(lower..=upper).contains(value) {
            return f64::NEG_INFINITY;
        }
        let width = upper - lower;
        if width.is_finite() {
            -width.ln()
        } else {
            -(upper / 2.0 - lower / 2.0).ln() - 2.0_f64.ln()
        }
    }

    fn log_prob_derivative(&self, parameters: &[f64], index: usize, value: &f64) -> Option<f64> {
        let [lower, upper] = [parameters[0], parameters[1]];
        if parameters.contains(value) {
            return None;
        }
        let inside = f64::from(u8::from((lower..=upper).contains(value)));
        Some(if index == 0 { inside } else { -inside } / (upper - lower))
    }

    #[inline]
    fn sample<R: Rng + ?Sized>(&self, parameters: &[f64], rng: &mut R) -> f64 {
        let [lower, upper] = [parameters[0], parameters[1]];
        let share: f64 = rng.random();
        let width = upper - lower;
        if width.is_finite() {
            (lower + share * width).min(upper)
        } else {
            lower * (1.0 - share) + upper * share
        }
    }

    fn tails(&self, parameters: &[f64], value: &f64) -> Option<Tails> {
        let [lower, upper] = [parameters[0], parameters[1]];
        let x = value.max(lower).min(upper) / 2.0;
        let half = upper / 2.0 - lower / 2.0;
        Some(Tails {
            lower: (x - lower / 2.0) / half,
            upper: (upper / 2.0 - x) / half,
        })
    }
}
