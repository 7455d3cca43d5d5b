//! Observations of real elements, which make one vector a function of other vectors.

use figrs_answer::error::Error;
use figrs_core::AnyElement;
use nalgebra::DVector;
use smallvec::SmallVec;

use super::HybridModel;
use crate::linear_element::{Conditional, Linear, union};

impl HybridModel<'_> {
    /// Adds the observation that a linear function of vectors has the value `value`; one of the vectors becomes a function of the others.
    pub(super) fn observe(
        &mut self,
        element: &AnyElement,
        rows: &Conditional<Linear>,
        value: &DVector<f64>,
    ) -> Result<(), Error> {
        let replaced = self.substituted(element, rows)?;
        let rows = replaced.as_ref().unwrap_or(rows);
        let index = chosen_vector(rows).ok_or_else(|| {
            let problem = "its value is observed, but other observations already determine it, or it has a density only for some values of finite \
            elements";
            Error::not_closed_form(element, problem)
        })?;
        let mut solved = SmallVec::with_capacity(rows.rows.len());
        let mut logs: SmallVec<[f64; 1]> = SmallVec::with_capacity(rows.rows.len());
        let free = self.known.len();
        for row in &rows.rows {
            let (solution, log) = solution(row, (index, free), value).ok_or_else(|| {
                let problem = "its value is observed, and its numbers depend on each other";
                Error::not_closed_form(element, problem)
            })?;
            solved.push(solution);
            logs.push(log);
        }
        if logs.iter().any(|&log| log != 0.0) {
            self.add_finite(&rows.finite, |place| logs[place]);
        }
        let left = self.dimensions[index] - value.len();
        if left > 0 {
            self.dimensions.push(left);
            self.known.push(None);
            self.reals.push(None);
        }
        let definition = Conditional {
            finite: rows.finite.clone(),
            rows: solved,
        };
        self.define(index, definition);
        for other in self.functions_of.remove(&index).unwrap_or_default() {
            if let Some(rows) = &self.known[other]
                && let Some(definition) = self.substituted(element, rows)?
            {
                self.define(other, definition);
            }
        }
        Ok(())
    }

    /// Records that the vector `index` is the function `definition` of other vectors.
    fn define(&mut self, index: usize, definition: Conditional<Linear>) {
        for other in definition.rows.iter().flat_map(Linear::vectors) {
            let functions = self.functions_of.entry(other).or_default();
            if functions.last() != Some(&index) {
                functions.push(index);
            }
        }
        self.known[index] = Some(Box::new(definition));
    }

    /// Returns the linear function in which the vectors that evidence determines are replaced; `None` if the function contains no such vector.
    pub(super) fn substituted(
        &self,
        element: &AnyElement,
        rows: &Conditional<Linear>,
    ) -> Result<Option<Conditional<Linear>>, Error> {
        let all = rows.rows.iter().flat_map(Linear::vectors);
        let known = all.filter_map(|index| self.known[index].as_deref());
        let known: SmallVec<[&Conditional<Linear>; 4]> = known.collect();
        if known.is_empty() {
            return Ok(None);
        }
        let scope = union(
            known
                .iter()
                .map(|k| &k.finite[..])
                .chain([&rows.finite[..]]),
        );
        let sizes = self.scan.finite.sizes(&scope);
        let assignments = self.scan.finite.assignments(element, &scope)?;
        let replaced = assignments.iter().map(|values| {
            let row = rows.row(&scope, values, &sizes);
            let known = |index: usize| {
                let known = self.known[index].as_ref()?;
                Some(known.row(&scope, values, &sizes))
            };
            let mut sum = row.replaced(known);
            if row
                .vectors()
                .filter_map(known)
                .any(|known| !known.is_constant())
            {
                let absolute = |index| known(index).map(Linear::absolute);
                sum.drop_rounding_errors(&row.absolute().replaced(absolute));
            }
            sum
        });
        Ok(Some(Conditional {
            rows: replaced.collect(),
            finite: scope,
        }))
    }
}

/// Returns the last vector that has a nonzero coefficient in `rows` for every assignment of the finite elements.
fn chosen_vector(rows: &Conditional<Linear>) -> Option<usize> {
    let first = rows.rows.first()?;
    let is_everywhere = |index: usize| {
        rows.rows.iter().all(|row| {
            let found = row.coefficients(index);
            found.is_some_and(|coefficients| coefficients.iter().any(|&x| x != 0.0))
        })
    };
    let mut indices = first.vectors().rev();
    indices.find(|&index| is_everywhere(index))
}

/// Solves a linear equation for the vector `index`: returns this vector as a function of the other vectors, and the logarithm of the factor by which
/// the density changes. If the equation determines only a part of the vector, the solution also depends on the vector `free`, which stands for the
/// undetermined part. Returns `None` if the rows of the equation are linearly dependent.
fn solution(
    row: &Linear,
    (index, free): (usize, usize),
    value: &DVector<f64>,
) -> Option<(Linear, f64)> {
    if row.as_vector() == Some(index) {
        return Some((Linear::constant(value.as_slice()), 0.0));
    }
    let coefficients = row.coefficients(index)?;
    let (m, n) = coefficients.shape();
    if m > n {
        return None;
    }
    let squares = (coefficients * coefficients.transpose()).cholesky()?;
    let log_determinant = 2.0
        * squares
            .l_dirty()
            .diagonal()
            .iter()
            .map(|x| x.ln())
            .sum::<f64>();
    let inverse = coefficients.transpose() * squares.inverse();
    let offset = DVector::from_column_slice(row.offset());
    let mut solved = Linear::constant((&inverse * (value - offset)).as_slice());
    for (other, coefficients) in row.terms() {
        if other != index {
            solved.add_term(-1.0, other, (&inverse * coefficients).as_view());
        }
    }
    if n > m {
        let eigen = (coefficients.transpose() * coefficients).symmetric_eigen();
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&a, &b| eigen.eigenvalues[a].total_cmp(&eigen.eigenvalues[b]));
        let basis = eigen.eigenvectors.select_columns(&order[..n - m]);
        solved.add_term(1.0, free, basis.as_view());
    }
    Some((solved, -0.5 * log_determinant))
}
