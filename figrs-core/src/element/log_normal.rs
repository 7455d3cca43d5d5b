//! `LogNormal`: the log-normal distribution of products of many factors.

use std::ops::Range;
use std::panic::Location;

use rand::Rng;

use super::convention::kept_positive;
use super::distribution::{Family, Outcomes, Tails, WrongParameter};
use super::likelihood::Likelihood;
use super::normal::{NormalDistribution, Spread};
use super::param::{Number, Operand};
use crate::element::Element;
use crate::element::family::{compiled_family, debug_name};

/// Builds a positive number whose natural logarithm is normally distributed.
#[derive(Debug)]
pub struct LogNormal;

impl LogNormal {
    /// Creates a number whose logarithm has the mean `mean`, and the [`Variance`](crate::Variance),
    /// [`StandardDeviation`](crate::StandardDeviation) or [`Precision`](crate::Precision) `spread`.
    ///
    /// The support of the log-normal distribution is the positive numbers. The log-normal density is exp(−(ln x − mean)² / (2 variance)) / (x sqrt(2π
    /// variance)). The log-normal distribution has the median exp(mean), the mean exp(mean + variance / 2), and the variance (exp(variance) − 1)
    /// exp(2 mean + variance).
    #[track_caller]
    pub fn new(mean: impl Into<Operand>, spread: impl Into<Spread>) -> Element<f64> {
        let (family, spread) = NormalDistribution::of_spread(spread.into());
        compiled_family!(
            "LogNormal": LogNormalDistribution => f64,
            LogNormalDistribution(family), [mean.into(), spread]
        )
    }
}

#[derive(Clone)]
struct LogNormalDistribution(NormalDistribution);

debug_name!(LogNormalDistribution, "LogNormal");

impl Family<f64> for LogNormalDistribution {
    fn parameters(&self) -> &'static [&'static str] {
        self.0.parameters()
    }

    #[inline]
    fn check(&self, parameters: &[f64]) -> Result<(), WrongParameter> {
        self.0.check(parameters)
    }

    fn outcomes(&self, _: &[Number]) -> Outcomes<f64> {
        Outcomes::Continuous
    }

    #[inline]
    fn log_prob(&self, parameters: &[f64], value: &f64) -> f64 {
        if *value > 0.0 && value.is_finite() {
            let log = value.ln();
            self.0.log_prob(parameters, &log) - log
        } else {
            f64::NEG_INFINITY
        }
    }

    fn is_same_as(&self, other: &Self) -> bool {
        self.0.is_same_as(&other.0)
    }

    /// Returns the sufficient statistics of log-normal values: their number, the mean of their logarithms, and the sum of the squared deviations of
    /// the logarithms.
    fn statistics(&self, values: &[f64]) -> Option<Vec<f64>> {
        let positive = values.iter().all(|x| *x > 0.0 && x.is_finite());
        let logs = || values.iter().map(|x| x.ln()).collect::<Vec<f64>>();
        positive.then(|| self.0.statistics(&logs()))?
    }

    fn log_prob_of_all(&self, parameters: &[f64], statistics: &[f64]) -> f64 {
        let [count, mean] = [statistics[0], statistics[1]];
        self.0.log_prob_of_all(parameters, statistics) - count * mean
    }

    fn likelihood(
        &self,
        parameters: &[f64],
        open: Range<usize>,
        value: &f64,
        likelihood: &mut Likelihood,
    ) {
        if *value > 0.0 {
            self.0.likelihood(parameters, open, &value.ln(), likelihood);
        } else {
            likelihood.refuse();
        }
    }

    fn likelihood_of_all(
        &self,
        parameters: &[f64],
        open: Range<usize>,
        statistics: &[f64],
        likelihood: &mut Likelihood,
    ) {
        self.0
            .likelihood_of_all(parameters, open, statistics, likelihood);
    }

    fn log_prob_derivative(&self, parameters: &[f64], index: usize, value: &f64) -> Option<f64> {
        if *value > 0.0 {
            self.0.log_prob_derivative(parameters, index, &value.ln())
        } else {
            Some(0.0)
        }
    }

    #[inline]
    fn sample<R: Rng + ?Sized>(&self, parameters: &[f64], rng: &mut R) -> f64 {
        kept_positive(self.0.sample(parameters, rng).exp())
    }

    fn tails(&self, parameters: &[f64], value: &f64) -> Option<Tails> {
        self.0.tails(parameters, &value.max(0.0).ln())
    }
}
