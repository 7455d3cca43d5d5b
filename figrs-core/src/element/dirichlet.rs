//! `Dirichlet`: the Dirichlet distribution on probabilities that sum to one.

use std::panic::Location;

use rand::Rng;
use statrs::function::gamma::{digamma, ln_gamma};

use super::convention::positive;
use super::distribution::{Family, Outcomes, Space, WrongParameter};
use super::family::debug_name;
use super::gamma::ln_unit_gamma;
use super::likelihood::{Likelihood, Term};
use super::param::Number;
use crate::element::{Element, family_of};
use crate::value::vector::Vector;

/// Builds a random list of positive numbers that sum to one.
#[derive(Debug)]
pub struct Dirichlet;

impl Dirichlet {
    /// Creates a list with the concentration parameters `concentrations`; there must be at least two concentration parameters. The Dirichlet density
    /// over all numbers `x_i` of the list except the last is proportional to the product of `x_i^(a_i - 1)`, with the concentrations `a_i`.
    ///
    /// The support of the Dirichlet distribution consists of the lists of positive numbers that sum to one, with one number for each concentration.
    /// If A is the sum of the concentrations `a_i`, the numbers of the list have the means `a_i / A` and the variances
    /// `a_i (A - a_i) / (A² (A + 1))`. If the list gives the probabilities of [`Select::by`](crate::Select::by), and its values are observed with the
    /// counts `c_i`, the posterior of the list is `Dirichlet(a_i + c_i)`. The numbers of an observed Dirichlet list must sum to one within 1e-9.
    ///
    /// ```
    /// # use figrs_core::{Dirichlet, Select};
    /// let mix = Dirichlet::new([2.0, 1.0, 1.0]);
    /// let colour = Select::by(&mix, ["red", "green", "blue"]);
    /// # drop(colour);
    /// ```
    #[track_caller]
    pub fn new(concentrations: impl Into<Vector>) -> Element<Vec<f64>> {
        let parameters = concentrations.into().parameters();
        family_of(
            "Dirichlet",
            Location::caller(),
            DirichletDistribution,
            parameters,
        )
    }
}

/// Tolerance within which the numbers of an observed Dirichlet list must sum to one.
const TOLERANCE: f64 = 1e-9;

#[derive(Clone)]
pub(super) struct DirichletDistribution;

debug_name!(DirichletDistribution, "Dirichlet");

impl Family<Vec<f64>> for DirichletDistribution {
    fn parameters(&self) -> &'static [&'static str] {
        &["concentration"]
    }

    #[inline]
    fn check(&self, parameters: &[f64]) -> Result<(), WrongParameter> {
        if parameters.len() < 2 {
            let problem = format!(
                "the concentration list has {} numbers, at least two are needed",
                parameters.len()
            );
            return Err(WrongParameter::new(WrongParameter::WHOLE, problem));
        }
        (0..parameters.len()).try_for_each(|index| positive(parameters, index))?;
        if parameters.iter().sum::<f64>().is_finite() {
            Ok(())
        } else {
            let problem = "the concentration list is too large: it must have a finite sum";
            Err(WrongParameter::new(WrongParameter::WHOLE, problem))
        }
    }

    fn outcomes(&self, _: &[Number]) -> Outcomes<Vec<f64>> {
        Outcomes::Continuous
    }

    #[inline]
    fn log_prob(&self, parameters: &[f64], value: &Vec<f64>) -> f64 {
        let inside = value.len() == parameters.len()
            && value.iter().all(|x| (0.0..=1.0).contains(x))
            && (value.iter().sum::<f64>() - 1.0).abs() <= TOLERANCE;
        if !inside {
            return f64::NEG_INFINITY;
        }
        let mut log = ln_gamma(parameters.iter().sum());
        let mut infinite = false;
        for (&a, &x) in parameters.iter().zip(value) {
            if x == 0.0 && a != 1.0 {
                if a > 1.0 {
                    return f64::NEG_INFINITY;
                }
                infinite = true;
            } else if a != 1.0 {
                log += (a - 1.0) * x.ln() - ln_gamma(a);
            }
        }
        if infinite { f64::INFINITY } else { log }
    }

    fn space(&self) -> Space {
        Space::Simplex
    }

    fn conjugate_terms(&self) -> &'static [Term] {
        &[Term::LogOfEach]
    }

    fn posterior(&self, parameters: &[f64], likelihood: &Likelihood) -> Option<Vec<f64>> {
        let each = parameters.iter().enumerate();
        let concentrations: Vec<f64> = each.map(|(i, a)| a + likelihood.log_of(i)).collect();
        self.check(&concentrations)
            .is_ok()
            .then_some(concentrations)
    }

    fn moments(&self, parameters: &[f64]) -> Option<Vec<(f64, f64)>> {
        let total: f64 = parameters.iter().sum();
        let moments = |a: &f64| {
            let mean = a / total;
            (mean, mean * (1.0 - mean) / (total + 1.0))
        };
        Some(parameters.iter().map(moments).collect())
    }

    fn mode(&self, parameters: &[f64]) -> Option<Vec<f64>> {
        let (total, count) = (parameters.iter().sum::<f64>(), parameters.len() as f64);
        let share = |a: &f64| match total - count {
            0.0 => count.recip(),
            rest => (a - 1.0) / rest,
        };
        let is_bounded = parameters.iter().all(|&a| a >= 1.0);
        is_bounded.then(|| parameters.iter().map(share).collect())
    }

    fn log_prob_derivative(
        &self,
        parameters: &[f64],
        index: usize,
        value: &Vec<f64>,
    ) -> Option<f64> {
        let share = value.get(index).filter(|share| **share > 0.0)?;
        let is_inside = self.log_prob(parameters, value) > f64::NEG_INFINITY;
        let slope = share.ln() - digamma(parameters[index]) + digamma(parameters.iter().sum());
        is_inside.then_some(slope)
    }

    #[inline]
    fn sample<R: Rng + ?Sized>(&self, parameters: &[f64], rng: &mut R) -> Vec<f64> {
        // The draws are divided by their sum. The division uses logarithms, because small gamma draws may round to zero.
        let mut drawn: Vec<f64> = parameters.iter().map(|&a| ln_unit_gamma(a, rng)).collect();
        let largest = drawn.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = drawn.iter().map(|x| (x - largest).exp()).sum();
        for x in &mut drawn {
            // No number becomes zero, because the density at zero may be infinite.
            *x = ((*x - largest).exp() / sum).max(f64::MIN_POSITIVE);
        }
        drawn
    }
}
