//! The unknown parameter that scales the precisions, or the variances, of all normal elements.

use figrs_answer::error::Error;
use figrs_core::Limits;
use figrs_gaussian::{HybridFactor, HybridGraph, most_probable};
use nalgebra::DVector;

use super::HybridModel;
use crate::closed_form::explained;
use crate::conjugate::{ScaledNormals, typical_precision};
use crate::scan::NormalVector;

impl HybridModel<'_> {
    /// If a parameter scales the precisions or the variances of all normal vectors, finds the parameter's posterior, and returns the precision by
    /// which the vectors' densities are scaled: the one for a typical value of the parameter. If no parameter scales all normal vectors, returns one.
    ///
    /// At a typical value of the scaling parameter, the log-density of the evidence has the size of the log-evidence in any unit of measurement. At
    /// another value, such as one, the log-density would lose digits by cancellation.
    ///
    /// **Errors.** [`Error::NotClosedForm`] if the prior of the scaling parameter is not conjugate; the errors of the variable elimination.
    pub(super) fn common_precision(
        &mut self,
        vectors: &[Option<NormalVector>],
        limits: &Limits,
    ) -> Result<f64, Error> {
        let Some((parameter, measure)) = self.scan.common_scale else {
            return Ok(1.0);
        };
        let all = vectors.iter().flatten().map(|vector| vector.dimension);
        let free: usize = self.graph.dimensions.iter().sum();
        let scaled = ScaledNormals {
            measure,
            numbers: (all.sum::<usize>() - free) as f64,
            squares: self.least_squares(vectors, limits)?,
        };
        let own = &mut self.scan.parameters[parameter];
        own.scaled = Some(scaled);
        let posterior = own.posteriors(&self.scan.finite)?;
        let distribution = posterior.rows[0].distribution.as_deref();
        Ok(distribution.and_then(typical_precision).unwrap_or(1.0))
    }

    /// Returns the minimum, over all values of the unobserved numbers, of the squared Mahalanobis distance of all vectors from their means, for the
    /// value one of the scaling parameter.
    fn least_squares(
        &self,
        vectors: &[Option<NormalVector>],
        limits: &Limits,
    ) -> Result<f64, Error> {
        let mut normals = HybridGraph {
            dimensions: self.graph.dimensions.clone(),
            ..HybridGraph::default()
        };
        let mut squares = 0.0;
        for (index, vector) in vectors.iter().enumerate() {
            let Some(vector) = vector else { continue };
            let rule = self.rule_factor(index, vector)?;
            if rule.vectors.is_empty() {
                squares += rule.forms[0].squares(&DVector::zeros(0));
                continue;
            }
            let reals = rule.vectors.iter().filter_map(|&v| self.reals[v]);
            normals.factors.push(HybridFactor {
                finite: Vec::new(),
                reals: reals.collect(),
                forms: rule.forms,
            });
        }
        // The squares are summed at the most probable numbers. A small error of the most probable numbers changes the sum only by the square of the
        // error.
        let found = most_probable(&normals, 1, limits).map_err(|error| explained(self, error))?;
        for factor in &normals.factors {
            let numbers = factor
                .reals
                .iter()
                .flat_map(|real| &found.reals[real.index()]);
            let numbers: Vec<f64> = numbers.copied().collect();
            squares += factor.forms[0].squares(&DVector::from_vec(numbers));
        }
        Ok(squares)
    }
}
