//! `Lkj`: the distribution of correlation matrices by Lewandowski, Kurowicka and Joe (LKJ).

use std::f64::consts::LN_2;
use std::fmt;
use std::panic::Location;

use rand::Rng;
use statrs::function::gamma::digamma;

use super::beta::BetaDistribution;
use super::convention::Concentration;
use super::covariance::{cholesky, kept_definite, mirror, triangle};
use super::distribution::{Family, Outcomes, WrongParameter};
use super::gamma::ln_unit_gamma;
use super::param::{Number, Operand};
use crate::element::{Element, Parameter, family_of};

/// Builds the list of the correlations of a random correlation matrix.
#[derive(Debug)]
pub struct Lkj;

impl Lkj {
    /// Creates the correlations of `numbers` random numbers, with the [`Concentration`] `concentration` around zero. The concentration of the LKJ
    /// distribution must be positive and at most 1e15; `numbers`, the number of correlated numbers, must be from 2 to 1000.
    ///
    /// A value of `Lkj` is the lower triangle of the correlation matrix R without its diagonal, row by row: a list of p (p − 1) / 2 correlations for
    /// p numbers. [`Covariance::of_correlations`](crate::Covariance::of_correlations) converts a list of correlations to a covariance matrix. The LKJ
    /// density over the correlations in the list is proportional to det(R)^(concentration − 1); with a concentration of one, all correlation matrices
    /// are equally probable. Each correlation has mean zero and variance 1 / (2 concentration + p − 1). Source: Lewandowski, Kurowicka and Joe (2009), "Generating random correlation matrices
    /// based on vines and extended onion method", sections 2 and 3.
    ///
    /// ```
    /// # use figrs_core::{Concentration, Covariance, Lkj, MultivariateNormal};
    /// let correlations = Lkj::new(3, Concentration(2.0));
    /// let point = correlations.flat_map(|correlations| {
    ///     let covariance = Covariance::of_correlations([1.0, 2.0, 0.5], correlations);
    ///     MultivariateNormal::new([0.0, 0.0, 0.0], covariance)
    /// });
    /// # drop(point);
    /// ```
    #[track_caller]
    pub fn new<P: Into<Operand>>(
        numbers: usize,
        concentration: Concentration<P>,
    ) -> Element<Vec<f64>> {
        family_of(
            "Lkj",
            Location::caller(),
            LkjDistribution { rows: numbers },
            [Parameter::One(concentration.operand())],
        )
    }
}

const MAX_ROWS: usize = 1000;

/// Largest concentration of the LKJ distribution: above it, the correlations would be about as small as their rounding errors.
const MAX_CONCENTRATION: f64 = 1e15;

/// Largest partial correlation that the sampler draws; a partial correlation of one would make the correlation matrix singular.
const MAX_PARTIAL: f64 = 1.0 - f64::EPSILON;

#[derive(Clone)]
struct LkjDistribution {
    rows: usize,
}

impl fmt::Debug for LkjDistribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Lkj[{} numbers]", self.rows)
    }
}

/// Returns the rows of the correlation matrix whose lower triangle without the diagonal is `correlations`.
fn correlation_rows(size: usize, correlations: &[f64]) -> Vec<Vec<f64>> {
    let row = |i: usize| {
        let start = i * i.saturating_sub(1) / 2;
        let mut row = correlations[start..start + i].to_vec();
        row.push(1.0);
        row
    };
    let mut rows: Vec<Vec<f64>> = (0..size).map(row).collect();
    mirror(&mut rows);
    rows
}

impl LkjDistribution {
    /// Returns the logarithm of the determinant of the correlation matrix; `None` if the correlations `value` do not form a positive definite matrix.
    fn ln_determinant(&self, value: &[f64]) -> Option<f64> {
        let size = self.rows;
        if !(2..=MAX_ROWS).contains(&size) || value.len() != size * (size - 1) / 2 {
            return None;
        }
        let factor = cholesky(&correlation_rows(size, value)).ok()?;
        // The squares in each row of the Cholesky factor sum to one. The logarithm of the diagonal square is computed from the other squares, because
        // this is exact for small correlations.
        let ln_square = |(i, row): (usize, &Vec<f64>)| {
            let others: f64 = row[..i].iter().map(|l| l * l).sum();
            (-others).ln_1p()
        };
        Some(factor.iter().enumerate().map(ln_square).sum())
    }

    /// Returns, for each column except the last, the number of partial correlations in the column, and the shape parameter of their distribution:
    /// that of 2 B − 1, where B has the distribution Beta(shape, shape).
    fn columns(&self, concentration: f64) -> impl Iterator<Item = (f64, f64)> {
        let below = (1..self.rows.min(MAX_ROWS)).rev();
        below.map(move |below| (below as f64, partial_shape(concentration, below)))
    }
}

/// Returns the shape parameter of the beta distribution for a column with `below` partial correlations.
fn partial_shape(concentration: f64, below: usize) -> f64 {
    concentration + (below as f64 - 1.0) / 2.0
}

impl Family<Vec<f64>> for LkjDistribution {
    fn parameters(&self) -> &'static [&'static str] {
        &["concentration"]
    }

    fn check(&self, parameters: &[f64]) -> Result<(), WrongParameter> {
        if !(2..=MAX_ROWS).contains(&self.rows) {
            let problem = format!(
                "correlations of {} numbers; there must be from 2 to {MAX_ROWS} numbers",
                self.rows
            );
            return Err(WrongParameter::new(WrongParameter::WHOLE, problem));
        }
        if parameters[0] > 0.0 && parameters[0] <= MAX_CONCENTRATION {
            return Ok(());
        }
        let problem = format!("must be positive and at most {MAX_CONCENTRATION:e}");
        Err(WrongParameter::new(0, problem))
    }

    fn outcomes(&self, _: &[Number]) -> Outcomes<Vec<f64>> {
        Outcomes::Continuous
    }

    fn log_prob(&self, parameters: &[f64], value: &Vec<f64>) -> f64 {
        if self.check(parameters).is_err() {
            return f64::NAN;
        }
        let Some(ln_determinant) = self.ln_determinant(value) else {
            return f64::NEG_INFINITY;
        };
        // The normalising constant is the product of the densities of all partial correlations at zero.
        let density = |(count, shape): (f64, f64)| {
            count * (BetaDistribution.log_prob(&[shape, shape], &0.5) - LN_2)
        };
        let constant: f64 = self.columns(parameters[0]).map(density).sum();
        let log = constant + (parameters[0] - 1.0) * ln_determinant;
        if log.is_nan() { f64::NEG_INFINITY } else { log }
    }

    fn is_same_as(&self, other: &Self) -> bool {
        self.rows == other.rows
    }

    fn log_prob_derivative(&self, parameters: &[f64], _: usize, value: &Vec<f64>) -> Option<f64> {
        let Some(ln_determinant) = self.ln_determinant(value) else {
            return Some(0.0);
        };
        let slope = |(count, shape): (f64, f64)| {
            2.0 * count * (digamma(2.0 * shape) - digamma(shape) - LN_2)
        };
        Some(ln_determinant + self.columns(parameters[0]).map(slope).sum::<f64>())
    }

    /// Draws the independent partial correlations of a random correlation matrix, and computes from them the Cholesky factor of the matrix.
    fn sample<R: Rng + ?Sized>(&self, parameters: &[f64], rng: &mut R) -> Vec<f64> {
        let size = self.rows.min(MAX_ROWS);
        let row = |i: usize| {
            let (mut row, mut rest) = (Vec::with_capacity(i + 1), 1.0_f64);
            for j in 0..i {
                let shape = partial_shape(parameters[0], size - 1 - j);
                let ln_odds = ln_unit_gamma(shape, rng) - ln_unit_gamma(shape, rng);
                let partial = (ln_odds / 2.0).tanh().clamp(-MAX_PARTIAL, MAX_PARTIAL);
                row.push(partial * rest.sqrt());
                rest *= (1.0 - partial) * (1.0 + partial);
            }
            row.push(rest.sqrt());
            row
        };
        let factor: Vec<Vec<f64>> = (0..size).map(row).collect();
        let correlation = |i: usize, j: usize| {
            let terms = factor[i].iter().zip(&factor[j]);
            let sum: f64 = terms.map(|(a, b)| a * b).sum();
            if i == j { 1.0 } else { sum.clamp(-1.0, 1.0) }
        };
        let row = |i| (0..size).map(|j| correlation(i, j)).collect();
        triangle(&kept_definite((0..size).map(row).collect()), 1)
    }
}
