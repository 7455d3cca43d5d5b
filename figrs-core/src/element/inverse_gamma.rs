//! `InverseGamma`: the inverse gamma distribution of the reciprocal of a gamma-distributed number.

use std::ops::Range;
use std::panic::Location;

use rand::Rng;
use statrs::function::gamma::digamma;

use super::convention::{Scale, kept_positive, positive};
use super::distribution::{Family, Tails, derivative_by_terms};
use super::gamma::{ln_gamma_density, unit_gamma, unit_gamma_tails};
use super::likelihood::{Likelihood, Term};
use super::param::Operand;
use crate::element::Element;
use crate::element::family::{compiled_family, debug_name, density_parameters};

/// Builds the reciprocal of a gamma-distributed number, such as an unknown variance.
#[derive(Debug)]
pub struct InverseGamma;

impl InverseGamma {
    /// Creates the reciprocal of a [`Gamma`](crate::Gamma) number with the shape `shape` and the [`Rate`](crate::Rate) `scale`.
    ///
    /// The support of the inverse gamma distribution is the positive numbers. If the shape of the inverse gamma distribution is above one, the mean
    /// is scale / (shape − 1). If the shape of the inverse gamma distribution is above two, the variance is scale² / ((shape − 1)² (shape − 2)). With
    /// a shape of at most one, the mean of an inverse gamma number is infinite; with a shape of at most two, the variance is.
    #[track_caller]
    pub fn new<P: Into<Operand>>(shape: impl Into<Operand>, scale: Scale<P>) -> Element<f64> {
        compiled_family!(
            "InverseGamma": InverseGammaDistribution => f64,
            [shape.into(), scale.operand()]
        )
    }
}

#[derive(Clone)]
pub(super) struct InverseGammaDistribution;

debug_name!(InverseGammaDistribution, "InverseGamma");

impl Family<f64> for InverseGammaDistribution {
    density_parameters!(positive "shape", positive "scale");

    #[inline]
    fn log_prob(&self, parameters: &[f64], value: &f64) -> f64 {
        let [shape, scale] = [parameters[0], parameters[1]];
        if *value <= 0.0 || *value == f64::INFINITY {
            return f64::NEG_INFINITY;
        }
        let ln_inverse = scale.ln() - value.ln();
        ln_gamma_density(shape, scale / value, *value, ln_inverse) + ln_inverse - value.ln()
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
        likelihood.add(Term::Log, parameters[0]);
        likelihood.add(Term::Linear, -1.0 / value);
    }

    fn conjugate_terms(&self) -> &'static [Term] {
        &[Term::Log, Term::Inverse]
    }

    fn posterior(&self, parameters: &[f64], likelihood: &Likelihood) -> Option<Vec<f64>> {
        let shape = parameters[0] - likelihood.get(Term::Log);
        let scale = parameters[1] - likelihood.get(Term::Inverse);
        let exists = shape > 0.0 && scale > 0.0 && shape.is_finite() && scale.is_finite();
        exists.then(|| vec![shape, scale])
    }

    fn moments(&self, parameters: &[f64]) -> Option<Vec<(f64, f64)>> {
        let [shape, scale] = [parameters[0], parameters[1]];
        let mean = if shape > 1.0 {
            scale / (shape - 1.0)
        } else {
            f64::INFINITY
        };
        let variance = if shape > 2.0 {
            mean * mean / (shape - 2.0)
        } else {
            f64::INFINITY
        };
        Some(vec![(mean, variance)])
    }

    fn mode(&self, parameters: &[f64]) -> Option<Vec<f64>> {
        Some(vec![parameters[1] / (parameters[0] + 1.0)])
    }

    fn student_t_of_spread(&self, parameters: &[f64]) -> Option<(f64, f64)> {
        // A normal number whose variance has an inverse gamma distribution has a t-distribution.
        Some((2.0 * parameters[0], parameters[1] / parameters[0]))
    }

    fn log_prob_derivative(&self, parameters: &[f64], index: usize, value: &f64) -> Option<f64> {
        if index == 0 && *value > 0.0 {
            return Some(parameters[1].ln() - value.ln() - digamma(parameters[0]));
        }
        derivative_by_terms(self, parameters, index, value)
    }

    #[inline]
    fn sample<R: Rng + ?Sized>(&self, parameters: &[f64], rng: &mut R) -> f64 {
        kept_positive(parameters[1] / unit_gamma(parameters[0], rng))
    }

    fn tails(&self, parameters: &[f64], value: &f64) -> Option<Tails> {
        let inverse = if *value > 0.0 {
            parameters[1] / value
        } else {
            f64::INFINITY
        };
        let Tails { lower, upper } = unit_gamma_tails(parameters[0], inverse)?;
        Some(Tails {
            lower: upper,
            upper: lower,
        })
    }
}
