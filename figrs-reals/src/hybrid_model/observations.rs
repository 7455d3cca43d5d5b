//! Observations of real elements, each of which makes one real vector a function of other vectors.

use std::borrow::Cow;
use std::rc::Rc;

use figrs_answer::error::Error;
use figrs_core::{AnyElement, Model};
use nalgebra::DMatrix;
use smallvec::SmallVec;

use super::HybridModel;
use crate::finite_part::numbers_of;
use crate::linear_element::{Conditional, Linear, union};
use crate::scan::Form;

/// If the squared sine of the angle between a row of coefficients and the rows before it is below this number, the numbers of an observed vector are
/// observed one after another. Observed all at once, they would lose digits.
const NEARLY_DEPENDENT: f64 = 1e-8;

impl HybridModel<'_> {
    /// Adds the observations of real elements to the factor graph.
    ///
    /// **Errors.** [`Error::ImpossibleEvidence`] if an observation contradicts earlier ones; [`Error::NotClosedForm`] if a statement of evidence on a
    /// real element is not an observation.
    pub(super) fn observe_evidence(&mut self, model: &Model) -> Result<(), Error> {
        for (position, (element, evidence)) in model.evidence().iter().enumerate() {
            let rows = match self.scan.form(element) {
                Form::Observed => {
                    let pair = self.scan.observed(element).zip(evidence.observed());
                    if pair.is_some_and(|(first, value)| !first.same_as(value.as_any())) {
                        let is_same = |other: &AnyElement| other.id() == element.id();
                        return Err(contradiction(model, position, is_same));
                    }
                    continue;
                }
                Form::Real(_) if self.scan.accepts_all() && evidence.observed().is_none() => {
                    continue;
                }
                Form::Real(rows) => Rc::clone(rows),
                Form::Finite | Form::Function(_) | Form::Parameter(_) => continue,
            };
            let value = evidence
                .observed()
                .and_then(|value| numbers_of(value.as_any()));
            let value = value.filter(|value| value.len() == rows.rows[0].numbers());
            let value = value.ok_or_else(|| {
                let problem = "the only evidence that it supports is an observed value with as many numbers as it has; state an interval by \
                an observed comparison such as `greater_than`, or use ExpectationPropagation, which supports conditions and weights of one \
                number";
                Error::not_closed_form(element, problem)
            })?;
            if value.iter().any(|x| !x.is_finite()) {
                return Err(Error::ImpossibleEvidence {
                    conflict: vec![model.describe(position)],
                    is_minimal: true,
                });
            }
            if !self.observe(element, &rows, value.as_slice())? {
                let is_real = |other: &AnyElement| self.scan.is_real(other);
                return Err(contradiction(model, position, is_real));
            }
        }
        Ok(())
    }

    /// Adds the observation that a linear function of real vectors has the value `value`; one of the vectors becomes a function of the others.
    /// Returns `false` if earlier observations contradict the added observation for every assignment of the finite elements.
    ///
    /// An observation that earlier observations imply does not change the model: its conditional probability is one. The implied value and the
    /// observed value are equal up to rounding if they differ by at most 1e-14 times the sum of the magnitudes of all terms from which they were
    /// computed. A coefficient of a linear function is zero up to rounding if it is at most 1e-14 times the sum of the magnitudes of its terms.
    ///
    /// **Errors.** [`Error::NotClosedForm`] if the observation has a probability for some assignments of the finite elements and a density for
    /// others; or if no single real vector has a density for all assignments.
    fn observe(
        &mut self,
        element: &AnyElement,
        rows: &Conditional<Linear>,
        value: &[f64],
    ) -> Result<bool, Error> {
        let replaced = self.substituted(element, rows)?;
        let mut rows = replaced.map_or(Cow::Borrowed(rows), Cow::Owned);
        if rows.rows.iter().any(|row| row.as_vector().is_none()) {
            let rows = rows.to_mut().rows.iter_mut();
            rows.for_each(Linear::drop_rounding_errors);
        }
        let is_excluded = |row: &Linear| row.is_constant() && !row.agrees_with(value);
        let is_implied = |row: &Linear| row.agrees_with(value);
        if rows.rows.iter().all(is_excluded) {
            return Ok(false);
        }
        if rows.rows.iter().all(Linear::is_constant) {
            let log = |place: usize| match is_implied(&rows.rows[place]) {
                true => 0.0,
                false => f64::NEG_INFINITY,
            };
            if rows.rows.iter().any(is_excluded) {
                self.add_finite(&rows.finite, log);
            }
            return Ok(true);
        }
        if rows.rows.iter().any(is_implied) {
            let problem = "its value is observed: for some values of finite elements, other observations determine it, and for others it has a density";
            return Err(Error::not_closed_form(element, problem));
        }
        let open = rows.rows.iter().filter(|row| !is_excluded(row));
        let chosen = chosen_vector(open);
        let free = self.known.len();
        let solution = |index: usize, row: &Linear| match is_excluded(row) {
            true => Some((
                any_solution(self.dimensions[index], (free, value.len())),
                f64::NEG_INFINITY,
            )),
            false => solution(row, (index, free), value),
        };
        let solved = |index| rows.rows.iter().map(|row| solution(index, row)).collect();
        let solved: Option<SmallVec<[(Linear, f64); 1]>> = chosen.and_then(solved);
        let (Some(index), Some(solved)) = (chosen, solved) else {
            if value.len() > 1 {
                return self.observe_numbers(element, &rows, value);
            }
            let problem = "its value is observed, and it depends on different normal elements for different values of finite elements";
            return Err(Error::not_closed_form(element, problem));
        };
        let (solved, logs): (SmallVec<_>, SmallVec<[f64; 1]>) = solved.into_iter().unzip();
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
        Ok(true)
    }

    /// Adds the observation of a list of numbers as one observation for each number, by the method [`observe`](Self::observe).
    fn observe_numbers(
        &mut self,
        element: &AnyElement,
        rows: &Conditional<Linear>,
        value: &[f64],
    ) -> Result<bool, Error> {
        for (position, number) in value.iter().enumerate() {
            let row = |row: &Linear| row.number(position);
            let own = Conditional {
                finite: rows.finite.clone(),
                rows: rows.rows.iter().map(row).collect(),
            };
            if !self.observe(element, &own, std::slice::from_ref(number))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Records that the real vector `index` is the linear function `definition` of other vectors.
    fn define(&mut self, index: usize, definition: Conditional<Linear>) {
        for other in definition.rows.iter().flat_map(Linear::vectors) {
            let functions = self.functions_of.entry(other).or_default();
            if functions.last() != Some(&index) {
                functions.push(index);
            }
        }
        self.known[index] = Some(Box::new(definition));
    }

    /// Returns the linear function after the real vectors that evidence determines are replaced; `None` if the function contains no such vector.
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
            let mut replaced = row.vectors().filter_map(known);
            if replaced.any(|known| !known.is_constant()) {
                sum.drop_rounding_errors();
            }
            sum
        });
        Ok(Some(Conditional {
            rows: replaced.collect(),
            finite: scope,
        }))
    }
}

/// Returns the last real vector that has a nonzero coefficient in all linear functions of `rows`.
fn chosen_vector<'r>(rows: impl Iterator<Item = &'r Linear> + Clone) -> Option<usize> {
    let is_everywhere = |index: usize| {
        rows.clone().all(|row| {
            let found = row.coefficients(index);
            found.is_some_and(|coefficients| coefficients.iter().any(|&x| x != 0.0))
        })
    };
    let mut indices = rows.clone().next()?.vectors().rev();
    indices.find(|&index| is_everywhere(index))
}

/// Solves a linear equation for the real vector `index`: returns the vector as a function of the other vectors, and the logarithm of the factor by
/// which the density changes. If the equation determines only a part of the vector, the solution also depends on the vector `free`, which represents
/// the undetermined part. Returns `None` if the rows of the linear equation are linearly dependent, or nearly so.
fn solution(row: &Linear, (index, free): (usize, usize), value: &[f64]) -> Option<(Linear, f64)> {
    if row.as_vector() == Some(index) {
        return Some((Linear::constant(value), 0.0));
    }
    let coefficients = row.coefficients(index)?;
    let (m, n) = coefficients.shape();
    if m > n {
        return None;
    }
    let products = coefficients * coefficients.transpose();
    let squares = products.diagonal();
    let lower = products.cholesky()?;
    let roots = lower.l_dirty().diagonal();
    let mut pairs = roots.iter().zip(&squares);
    if pairs.any(|(root, square)| root * root < NEARLY_DEPENDENT * square) {
        return None;
    }
    let log_determinant = 2.0 * roots.iter().map(|x| x.ln()).sum::<f64>();
    let inverse = coefficients.transpose() * lower.inverse();
    let mut rest = Linear::constant(value);
    rest.add_multiple(-1.0, &row.without(index));
    let mut solved = Linear::constant(&vec![0.0; n]);
    solved.add(inverse.as_slice(), &rest);
    if n > m {
        let eigen = (coefficients.transpose() * coefficients).symmetric_eigen();
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&a, &b| eigen.eigenvalues[a].total_cmp(&eigen.eigenvalues[b]));
        let basis = eigen.eigenvectors.select_columns(&order[..n - m]);
        solved.add(basis.as_slice(), &Linear::vector(free, n - m));
    }
    Some((solved, -0.5 * log_determinant))
}

/// Returns a linear function with the same dimensions as a [`solution`] for a vector of the dimension `dimension` in an equation of `numbers`
/// numbers. For an assignment of finite elements that the evidence excludes, the returned function is used instead of a solution of the equation.
fn any_solution(dimension: usize, (free, numbers): (usize, usize)) -> Linear {
    let mut solved = Linear::constant(&vec![0.0; dimension]);
    let left = dimension - numbers.min(dimension);
    if left > 0 {
        let basis = DMatrix::<f64>::identity(dimension, left);
        solved.add(basis.as_slice(), &Linear::vector(free, left));
    }
    solved
}

/// Returns the error that statements of evidence contradict each other. The error lists the statements of evidence with indices up to `last`, if
/// `is_about` returns true for their elements.
fn contradiction(model: &Model, last: usize, is_about: impl Fn(&AnyElement) -> bool) -> Error {
    let about = (0..=last).filter(|&i| is_about(&model.evidence()[i].0));
    Error::ImpossibleEvidence {
        conflict: about.map(|i| model.describe(i)).collect(),
        is_minimal: false,
    }
}
