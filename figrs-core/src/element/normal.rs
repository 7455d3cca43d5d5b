//! `Normal`: the normal distribution.

use std::ops::Range;
use std::panic::Location;

use rand::Rng;
use rand::distr::Distribution as _;
use statrs::distribution::Normal as Statrs;

use super::convention::{
    Precision, StandardDeviation, Variance, conversions, finite, kept_finite, positive,
};
use super::distribution::{Family, Outcomes, Tails, WrongParameter, derivative_by_terms};
use super::likelihood::{Likelihood, Term};
use super::linear::{LinearFunction, LinearGaussian};
use super::moments::moments;
use super::param::{Number, Operand};
use super::saddle_point::LN_SQRT_2_PI;
use crate::element::Element;
use crate::element::family::{compiled_family, debug_name};

/// Builds a random number with a normal distribution.
#[derive(Debug)]
pub struct Normal;

impl Normal {
    /// Creates a number with the mean `mean`, and a [`Variance`], a [`StandardDeviation`] or a [`Precision`].
    ///
    /// The support of the normal distribution is all finite numbers. The normal density is exp(−(x − mean)² / (2 variance)) / sqrt(2π variance).
    ///
    /// ```
    /// # use figrs_core::{Normal, StandardDeviation, Variance};
    /// let mean = Normal::new(0.0, Variance(4.0));
    /// let same = Normal::new(0.0, StandardDeviation(2.0));
    /// let measured = Normal::new(&mean, Variance(0.1));
    /// # drop((same, measured));
    /// ```
    #[track_caller]
    pub fn new(mean: impl Into<Operand>, spread: impl Into<Spread>) -> Element<f64> {
        let (family, spread) = NormalDistribution::of_spread(spread.into());
        compiled_family!("Normal": NormalDistribution => f64, family, [mean.into(), spread])
    }
}

/// The spread of a normal distribution: a [`Variance`], a [`StandardDeviation`] or a [`Precision`].
#[derive(Clone, Debug)]
pub struct Spread {
    measure: SpreadMeasure,
    operand: Operand,
}

conversions! {
    Spread { measure }:
    Variance => SpreadMeasure::Variance,
    StandardDeviation => SpreadMeasure::Deviation,
    Precision => SpreadMeasure::Precision,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SpreadMeasure {
    Variance,
    Deviation,
    Precision,
}

/// A normal log-density with a known standard deviation, whose logarithm is computed once, and an unknown mean.
#[derive(Clone, Copy, Debug, PartialEq)]
struct OpenDensity {
    deviation: f64,
    ln_deviation: f64,
}

impl OpenDensity {
    #[inline]
    fn new(deviation: f64) -> Self {
        Self {
            deviation,
            ln_deviation: deviation.ln(),
        }
    }

    #[inline]
    fn log_prob(&self, mean: f64, value: f64) -> f64 {
        // The difference of large numbers may overflow; the difference of their halves cannot.
        let z = (value / 2.0 - mean / 2.0) / self.deviation;
        -2.0 * z * z - self.ln_deviation - LN_SQRT_2_PI
    }
}

#[derive(Clone)]
pub(super) struct NormalDistribution {
    measure: SpreadMeasure,
    /// The spread (the variance, the standard deviation or the precision), or NaN if it is not constant; and the log-density for this spread.
    constant: (f64, OpenDensity),
}

impl SpreadMeasure {
    #[inline]
    fn deviation(self, spread: f64) -> f64 {
        match self {
            Self::Variance => spread.sqrt(),
            Self::Deviation => spread,
            Self::Precision => spread.sqrt().recip(),
        }
    }

    #[inline]
    fn density(self, spread: f64) -> OpenDensity {
        OpenDensity::new(self.deviation(spread))
    }
}

debug_name!(NormalDistribution, "Normal");

impl NormalDistribution {
    fn new(measure: SpreadMeasure, spread: &Operand) -> Self {
        let constant = match spread {
            Operand::Number(Number::Constant(spread)) => *spread,
            _ => f64::NAN,
        };
        Self {
            measure,
            constant: (constant, measure.density(constant)),
        }
    }

    pub(super) fn with_deviation(deviation: f64) -> Self {
        Self::new(SpreadMeasure::Deviation, &deviation.into())
    }

    pub(super) fn of_spread(Spread { measure, operand }: Spread) -> (Self, Operand) {
        (Self::new(measure, &operand), operand)
    }

    #[inline]
    pub(super) fn deviation(&self, spread: f64) -> f64 {
        self.of(spread).deviation
    }

    /// Returns the derivative of the standard deviation with respect to the measure of spread: the variance, the standard deviation or the precision.
    pub(super) fn deviation_slope(&self, spread: f64) -> f64 {
        let deviation = self.deviation(spread);
        match self.measure {
            SpreadMeasure::Variance => 0.5 / deviation,
            SpreadMeasure::Deviation => 1.0,
            SpreadMeasure::Precision => -0.5 * deviation.powi(3),
        }
    }

    #[inline]
    fn of(&self, spread: f64) -> OpenDensity {
        let (constant, density) = self.constant;
        if spread == constant {
            density
        } else {
            self.measure.density(spread)
        }
    }

    #[inline]
    fn statrs(&self, parameters: &[f64]) -> Option<Statrs> {
        Statrs::new(parameters[0], self.measure.deviation(parameters[1])).ok()
    }
}

impl Family<f64> for NormalDistribution {
    fn parameters(&self) -> &'static [&'static str] {
        match self.measure {
            SpreadMeasure::Variance => &["mean", "variance"],
            SpreadMeasure::Deviation => &["mean", "standard deviation"],
            SpreadMeasure::Precision => &["mean", "precision"],
        }
    }

    #[inline]
    fn check(&self, parameters: &[f64]) -> Result<(), WrongParameter> {
        finite(parameters, 0)?;
        positive(parameters, 1)
    }

    fn outcomes(&self, _: &[Number]) -> Outcomes<f64> {
        Outcomes::Continuous
    }

    #[inline]
    fn log_prob(&self, parameters: &[f64], value: &f64) -> f64 {
        self.of(parameters[1]).log_prob(parameters[0], *value)
    }

    fn is_same_as(&self, other: &Self) -> bool {
        self.measure == other.measure
    }

    /// Returns the sufficient statistics of normal values: their number, their mean, and the sum of their squared deviations from the mean.
    fn statistics(&self, values: &[f64]) -> Option<Vec<f64>> {
        Some(moments(values).to_vec())
    }

    fn log_prob_of_all(&self, parameters: &[f64], statistics: &[f64]) -> f64 {
        let [count, mean, squares] = [statistics[0], statistics[1], statistics[2]];
        let OpenDensity {
            deviation,
            ln_deviation,
        } = self.of(parameters[1]);
        let apart = (mean - parameters[0]) / deviation;
        let spread = squares / deviation / deviation;
        -(spread + count * apart * apart) / 2.0 - count * (ln_deviation + LN_SQRT_2_PI)
    }

    fn likelihood(
        &self,
        parameters: &[f64],
        open: Range<usize>,
        value: &f64,
        likelihood: &mut Likelihood,
    ) {
        let variance = self.measure.deviation(parameters[1]).powi(2);
        match (open.start, self.measure) {
            (0, _) => {
                likelihood.add(Term::Linear, value / variance);
                likelihood.add(Term::Square, -0.5 / variance);
            }
            (_, SpreadMeasure::Variance) => {
                likelihood.add(Term::Log, -0.5);
                likelihood.add(Term::Inverse, -0.5 * (value - parameters[0]).powi(2));
            }
            (_, SpreadMeasure::Precision) => {
                likelihood.add(Term::Log, 0.5);
                likelihood.add(Term::Linear, -0.5 * (value - parameters[0]).powi(2));
            }
            (_, SpreadMeasure::Deviation) => likelihood.refuse(),
        }
    }

    fn likelihood_of_all(
        &self,
        parameters: &[f64],
        open: Range<usize>,
        statistics: &[f64],
        likelihood: &mut Likelihood,
    ) {
        let [count, mean, squares] = [statistics[0], statistics[1], statistics[2]];
        let variance = self.measure.deviation(parameters[1]).powi(2);
        match (open.start, self.measure) {
            (0, _) => {
                likelihood.add(Term::Linear, count * mean / variance);
                likelihood.add(Term::Square, -0.5 * count / variance);
            }
            (_, SpreadMeasure::Variance) => {
                let apart = mean - parameters[0];
                likelihood.add(Term::Log, -0.5 * count);
                likelihood.add(Term::Inverse, -0.5 * (squares + count * apart * apart));
            }
            (_, SpreadMeasure::Precision) => {
                let apart = mean - parameters[0];
                likelihood.add(Term::Log, 0.5 * count);
                likelihood.add(Term::Linear, -0.5 * (squares + count * apart * apart));
            }
            (_, SpreadMeasure::Deviation) => likelihood.refuse(),
        }
    }

    fn conjugate_terms(&self) -> &'static [Term] {
        &[Term::Linear, Term::Square]
    }

    fn sample_conditional<R: Rng + ?Sized>(
        &self,
        parameters: &[f64],
        likelihood: &Likelihood,
        rng: &mut R,
    ) -> Option<f64> {
        let deviation = self.measure.deviation(parameters[1]);
        let own = deviation.powi(2).recip();
        let precision = own - 2.0 * likelihood.get(Term::Square);
        // The posterior mean is computed as a shift of the prior mean, so that no digits are lost if both are large.
        let pull =
            likelihood.get(Term::Linear) + 2.0 * likelihood.get(Term::Square) * parameters[0];
        let (mean, deviation) = (parameters[0] + pull / precision, precision.sqrt().recip());
        let normal = Statrs::new(mean, deviation).ok();
        let exists = deviation > 0.0 && deviation.is_finite() && mean.is_finite();
        let normal = normal.filter(|_| exists);
        normal.map(|normal| kept_finite(normal.sample(rng)))
    }

    fn log_prob_derivative(&self, parameters: &[f64], index: usize, value: &f64) -> Option<f64> {
        let [mean, deviation] = [parameters[0], parameters[1]];
        if (index, self.measure) == (1, SpreadMeasure::Deviation) {
            let z = (value - mean) / deviation;
            return Some((z * z - 1.0) / deviation);
        }
        derivative_by_terms(self, parameters, index, value)
    }

    fn linear_gaussian(&self, parameters: &[Option<f64>]) -> Option<LinearGaussian> {
        let spread = parameters[1]?;
        let variance = match self.measure {
            SpreadMeasure::Variance => spread,
            SpreadMeasure::Deviation => spread * spread,
            SpreadMeasure::Precision => spread.recip(),
        };
        Some(LinearGaussian {
            mean: LinearFunction::of_numbers(&parameters[..1]),
            covariance: vec![variance],
        })
    }

    #[inline]
    fn sample<R: Rng + ?Sized>(&self, parameters: &[f64], rng: &mut R) -> f64 {
        let drawn = self.statrs(parameters).map(|normal| normal.sample(rng));
        drawn.map_or(f64::NAN, kept_finite)
    }

    /// The normal log-density of a value is largest if the mean is equal to the value.
    fn max_log_prob(&self, parameters: &[Option<f64>], value: &f64) -> Option<f64> {
        let mean = parameters[0].unwrap_or(*value);
        let all = [mean, parameters[1]?];
        self.check(&all).ok()?;
        Some(self.log_prob(&all, value))
    }

    fn tails(&self, parameters: &[f64], value: &f64) -> Option<Tails> {
        let deviation = self.measure.deviation(parameters[1]);
        self.statrs(parameters)?;
        let standard = (value - parameters[0]) / deviation;
        Some(Tails {
            lower: standard_normal_tail(-standard),
            upper: standard_normal_tail(standard),
        })
    }
}

/// Returns the probability that a standard normal number is above `x`.
pub fn standard_normal_tail(x: f64) -> f64 {
    libm::erfc(x * std::f64::consts::FRAC_1_SQRT_2) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_density_of_a_value_is_that_at_the_mean() {
        let family = NormalDistribution::new(SpreadMeasure::Deviation, &Operand::from(2.0));
        let most = family.max_log_prob(&[None, Some(2.0)], &7.0).unwrap();
        assert!((most + 2f64.ln() + LN_SQRT_2_PI).abs() < 1e-15, "{most}");
        let known = family.max_log_prob(&[Some(1.0), Some(2.0)], &7.0);
        assert_eq!(known, Some(family.log_prob(&[1.0, 2.0], &7.0)));
        for spread in [None, Some(0.0), Some(f64::INFINITY), Some(f64::NAN)] {
            assert_eq!(family.max_log_prob(&[None, spread], &7.0), None);
        }
    }

    #[test]
    fn a_constant_spread_gives_the_density_that_a_computed_one_does() {
        let constant = Operand::from(0.3);
        let open = Operand::from(crate::Param::new("spread", 0.3));
        for measure in [
            SpreadMeasure::Variance,
            SpreadMeasure::Deviation,
            SpreadMeasure::Precision,
        ] {
            let families =
                [&constant, &open].map(|spread| NormalDistribution::new(measure, spread));
            for (mean, x) in [(0.0, 0.1), (-4.0, 2.5), (1e300, -1e300)] {
                for spread in [0.3, 7.0] {
                    let [known, computed] = [0, 1].map(|i: usize| {
                        let family = &families[i];
                        family.log_prob(&[mean, spread], &x)
                    });
                    assert_eq!(known, computed);
                }
            }
        }
        let unit = OpenDensity::new(1.0);
        assert!((unit.log_prob(0.5, 2.5) + 2.0 + LN_SQRT_2_PI).abs() < 1e-15);
    }
}
