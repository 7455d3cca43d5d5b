//! `Learned`: parameters that are learned from data.

use std::panic::Location;

use super::beta::BetaDistribution;
use super::convention::{Rate, RateConvention, Scale, StandardDeviation};
use super::dirichlet::DirichletDistribution;
use super::family::{constant_member, learned_at};
use super::gamma::GammaDistribution;
use super::inverse_gamma::InverseGammaDistribution;
use super::learned_prior::LearnedPrior;
use super::normal::NormalDistribution;
use crate::element::Element;

/// Builds a parameter that is learned from data: an element with a prior, which other elements use as a number or as a list of weights.
///
/// Expectation maximisation (in `figrs-learn`) estimates a learned parameter by its value of largest likelihood or largest posterior density.
/// Samplers treat a learned parameter as an ordinary element with the prior distribution, and draw from its posterior. A learned element is a single
/// parameter, even if many elements use it.
///
/// ```
/// # use figrs_core::{Flip, If, Learned};
/// let rain = Learned::beta("P(rain)", 2.0, 3.0);
/// let given_rain = Learned::beta("P(wet | rain)", 1.0, 1.0);
/// let raining = Flip::new(&rain);
/// let wet = If::new(&raining, Flip::new(&given_rain), Flip::new(0.1));
/// # drop(wet);
/// ```
#[derive(Debug)]
pub struct Learned;

impl Learned {
    /// Creates a probability with a [`Beta`](crate::Beta) prior whose shape parameters are `a` and `b`.
    #[track_caller]
    pub fn beta(name: impl Into<String>, a: f64, b: f64) -> Element<f64> {
        let member = constant_member(BetaDistribution, [a, b]);
        let prior = LearnedPrior::Beta([a, b]);
        learned_at("Learned::beta", Location::caller(), member, prior).named(name)
    }

    /// Creates a list of probabilities, for use in [`Select::by`](crate::Select::by), with a [`Dirichlet`](crate::Dirichlet) prior with the given
    /// concentrations.
    #[track_caller]
    pub fn dirichlet(
        name: impl Into<String>,
        concentrations: impl IntoIterator<Item = f64>,
    ) -> Element<Vec<f64>> {
        let concentrations: Vec<f64> = concentrations.into_iter().collect();
        let member = constant_member(DirichletDistribution, &concentrations[..]);
        let prior = LearnedPrior::Dirichlet(concentrations);
        learned_at("Learned::dirichlet", Location::caller(), member, prior).named(name)
    }

    /// Creates a mean of normal numbers, with a [`Normal`](crate::Normal) prior.
    #[track_caller]
    pub fn normal(
        name: impl Into<String>,
        mean: f64,
        deviation: StandardDeviation<f64>,
    ) -> Element<f64> {
        let StandardDeviation(deviation) = deviation;
        let family = NormalDistribution::with_deviation(deviation);
        let member = constant_member(family, [mean, deviation]);
        let prior = LearnedPrior::Normal { mean, deviation };
        learned_at("Learned::normal", Location::caller(), member, prior).named(name)
    }

    /// Creates a rate, as in [`Exponential`](crate::Exponential) and [`Poisson`](crate::Poisson), or a precision of normal numbers, with a
    /// [`Gamma`](crate::Gamma) prior.
    #[track_caller]
    pub fn gamma(name: impl Into<String>, shape: f64, rate: Rate<f64>) -> Element<f64> {
        let Rate(rate) = rate;
        let member = constant_member(GammaDistribution(RateConvention::Rate), [shape, rate]);
        let prior = LearnedPrior::Gamma { shape, rate };
        learned_at("Learned::gamma", Location::caller(), member, prior).named(name)
    }

    /// Creates a [`Variance`](crate::Variance) of normal numbers, with an [`InverseGamma`](crate::InverseGamma) prior. Expectation maximisation
    /// starts the learned variance at the mean of its prior. If the mean of the inverse gamma prior is infinite (for a shape of at most one),
    /// learning starts at the mode of the prior.
    ///
    /// ```
    /// # use figrs_core::{Learned, Normal, Scale, StandardDeviation, Variance};
    /// let level = Learned::normal("level", 0.0, StandardDeviation(10.0));
    /// let noise = Learned::inverse_gamma("noise", 1.0, Scale(1.0));
    /// let reading = Normal::new(&level, Variance(&noise));
    /// # drop(reading);
    /// ```
    #[track_caller]
    pub fn inverse_gamma(name: impl Into<String>, shape: f64, scale: Scale<f64>) -> Element<f64> {
        let Scale(scale) = scale;
        let member = constant_member(InverseGammaDistribution, [shape, scale]);
        let prior = LearnedPrior::InverseGamma { shape, scale };
        learned_at("Learned::inverse_gamma", Location::caller(), member, prior).named(name)
    }
}
