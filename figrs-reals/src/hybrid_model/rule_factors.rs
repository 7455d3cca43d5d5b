//! The factors of the conditional distributions of normal vectors given the vectors before them.

use figrs_answer::error::Error;
use figrs_gaussian::{HybridFactor, SquareRootForm};
use smallvec::SmallVec;

use super::HybridModel;
use crate::linear_element::{Conditional, Linear};
use crate::scan::NormalVector;

/// The conditional density of a normal vector, as a function of the real vectors that no observation determines.
pub(super) struct RuleFactor {
    /// The finite elements on which the conditional density depends, by index in ascending order.
    pub(super) finite: Vec<usize>,
    /// The real vectors on which the conditional density depends, by index in ascending order.
    pub(super) vectors: SmallVec<[usize; 4]>,
    /// The conditional density for each assignment of the finite elements.
    pub(super) forms: SmallVec<[SquareRootForm; 1]>,
}

impl RuleFactor {
    /// Multiplies the precision matrix of the conditional distribution by `precision`.
    pub(super) fn with_precision(mut self, precision: f64) -> Self {
        if precision != 1.0 {
            for form in &mut self.forms {
                *form = form.with_precision(precision);
            }
        }
        self
    }
}

impl HybridModel<'_> {
    /// Returns the factor of the conditional distribution of the normal vector `vector`, given the vectors before it.
    pub(super) fn rule_factor(
        &self,
        index: usize,
        vector: &NormalVector,
    ) -> Result<RuleFactor, Error> {
        let NormalVector {
            element,
            dimension,
            rule,
        } = vector;
        let residuals = rule.rows.iter().map(|rule| {
            let mut residual = Linear::vector(index, *dimension);
            residual.add_multiple(-1.0, &rule.mean);
            residual
        });
        let residuals = Conditional {
            finite: rule.finite.clone(),
            rows: residuals.collect(),
        };
        let residuals = self.substituted(element, &residuals)?.unwrap_or(residuals);
        let sizes = self.scan.finite.sizes(&residuals.finite);
        let vectors = residuals.vectors();
        let columns = self.columns(&vectors);
        let width: usize = columns.iter().map(|(_, width)| width).sum();
        let assignments = self.scan.finite.assignments(element, &residuals.finite)?;
        let mut forms = SmallVec::with_capacity(assignments.len());
        for (values, row) in assignments.iter().zip(&residuals.rows) {
            let lower = &rule.row(&residuals.finite, values, &sizes).lower;
            let blocks = row.terms().map(|(index, matrix)| {
                let place = vectors.binary_search(&index).unwrap_or_default();
                (columns[place].0, matrix)
            });
            let form = SquareRootForm::residual(width, blocks, row.offset(), lower);
            forms.push(form);
        }
        Ok(RuleFactor {
            finite: residuals.finite,
            vectors,
            forms,
        })
    }

    /// Adds the factor `rule` to the factor graph; if `rule` depends on no real vector, the new factor is one of finite variables.
    pub(super) fn add_rule(&mut self, rule: RuleFactor) {
        let RuleFactor {
            finite,
            vectors,
            mut forms,
        } = rule;
        if vectors.is_empty() {
            let logs: Vec<f64> = forms.iter().map(SquareRootForm::log_constant).collect();
            self.add_finite(&finite, |place| logs[place]);
            return;
        }
        let (finite, places) = self.entries(&finite);
        if places.iter().copied().ne(0..forms.len()) {
            forms = places.iter().map(|&place| forms[place].clone()).collect();
        }
        let reals = vectors
            .iter()
            .filter_map(|&index| self.reals[index])
            .collect();
        self.graph.factors.push(HybridFactor {
            finite,
            reals,
            forms,
        });
    }
}
