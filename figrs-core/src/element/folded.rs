//! Distributions of the absolute values of symmetric numbers: `HalfNormal` and `HalfCauchy`.

use std::f64::consts::LN_2;
use std::fmt;
use std::ops::Range;
use std::panic::Location;

use rand::Rng;

use super::cauchy::CauchyDistribution;
use super::convention::Scale;
use super::distribution::{Family, Outcomes, Tails, WrongParameter};
use super::likelihood::Likelihood;
use super::normal::{NormalDistribution, Spread};
use super::param::{Number, Operand};
use crate::element::Element;
use crate::element::family::compiled_family;

/// Builds the absolute value of a normally distributed number of mean zero.
#[derive(Debug)]
pub struct HalfNormal;

impl HalfNormal {
    /// Creates the absolute value of a normal number of mean zero. The given [`Variance`](crate::Variance),
    /// [`StandardDeviation`](crate::StandardDeviation) or [`Precision`](crate::Precision) describes the normal number, not its absolute value.
    ///
    /// The absolute value has the non-negative numbers as its support. The half-normal density is 2 exp(−x² / (2 variance)) / sqrt(2π variance), the
    /// mean sqrt(2 variance / π) and the variance (1 − 2 / π) variance.
    #[track_caller]
    pub fn new(spread: impl Into<Spread>) -> Element<f64> {
        let (family, spread) = NormalDistribution::of_spread(spread.into());
        compiled_family!(
            "HalfNormal": FoldedDistribution<NormalDistribution> => f64,
            FoldedDistribution { name: "HalfNormal", family }, [spread]
        )
    }
}

/// Builds the absolute value of a number with a Cauchy distribution around zero.
#[derive(Debug)]
pub struct HalfCauchy;

impl HalfCauchy {
    /// Creates the absolute value of a Cauchy number with location zero and the [`Scale`] `scale`, which is the median of the absolute value.
    ///
    /// The absolute value has the non-negative numbers as its support. The half-Cauchy density is 2 / (π scale (1 + (x / scale)²)); the distribution
    /// has no mean.
    #[track_caller]
    pub fn new<P: Into<Operand>>(scale: Scale<P>) -> Element<f64> {
        compiled_family!(
            "HalfCauchy": FoldedDistribution<CauchyDistribution> => f64,
            FoldedDistribution { name: "HalfCauchy", family: CauchyDistribution }, [scale.operand()]
        )
    }
}

/// The family of the absolute values of numbers from a symmetric family, whose first parameter is the centre.
#[derive(Clone)]
struct FoldedDistribution<F> {
    name: &'static str,
    family: F,
}

impl<F> fmt::Debug for FoldedDistribution<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Returns the parameters of the symmetric distribution whose centre is zero.
fn centred(parameters: &[f64]) -> [f64; 2] {
    [0.0, parameters[0]]
}

impl<F: Family<f64>> Family<f64> for FoldedDistribution<F> {
    fn parameters(&self) -> &'static [&'static str] {
        &self.family.parameters()[1..]
    }

    #[inline]
    fn check(&self, parameters: &[f64]) -> Result<(), WrongParameter> {
        self.family.check(&centred(parameters)).map_err(|wrong| {
            let index = wrong.index.saturating_sub(1);
            WrongParameter { index, ..wrong }
        })
    }

    fn outcomes(&self, _: &[Number]) -> Outcomes<f64> {
        Outcomes::Continuous
    }

    #[inline]
    fn log_prob(&self, parameters: &[f64], value: &f64) -> f64 {
        if *value < 0.0 {
            return f64::NEG_INFINITY;
        }
        self.family.log_prob(&centred(parameters), value) + LN_2
    }

    fn is_same_as(&self, other: &Self) -> bool {
        self.family.is_same_as(&other.family)
    }

    fn likelihood(
        &self,
        parameters: &[f64],
        open: Range<usize>,
        value: &f64,
        likelihood: &mut Likelihood,
    ) {
        if *value < 0.0 {
            return likelihood.refuse();
        }
        let open = open.start + 1..open.end + 1;
        let centred = centred(parameters);
        self.family.likelihood(&centred, open, value, likelihood);
    }

    fn log_prob_derivative(&self, parameters: &[f64], index: usize, value: &f64) -> Option<f64> {
        if *value < 0.0 {
            return Some(0.0);
        }
        let centred = centred(parameters);
        self.family.log_prob_derivative(&centred, index + 1, value)
    }

    #[inline]
    fn sample<R: Rng + ?Sized>(&self, parameters: &[f64], rng: &mut R) -> f64 {
        self.family.sample(&centred(parameters), rng).abs()
    }

    fn tails(&self, parameters: &[f64], value: &f64) -> Option<Tails> {
        let outside = self.family.tails(&centred(parameters), &value.max(0.0))?;
        Some(Tails {
            lower: outside.lower - outside.upper,
            upper: 2.0 * outside.upper,
        })
    }
}
