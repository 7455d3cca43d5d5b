//! `Normal`: the bell curve.

use std::fmt;
use std::panic::Location;

use rand::Rng;
use rand::distr::Distribution as _;
use statrs::distribution::{ContinuousCDF, Normal as Statrs};

use super::convention::{StandardDeviation, Variance, finite, kept_finite, positive};
use super::saddle_point::LN_SQRT_2_PI;
use crate::distribution::{Family, Outcomes, Tails, WrongParameter};
use crate::element::{Element, family_at};
use crate::param::{Number, Operand};

/// Builds a normally distributed number.
#[derive(Debug)]
pub struct Normal;

impl Normal {
    /// With this mean, and a [`Variance`] or a [`StandardDeviation`].
    ///
    /// All finite numbers. Density exp(−(x − mean)² / (2 variance)) / sqrt(2π variance).
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
        let Spread { measure, operand } = spread.into();
        family_at(
            "Normal",
            Location::caller(),
            Gaussian(measure),
            vec![mean.into(), operand],
        )
    }
}

/// A [`Variance`] or a [`StandardDeviation`].
#[derive(Clone, Debug)]
pub struct Spread {
    measure: Measure,
    operand: Operand,
}

impl<P: Into<Operand>> From<Variance<P>> for Spread {
    fn from(variance: Variance<P>) -> Self {
        Self {
            measure: Measure::Variance,
            operand: variance.operand(),
        }
    }
}

impl<P: Into<Operand>> From<StandardDeviation<P>> for Spread {
    fn from(deviation: StandardDeviation<P>) -> Self {
        Self {
            measure: Measure::Deviation,
            operand: deviation.operand(),
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Measure {
    Variance,
    Deviation,
}

struct Gaussian(Measure);

impl fmt::Debug for Gaussian {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Normal")
    }
}

impl Gaussian {
    #[inline]
    fn deviation(&self, parameters: &[f64]) -> f64 {
        match self.0 {
            Measure::Variance => parameters[1].sqrt(),
            Measure::Deviation => parameters[1],
        }
    }

    #[inline]
    fn statrs(&self, parameters: &[f64]) -> Option<Statrs> {
        Statrs::new(parameters[0], self.deviation(parameters)).ok()
    }
}

impl Family<f64> for Gaussian {
    fn parameters(&self) -> &'static [&'static str] {
        match self.0 {
            Measure::Variance => &["mean", "variance"],
            Measure::Deviation => &["mean", "standard deviation"],
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
        // Differences of large numbers may overflow, halves of them cannot.
        let deviation = self.deviation(parameters);
        let z = (value / 2.0 - parameters[0] / 2.0) / deviation;
        -2.0 * z * z - deviation.ln() - LN_SQRT_2_PI
    }

    #[inline]
    fn sample<R: Rng + ?Sized>(&self, parameters: &[f64], rng: &mut R) -> f64 {
        let drawn = self.statrs(parameters).map(|normal| normal.sample(rng));
        drawn.map_or(f64::NAN, kept_finite)
    }

    fn tails(&self, parameters: &[f64], value: &f64) -> Option<Tails> {
        let normal = self.statrs(parameters)?;
        Some(Tails {
            lower: normal.cdf(*value),
            upper: normal.sf(*value),
        })
    }
}
