//! `MultivariateNormal`: the multivariate normal distribution.

use std::fmt;
use std::panic::Location;

use rand::Rng;
use rand::distr::Distribution as _;
use smallvec::SmallVec;
use statrs::distribution::Normal;

use super::convention::{finite, kept_finite};
use super::covariance::{Covariance, FactoredCovariance};
use super::distribution::{Family, Outcomes, WrongParameter};
use super::linear::{LinearFunction, LinearGaussian};
use super::param::Number;
use super::saddle_point::LN_SQRT_2_PI;
use crate::element::{Element, family_of};
use crate::value::vector::Vector;

/// Builds a list of numbers that are jointly normal.
#[derive(Debug)]
pub struct MultivariateNormal;

impl MultivariateNormal {
    /// Creates a random list with the mean `mean` and the [`Covariance`] `covariance`.
    ///
    /// The support of the multivariate normal distribution consists of the lists of finite numbers with the same length as the mean. The mean may be
    /// a list of numbers or elements, or a single element whose value is a list, such as the last position of a random walk. The covariance matrix of
    /// a `MultivariateNormal` element consists of constant numbers.
    ///
    /// ```
    /// # use figrs_core::{Covariance, MultivariateNormal};
    /// let start = MultivariateNormal::new([0.0, 0.0], Covariance::diagonal([1.0, 1.0]));
    /// let next = MultivariateNormal::new(&start, Covariance::rows([[2.0, 0.5], [0.5, 1.0]]));
    /// # drop(next);
    /// ```
    #[track_caller]
    pub fn new(mean: impl Into<Vector>, covariance: Covariance) -> Element<Vec<f64>> {
        family_of(
            "MultivariateNormal",
            Location::caller(),
            MultivariateNormalDistribution(FactoredCovariance::new(&covariance)),
            mean.into().parameters(),
        )
    }
}

/// The family of multivariate normal distributions with a constant covariance matrix.
#[derive(Clone)]
struct MultivariateNormalDistribution(FactoredCovariance);

impl fmt::Debug for MultivariateNormalDistribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MultivariateNormal[covariance {:?}]", self.0)
    }
}

impl Family<Vec<f64>> for MultivariateNormalDistribution {
    fn parameters(&self) -> &'static [&'static str] {
        &["mean"]
    }

    #[inline]
    fn check(&self, parameters: &[f64]) -> Result<(), WrongParameter> {
        let wrong = |problem: String| Err(WrongParameter::new(WrongParameter::WHOLE, problem));
        let rows = match self.0.size() {
            Ok(rows) => rows,
            Err(problem) => return wrong(format!("its covariance {problem}")),
        };
        if rows == 0 || rows != parameters.len() {
            return wrong(format!(
                "its mean has {} numbers and the covariance {rows} rows; both must have the same size, at least one",
                parameters.len()
            ));
        }
        (0..rows).try_for_each(|index| finite(parameters, index))
    }

    fn outcomes(&self, _: &[Number]) -> Outcomes<Vec<f64>> {
        Outcomes::Continuous
    }

    #[inline]
    fn log_prob(&self, parameters: &[f64], value: &Vec<f64>) -> f64 {
        let rows = self.0.factor_rows();
        if value.len() != rows.len() || value.iter().any(|x| x.is_infinite()) {
            return f64::NEG_INFINITY;
        }
        // Solves L z = value − mean by substitution, where L is the Cholesky factor.
        let mut solved: SmallVec<[f64; 4]> = SmallVec::new();
        let mut log = 0.0;
        for ((row, x), mean) in rows.zip(value).zip(parameters) {
            let known: f64 = row.iter().zip(&solved).map(|(l, z)| l * z).sum();
            let pivot = row[solved.len()];
            let z = (x - mean - known) / pivot;
            log -= 0.5 * z * z + pivot.ln() + LN_SQRT_2_PI;
            solved.push(z);
        }
        if log.is_nan() { f64::NEG_INFINITY } else { log }
    }

    fn linear_gaussian(&self, parameters: &[Option<f64>]) -> Option<LinearGaussian> {
        Some(LinearGaussian {
            mean: LinearFunction::of_numbers(parameters),
            covariance: self.0.numbers().to_vec(),
        })
    }

    #[inline]
    fn sample<R: Rng + ?Sized>(&self, parameters: &[f64], rng: &mut R) -> Vec<f64> {
        let rows = self.0.factor_rows();
        let normal = Normal::standard();
        let z: SmallVec<[f64; 4]> = (0..rows.len()).map(|_| normal.sample(rng)).collect();
        let entry = |(row, mean): (&[f64], &f64)| {
            let moved: f64 = row.iter().zip(&z).map(|(l, z)| l * z).sum();
            kept_finite(mean + moved)
        };
        rows.zip(parameters).map(entry).collect()
    }
}
