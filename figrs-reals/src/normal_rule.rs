//! Conditional distributions of normal vectors given the vectors before them.

use std::rc::Rc;

use figrs_answer::error::Error;
use figrs_core::internals::FamilyOp;
use figrs_core::{AnyElement, LinearGaussian};
use nalgebra::DMatrix;
use smallvec::SmallVec;

use crate::linear_element::{Conditional, Linear};
use crate::scan::{Attempt, Form, NormalVector, Scan, not_normal};

/// The conditional distribution of a normal vector given the vectors before it, for one assignment of finite elements.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) mean: Linear,
    /// The lower triangular matrix L for which L L' is the covariance matrix of the vector.
    pub(crate) lower: DMatrix<f64>,
}

/// For each assignment of finite elements, the conditional mean and the covariance matrix (row by row) of a normal vector given the vectors before
/// it.
pub(crate) type Laws = Conditional<(Linear, Vec<f64>)>;

impl Scan<'_> {
    /// Determines the closed form, if there is one, of a member of a continuous distribution family whose parameters are elements.
    pub(crate) fn normal_member(
        &mut self,
        element: &AnyElement,
        forms: &[Form],
        family: &dyn FamilyOp,
    ) -> Result<Attempt, Error> {
        if !forms.iter().all(Form::is_linear) {
            return self.dependent(element);
        }
        let Some(rows) = self.laws(element, forms, 1.0, family)? else {
            let has_number = forms.iter().any(Form::is_real);
            if self.accepts_all() && has_number {
                return self.dependent(element);
            }
            let parameter = if has_number {
                None
            } else {
                self.parameter_member(element, family)?
            };
            return parameter
                .map(Attempt::Done)
                .ok_or_else(|| not_normal(element));
        };
        let rule = rule(element, rows)?;
        Ok(Attempt::Done(self.add_vector(element, rule)))
    }

    /// Returns the means and the covariances of an element for each assignment of finite elements; `None` if the element is not normal with a linear
    /// mean. If a parent of the element is a multiple of a parameter with a conjugate prior, the parameter is assumed to have the value `parameter`.
    pub(crate) fn laws(
        &mut self,
        element: &AnyElement,
        forms: &[Form],
        parameter: f64,
        family: &dyn FamilyOp,
    ) -> Result<Option<Laws>, Error> {
        self.rows(element, forms, parameter, |arguments| {
            let law = family.linear_gaussian(arguments);
            let law = law.map_err(|problem| Error::from(element.invalid(problem)))?;
            Ok(law.map(|LinearGaussian { mean, covariance }| (mean, covariance)))
        })
    }

    pub(crate) fn add_vector(&mut self, element: &AnyElement, rule: Conditional<Rule>) -> Form {
        let dimension = rule.rows.first().map_or(0, |rule| rule.mean.numbers());
        let index = self.vectors.len();
        self.vectors.push(Some(NormalVector {
            element: element.clone(),
            dimension,
            rule,
        }));
        Form::Real(Rc::new(Conditional::always(Linear::vector(
            index, dimension,
        ))))
    }
}

/// Returns the conditional distribution of the normal `element` given the vectors before it; `rows` has the means and covariances.
pub(crate) fn rule(element: &AnyElement, rows: Laws) -> Result<Conditional<Rule>, Error> {
    check_numbers(element, rows.rows.iter().map(|(mean, _)| mean))?;
    let mut checked = SmallVec::with_capacity(rows.rows.len());
    for (mean, covariance) in rows.rows {
        checked.push(Rule {
            lower: lower_triangle(element, mean.numbers(), &covariance)?,
            mean,
        });
    }
    Ok(Conditional {
        finite: rows.finite,
        rows: checked,
    })
}

/// Returns the lower triangular matrix L for which L L' is the matrix `covariance`, which is given row by row and has `n` rows.
///
/// **Errors.** [`ModelError::InvalidParameter`](figrs_core::ModelError::InvalidParameter) if the covariance matrix is not positive definite.
pub(crate) fn lower_triangle(
    element: &AnyElement,
    n: usize,
    covariance: &[f64],
) -> Result<DMatrix<f64>, Error> {
    if let &[variance] = covariance
        && n == 1
        && variance > 0.0
        && variance.is_finite()
    {
        return Ok(DMatrix::from_element(1, 1, variance.sqrt()));
    }
    if covariance.len() == n * n && covariance.iter().all(|x| x.is_finite()) {
        let matrix = DMatrix::from_row_slice(n, n, covariance);
        if let Some(lower) = matrix.cholesky() {
            return Ok(lower.unpack());
        }
    }
    let rows: Vec<&[f64]> = covariance.chunks(n.max(1)).collect();
    let problem = format!("its covariance {rows:?} is not finite and positive definite");
    Err(element.invalid(problem).into())
}

/// Checks that all coefficients of an element's linear functions are finite, and that the element has the same dimension, at least one, for all
/// assignments of the finite elements.
pub(crate) fn check_numbers<'a>(
    element: &AnyElement,
    rows: impl Iterator<Item = &'a Linear>,
) -> Result<(), Error> {
    let mut width = None;
    for row in rows {
        let n = row.numbers();
        if n == 0 || *width.get_or_insert(n) != n {
            let problem = "its lists are empty or have different lengths";
            return Err(Error::not_closed_form(element, problem));
        }
        if !row.is_finite() {
            let problem =
                "it is a linear function with a coefficient that is infinite or not a number";
            return Err(Error::not_closed_form(element, problem));
        }
    }
    Ok(())
}
