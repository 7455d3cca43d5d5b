//! `Wishart`: the Wishart distribution of the sum of outer products of normal vectors.

use std::f64::consts::LN_2;
use std::fmt;
use std::panic::Location;

use rand::Rng;
use rand::distr::Distribution as _;
use statrs::distribution::Normal;
use statrs::function::gamma::digamma;

use super::convention::{DegreesOfFreedom, kept_finite, kept_positive};
use super::covariance::{Covariance, FactoredCovariance, cholesky, kept_definite, triangle};
use super::distribution::{Family, Outcomes, WrongParameter};
use super::gamma::{ln_gamma_density, ln_unit_gamma};
use super::param::{Number, Operand};
use super::saddle_point::LN_SQRT_2_PI;
use crate::element::{Element, Parameter, family_of};

/// Builds the lower triangle of a random symmetric positive definite matrix.
#[derive(Debug)]
pub struct Wishart;

impl Wishart {
    /// Creates the sum of the matrices `x xᵀ` for independent normal vectors x with mean zero and the constant [`Covariance`] `covariance`; the
    /// number of vectors is the [`DegreesOfFreedom`] `freedom`. The number n of degrees of freedom need not be an integer; if the covariance matrix V
    /// has p rows, n must be above p − 1.
    ///
    /// A value of `Wishart` is the lower triangle of the sum of outer products, row by row, as a list of p (p + 1) / 2 numbers.
    /// [`Covariance::lower_triangle`] converts a value of `Wishart` to a covariance matrix. The Wishart density over the numbers of the lower
    /// triangle is det(X)^((n − p − 1) / 2) exp(−tr(V⁻¹ X) / 2) / (2^(n p / 2) det(V)^(n / 2) Γₚ(n / 2)) at the matrix X. The number in row i and
    /// column j of a Wishart matrix has the mean n Vᵢⱼ and the variance n (Vᵢⱼ² + Vᵢᵢ Vⱼⱼ).
    ///
    /// ```
    /// # use figrs_core::{Covariance, DegreesOfFreedom, MultivariateNormal, Wishart};
    /// let matrix = Wishart::new(DegreesOfFreedom(5.0), Covariance::diagonal([0.2, 0.2]));
    /// let point = matrix.flat_map(|numbers| {
    ///     MultivariateNormal::new([0.0, 0.0], Covariance::lower_triangle(numbers))
    /// });
    /// # drop(point);
    /// ```
    #[track_caller]
    pub fn new<P: Into<Operand>>(
        freedom: DegreesOfFreedom<P>,
        covariance: Covariance,
    ) -> Element<Vec<f64>> {
        family_of(
            "Wishart",
            Location::caller(),
            WishartDistribution(FactoredCovariance::new(&covariance)),
            [Parameter::One(freedom.operand())],
        )
    }
}

/// The family of Wishart distributions with a constant covariance of the normal vectors.
#[derive(Clone)]
struct WishartDistribution(FactoredCovariance);

impl fmt::Debug for WishartDistribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Wishart[covariance {:?}]", self.0)
    }
}

impl WishartDistribution {
    /// Returns the lower triangular matrix Z such that `value` is the lower triangle of L Z Zᵀ Lᵀ, where L is the Cholesky factor of the covariance;
    /// `None` if the matrix given by `value` is not positive definite.
    fn standard_factor(&self, value: &[f64]) -> Option<Vec<Vec<f64>>> {
        let lower = self.0.factor_rows();
        if value.len() != lower.len() * (lower.len() + 1) / 2 {
            return None;
        }
        let mut solved = cholesky(Covariance::lower_triangle(value).as_rows()).ok()?;
        // Solves L Z = C by substitution, row by row, where C is the Cholesky factor of the value.
        for (i, lower) in lower.enumerate() {
            let (known, rest) = solved.split_at_mut(i);
            for (j, number) in rest[0].iter_mut().enumerate() {
                let above = known.iter().zip(lower).skip(j);
                let sum: f64 = above.map(|(row, l)| row[j] * l).sum();
                *number = (*number - sum) / lower[i];
            }
        }
        Some(solved)
    }
}

/// Half the square of the diagonal entry in the row `row` of the factor Z of a Wishart matrix has a gamma distribution; returns the shape of this
/// gamma distribution.
fn shape(freedom: f64, row: usize) -> f64 {
    (freedom - row as f64) / 2.0
}

impl Family<Vec<f64>> for WishartDistribution {
    fn parameters(&self) -> &'static [&'static str] {
        &["degrees of freedom"]
    }

    fn check(&self, parameters: &[f64]) -> Result<(), WrongParameter> {
        let wrong = |problem: String| Err(WrongParameter::new(WrongParameter::WHOLE, problem));
        let least = match self.0.size() {
            Ok(0) => {
                return wrong("its covariance has no rows; give at least one".into());
            }
            Ok(rows) => rows - 1,
            Err(problem) => return wrong(format!("its covariance {problem}")),
        };
        if parameters[0] > least as f64 && parameters[0].is_finite() {
            Ok(())
        } else {
            let problem = format!(
                "must be finite and above {least}, one less than the number of rows of the covariance"
            );
            Err(WrongParameter::new(0, problem))
        }
    }

    fn outcomes(&self, _: &[Number]) -> Outcomes<Vec<f64>> {
        Outcomes::Continuous
    }

    /// The Wishart density is the density of the triangular factor Z of the matrix, divided by the Jacobian of the map from Z to the matrix. The
    /// squared diagonal entries of the triangular factor Z of a Wishart matrix have chi-squared distributions, and its other entries are normal
    /// (Bartlett 1933).
    fn log_prob(&self, parameters: &[f64], value: &Vec<f64>) -> f64 {
        let Some(factor) = self.standard_factor(value) else {
            return f64::NEG_INFINITY;
        };
        let size = factor.len() as f64;
        let mut log = 0.0;
        for (i, (row, lower)) in factor.iter().zip(self.0.factor_rows()).enumerate() {
            for z in &row[..i] {
                log -= 0.5 * z * z + LN_SQRT_2_PI;
            }
            let (z, ln_z) = (row[i], row[i].ln());
            let half = z * z / 2.0;
            let ln_half = 2.0 * ln_z - LN_2;
            // The argument `value` is `z`, because `half` may be rounded to zero or to infinity although `z` is neither.
            log += ln_gamma_density(shape(parameters[0], i), half, z, ln_half) - LN_2;
            log -= (size - 1.0 - i as f64) * ln_z + (size + 1.0) * lower[i].ln();
        }
        if log.is_nan() { f64::NEG_INFINITY } else { log }
    }

    fn is_same_as(&self, other: &Self) -> bool {
        self.0 == other.0
    }

    fn log_prob_derivative(&self, parameters: &[f64], _: usize, value: &Vec<f64>) -> Option<f64> {
        let Some(factor) = self.standard_factor(value) else {
            return Some(0.0);
        };
        let term = |(i, row): (usize, &Vec<f64>)| {
            row[i].ln() - 0.5 * (LN_2 + digamma(shape(parameters[0], i)))
        };
        Some(factor.iter().enumerate().map(term).sum())
    }

    fn sample<R: Rng + ?Sized>(&self, parameters: &[f64], rng: &mut R) -> Vec<f64> {
        let lower = self.0.factor_rows();
        let normal = Normal::standard();
        let row = |i: usize| {
            let mut row: Vec<f64> = (0..i).map(|_| normal.sample(rng)).collect();
            let ln_half = ln_unit_gamma(shape(parameters[0], i), rng);
            row.push((0.5 * (ln_half + LN_2)).exp());
            row
        };
        let size = lower.len();
        let standard: Vec<Vec<f64>> = (0..size).map(row).collect();
        let factor = |l: &[f64]| {
            let column = |j: usize| {
                let terms = l.iter().zip(&standard).skip(j);
                terms.map(|(l, row)| l * row[j]).sum::<f64>()
            };
            (0..l.len()).map(column).collect::<Vec<f64>>()
        };
        let factor: Vec<Vec<f64>> = lower.map(factor).collect();
        let product = |i: usize, j: usize| {
            let sum = factor[i].iter().zip(&factor[j]).map(|(a, b)| a * b).sum();
            if i == j {
                kept_positive(sum)
            } else {
                kept_finite(sum)
            }
        };
        let row = |i| (0..size).map(|j| product(i, j)).collect();
        triangle(&kept_definite((0..size).map(row).collect()), 0)
    }
}
