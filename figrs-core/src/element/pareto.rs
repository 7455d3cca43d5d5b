//! `Pareto`: the Pareto distribution of numbers above a minimum, whose tail probabilities are a power of the number.

use std::ops::Range;
use std::panic::Location;

use rand::Rng;

use super::convention::{Scale, kept_finite, positive};
use super::distribution::{Family, Tails};
use super::exponential::unit_exponential;
use super::likelihood::{Likelihood, Term};
use super::moments::sum_of;
use super::param::Operand;
use crate::element::Element;
use crate::element::family::{compiled_family, debug_name, density_parameters};

/// Builds a random number with a Pareto distribution, such as the size of a city or of a file.
#[derive(Debug)]
pub struct Pareto;

impl Pareto {
    /// Creates a Pareto number with the shape `shape`, and with the [`Scale`] `scale`, which is the least possible value.
    ///
    /// The support of the Pareto distribution is the numbers that are at least the scale. The Pareto density is shape · scale^shape / x^(shape + 1),
    /// and P(x > t) = (scale / t)^shape. The Pareto mean is shape · scale / (shape − 1) if the shape is above one, and the variance is shape · scale²
    /// / ((shape − 1)² (shape − 2)) if the shape is above two; otherwise they are infinite. A [`Gamma`](crate::Gamma) distribution is the conjugate
    /// prior of the shape of a Pareto distribution.
    ///
    /// ```
    /// # use figrs_core::{Gamma, Pareto, Rate, Scale};
    /// let shape = Gamma::new(2.0, Rate(1.0));
    /// let size = Pareto::new(&shape, Scale(10.0));
    /// # drop(size);
    /// ```
    #[track_caller]
    pub fn new<P: Into<Operand>>(shape: impl Into<Operand>, scale: Scale<P>) -> Element<f64> {
        compiled_family!("Pareto": ParetoDistribution => f64, [shape.into(), scale.operand()])
    }
}

#[derive(Clone)]
struct ParetoDistribution;

debug_name!(ParetoDistribution, "Pareto");

/// Returns the logarithm of `value / scale`; zero for values below `scale`.
fn ln_ratio(scale: f64, value: f64) -> f64 {
    let excess = (value - scale) / scale;
    if excess < 1.0 {
        excess.max(0.0).ln_1p()
    } else {
        value.ln() - scale.ln()
    }
}

impl Family<f64> for ParetoDistribution {
    density_parameters!(positive "shape", positive "scale");

    #[inline]
    fn log_prob(&self, parameters: &[f64], value: &f64) -> f64 {
        let [shape, scale] = [parameters[0], parameters[1]];
        if *value < scale || *value == f64::INFINITY {
            return f64::NEG_INFINITY;
        }
        let ln_ratio = ln_ratio(scale, *value);
        shape.ln() - scale.ln() - shape * ln_ratio - ln_ratio
    }

    /// Returns the sufficient statistics of Pareto values: their number, the sum of their logarithms, and the least value.
    fn statistics(&self, values: &[f64]) -> Option<Vec<f64>> {
        let is_positive = values.iter().all(|x| *x > 0.0 && x.is_finite());
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let logs = || sum_of(values, |x| x.ln());
        is_positive.then(|| vec![values.len() as f64, logs(), least])
    }

    fn log_prob_of_all(&self, parameters: &[f64], statistics: &[f64]) -> f64 {
        let [shape, scale] = [parameters[0], parameters[1]];
        let [count, logs, least] = [statistics[0], statistics[1], statistics[2]];
        if least < scale {
            return f64::NEG_INFINITY;
        }
        let ln_ratios = (logs - count * scale.ln()).max(0.0);
        count * (shape.ln() - scale.ln()) - (shape + 1.0) * ln_ratios
    }

    fn likelihood(
        &self,
        parameters: &[f64],
        open: Range<usize>,
        value: &f64,
        likelihood: &mut Likelihood,
    ) {
        if open != (0..1) || *value < parameters[1] {
            return likelihood.refuse();
        }
        likelihood.add(Term::Log, 1.0);
        likelihood.add(Term::Linear, -ln_ratio(parameters[1], *value));
    }

    fn likelihood_of_all(
        &self,
        parameters: &[f64],
        open: Range<usize>,
        statistics: &[f64],
        likelihood: &mut Likelihood,
    ) {
        let [count, logs, least] = [statistics[0], statistics[1], statistics[2]];
        if open != (0..1) || least < parameters[1] {
            return likelihood.refuse();
        }
        let ln_ratios = (logs - count * parameters[1].ln()).max(0.0);
        likelihood.add(Term::Log, count);
        likelihood.add(Term::Linear, -ln_ratios);
    }

    fn log_prob_derivative(&self, parameters: &[f64], index: usize, value: &f64) -> Option<f64> {
        let [shape, scale] = [parameters[0], parameters[1]];
        match index {
            // The density as a function of the scale jumps to zero where the scale exceeds the value.
            1 if *value == scale => None,
            _ if *value < scale => Some(0.0),
            0 => Some(1.0 / shape - ln_ratio(scale, *value)),
            _ => Some(shape / scale),
        }
    }

    #[inline]
    fn sample<R: Rng + ?Sized>(&self, parameters: &[f64], rng: &mut R) -> f64 {
        let [shape, scale] = [parameters[0], parameters[1]];
        kept_finite(scale * (unit_exponential(rng) / shape).exp())
    }

    fn tails(&self, parameters: &[f64], value: &f64) -> Option<Tails> {
        let hazard = parameters[0] * ln_ratio(parameters[1], *value);
        Some(Tails {
            lower: -(-hazard).exp_m1(),
            upper: (-hazard).exp(),
        })
    }
}
