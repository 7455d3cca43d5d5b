//! The law of a step of a filter: the next state and the readings as linear functions of the present state, with normal noise.

use std::ops::Range;

use figrs_answer::error::Error;
use figrs_core::{AnyElement, Limits, Model};
use nalgebra::{DMatrix, DVector};

use crate::belief::{Belief, BeliefComponent};
use crate::linear_element::{Conditional, Linear};
use crate::made_elements::factor;
use crate::scan::{Form, Scan};

const LN_SQRT_2_PI: f64 = 0.918_938_533_204_672_8;

/// A reading is treated as determined by earlier readings if its conditional standard deviation is at most this number times its largest coefficient.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// The law of a step of a [`Filter`](crate::Filter), which [`Filter::law`](crate::Filter::law) computes and [`Filter::follow`](crate::Filter::follow)
/// applies.
#[derive(Clone, Debug)]
pub struct FilterLaw {
    /// The element of the first reading, or an element of the state if there are no readings.
    element: AnyElement,
    /// Number of real numbers of the present state; `readings` is the number of readings.
    present: usize,
    readings: usize,
    /// For each element of the next state, the range of its numbers in the state's concatenated numbers.
    numbers: Vec<Option<Range<usize>>>,
    /// The readings, followed by the numbers of the next state, as linear functions of the present state's numbers and of independent standard normal
    /// numbers.
    values: Affine,
}

#[derive(Clone, Debug)]
struct Affine {
    offset: DVector<f64>,
    coefficients: DMatrix<f64>,
}

impl Affine {
    /// Substitutes `vectors`, which are linear functions themselves, in the linear function `linear`.
    fn of(linear: &Linear, vectors: &[Self], columns: usize) -> Self {
        let mut this = Self {
            offset: DVector::from_column_slice(linear.offset()),
            coefficients: DMatrix::zeros(linear.numbers(), columns),
        };
        for (index, coefficients) in linear.terms() {
            let vector = &vectors[index];
            this.offset += coefficients * &vector.offset;
            this.coefficients += coefficients * &vector.coefficients;
        }
        this
    }
}

impl Belief {
    /// Returns a distribution of `elements` in which all numbers are independent and standard normal.
    ///
    /// **Errors.** [`Error::NotClosedForm`] if an element is finite.
    pub(crate) fn standard(
        numbers: &[Option<Range<usize>>],
        elements: &[AnyElement],
    ) -> Result<Self, Error> {
        if let Some(finite) = numbers.iter().position(Option::is_none) {
            return Err(not_real(&elements[finite]));
        }
        let dimension = numbers.iter().flatten().map(|range| range.end).max();
        let dimension = dimension.unwrap_or(0);
        Ok(Self {
            numbers: numbers.to_vec(),
            components: vec![BeliefComponent {
                share: 1.0,
                finite: Vec::new(),
                mean: DVector::zeros(dimension),
                covariance: DMatrix::identity(dimension, dimension),
                factor: None,
            }],
            log_evidence: 0.0,
        })
    }
}

impl FilterLaw {
    /// Computes the law of a step. The elements `next` and `readings` depend on the present state, whose numbers are the entries of the element
    /// `present`.
    ///
    /// **Errors.** [`Error::NotClosedForm`] if an element has no closed form; the errors of the elements.
    pub(crate) fn new(
        present: &AnyElement,
        next: &[AnyElement],
        readings: &[AnyElement],
        limits: &Limits,
    ) -> Result<Self, Error> {
        let model = Model::new();
        // The present state is the first target, so that its numbers are the first vector.
        let targets = [std::slice::from_ref(present), readings, next].concat();
        let mut scan = Scan::new(&model, &targets, limits);
        scan.run()?;
        let dimensions = scan.vectors.iter().flatten().map(|v| v.dimension);
        let columns: usize = dimensions.sum();
        let (mut vectors, mut start) = (Vec::with_capacity(scan.vectors.len()), 0);
        for vector in scan.vectors.iter().flatten() {
            let rule = single(&vector.element, &vector.rule)?;
            let mut value = Affine::of(&rule.mean, &vectors, columns);
            let mut own = value.coefficients.columns_mut(start, vector.dimension);
            own.copy_from(&rule.lower);
            start += vector.dimension;
            vectors.push(value);
        }
        let (mut offset, mut rows) = (Vec::new(), Vec::new());
        let mut ends = Vec::with_capacity(targets.len());
        for element in &targets[1..] {
            let Form::Real(linear) = scan.form(element) else {
                return Err(not_real(element));
            };
            let value = Affine::of(single(element, linear)?, &vectors, columns);
            offset.extend(&value.offset);
            rows.extend(value.coefficients.row_iter().map(|row| row.clone_owned()));
            ends.push(offset.len());
        }
        let first = readings.len().checked_sub(1).map_or(0, |last| ends[last]);
        let starts = std::iter::once(first).chain(ends[readings.len()..].iter().copied());
        let numbers = starts.zip(&ends[readings.len()..]);
        Ok(Self {
            element: readings
                .iter()
                .chain(next)
                .next()
                .unwrap_or(present)
                .clone(),
            present: scan.vectors[0].as_ref().map_or(0, |v| v.dimension),
            readings: first,
            numbers: numbers
                .map(|(start, &end)| Some(start - first..end - first))
                .collect(),
            values: Affine {
                offset: offset.into(),
                coefficients: DMatrix::from_rows(&rows),
            },
        })
    }

    /// Returns the distribution of the next state, given the distribution `belief` of the present state and the values of the readings.
    ///
    /// **References.** Kaminski, Bryson and Schmidt, *Discrete square root filtering*, 1971 (the array form of the filter of Kalman).
    ///
    /// **Errors.** [`Error::InvalidSetting`] if the law is for another state, if the number of values is not the number of the law's readings, or if a
    /// value is not a finite number; [`Error::NotClosedForm`] if earlier readings determine a reading; [`Error::ImpossibleEvidence`] if the readings are
    /// impossible.
    pub(crate) fn step(&self, belief: &Belief, values: &[f64]) -> Result<Belief, Error> {
        let is_real = belief.numbers.iter().all(Option::is_some);
        let dimension = belief.components.first().map_or(0, |c| c.mean.len());
        let invalid = |value, remedy| Error::InvalidSetting {
            algorithm: "Filter",
            setting: "follow",
            value,
            remedy,
        };
        if !is_real || dimension != self.present {
            let value = format!(
                "a law for {} numbers of the state, which has {dimension}",
                self.present
            );
            return Err(invalid(value, "use the law of a filter of the same state"));
        }
        if values.len() != self.readings {
            let value = format!("{} values for {} readings", values.len(), self.readings);
            return Err(invalid(value, "give a value for each reading of the law"));
        }
        if let Some(place) = values.iter().position(|value| !value.is_finite()) {
            let value = format!("{} for the reading with the index {place}", values[place]);
            let remedy = "give finite numbers; `advance` can leave out a missing reading";
            return Err(invalid(value, remedy));
        }
        let mut components = Vec::with_capacity(belief.components.len());
        let mut logs = Vec::with_capacity(belief.components.len());
        for component in &belief.components {
            let (next, log) = self.component(component, values)?;
            logs.push(component.share.ln() + log);
            components.push(next);
        }
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if !most.is_finite() {
            return Err(Error::ImpossibleEvidence {
                conflict: Vec::new(),
                is_minimal: false,
            });
        }
        let total: f64 = logs.iter().map(|log| (log - most).exp()).sum();
        for (component, log) in components.iter_mut().zip(&logs) {
            component.share = (log - most).exp() / total;
        }
        components.retain(|component| component.share > 0.0);
        Ok(Belief {
            numbers: self.numbers.clone(),
            components,
            log_evidence: most + total.ln(),
        })
    }

    /// Returns one component of the next state's distribution, and the log-density of the readings.
    fn component(
        &self,
        present: &BeliefComponent,
        values: &[f64],
    ) -> Result<(BeliefComponent, f64), Error> {
        let computed;
        let lower = if let Some(lower) = &present.factor {
            lower
        } else {
            computed = factor(&present.covariance);
            &computed
        };
        let Affine {
            offset,
            coefficients,
        } = &self.values;
        let (n, k, noise) = (
            offset.len(),
            self.readings,
            coefficients.ncols() - self.present,
        );
        // The deviations of all numbers from their means are linear functions of independent standard normal numbers. Their matrix is rotated until
        // it is a lower triangle.
        let mut deviations = DMatrix::zeros(n, (lower.ncols() + noise).max(n));
        let of_present = coefficients.columns(0, self.present);
        let mut columns = deviations.columns_mut(0, lower.ncols());
        columns.gemm(1.0, &of_present, lower, 0.0);
        let mut columns = deviations.columns_mut(lower.ncols(), noise);
        columns.copy_from(&coefficients.columns(self.present, noise));
        rotate(&mut deviations);
        let mut mean = offset.clone();
        mean.gemv(1.0, &of_present, &present.mean, 1.0);
        let mut log = 0.0;
        for (i, value) in values.iter().enumerate() {
            let deviation = deviations[(i, i)];
            if deviation.abs() <= ROUNDING * coefficients.row(i).amax() {
                let problem = "its value is observed, but the state and the readings before it already determine it";
                return Err(Error::not_closed_form(&self.element, problem));
            }
            // `z` is the deviation of the reading from its mean given the earlier readings, in standard deviations.
            let z = (value - mean[i]) / deviation;
            log -= 0.5 * z * z + deviation.abs().ln() + LN_SQRT_2_PI;
            mean.axpy(z, &deviations.column(i), 1.0);
        }
        let factor = deviations.view((k, k), (n - k, n - k)).clone_owned();
        let next = BeliefComponent {
            share: present.share,
            finite: Vec::new(),
            mean: mean.rows(k, n - k).clone_owned(),
            covariance: &factor * factor.transpose(),
            factor: Some(factor),
        };
        Ok((next, log))
    }
}

/// Rotates the columns of a matrix until it is a lower triangle; this does not change the product of the matrix and its transpose.
///
/// **References.** Golub and Van Loan, *Matrix Computations*, 2013, section 5.2.2 (Householder reflections).
fn rotate(matrix: &mut DMatrix<f64>) {
    for i in 0..matrix.nrows() {
        let row = matrix.row(i);
        let (first, rest) = (row[i], row.columns_range(i + 1..).norm_squared());
        if rest == 0.0 {
            continue;
        }
        let length = (first * first + rest).sqrt();
        // This reflection maps the row `(first, rest)` to `(-length sign(first), 0)`.
        let pivot = first + length.copysign(first);
        let scale = 2.0 / (pivot * pivot + rest);
        for r in i + 1..matrix.nrows() {
            let mut product = pivot * matrix[(r, i)];
            for j in i + 1..matrix.ncols() {
                product += matrix[(i, j)] * matrix[(r, j)];
            }
            matrix[(r, i)] -= scale * product * pivot;
            for j in i + 1..matrix.ncols() {
                matrix[(r, j)] -= scale * product * matrix[(i, j)];
            }
        }
        matrix[(i, i)] = -length.copysign(first);
        matrix.row_mut(i).columns_range_mut(i + 1..).fill(0.0);
    }
}

/// Returns the only row of `element`; returns an error if there are several rows, because the element depends on finite elements.
fn single<'r, T>(element: &AnyElement, rows: &'r Conditional<T>) -> Result<&'r T, Error> {
    match &rows.rows[..] {
        [row] => Ok(row),
        _ => Err(not_real(element)),
    }
}

fn not_real(element: &AnyElement) -> Error {
    let problem = "a law needs real elements that depend on no finite elements; use `advance`";
    Error::not_closed_form(element, problem)
}
