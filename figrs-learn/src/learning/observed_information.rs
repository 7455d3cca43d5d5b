//! Standard errors of learned parameters, from the observed information.

use figrs_core::expand::LearnedParameter;
use figrs_core::internals::LearnedPrior;
use figrs_core::{AnyElement, Element, Label, Until, Value};

use super::case_rows::CaseRow;
use super::expected_counts::ExpectationStep;
use super::pivoted_cholesky::PivotedCholesky;
use figrs_answer::error::Error;

/// Maximum number of free numbers of all parameters together, up to which the information matrix is computed.
pub(super) const MOST_NUMBERS: usize = 2000;
/// Shift of a coordinate in finite differences of gradients, as a fraction of the coordinate or of its standard deviation in complete data.
///
/// With a shift of the coordinate, central differences have a relative error of the order of the squared shift, and a rounding error of about 1e-16
/// divided by the shift.
const SHIFT: f64 = 1e-4;
/// Fraction of the information in complete data, below which a direction in the space of parameters counts as not identified.
const NONE: f64 = 1e-6;

/// Standard errors of learned parameters.
///
/// The standard errors are the square roots of the diagonal of the inverse of the observed information. The observed information is the
/// negative matrix of second derivatives of the log-likelihood at the learned values or, with
/// [`map_estimate`](crate::ExpectationMaximization::map_estimate), of the log-posterior. Second derivatives are central differences of
/// exact gradients, which are the expected scores of complete data (Fisher's identity).
///
/// **References.** Louis, *Finding the observed information matrix when using the EM algorithm*, Journal of the Royal Statistical
/// Society B 44(2), 1982; Jamshidian and Jennrich, *Standard errors for EM estimation*, the same journal 62(2), 2000.
#[derive(Clone, Debug)]
pub struct StandardErrors {
    parameters: Vec<(AnyElement, Vec<Option<f64>>)>,
    unidentified: Vec<Label>,
}

impl StandardErrors {
    /// Returns the standard error of each number of `parameter`; `None` for a number at a bound of its range, and for the numbers of a parameter that
    /// the data do not identify.
    ///
    /// **Errors.** [`Error::UnknownElement`] if `parameter` was not learned.
    pub fn of<T: Value>(&self, parameter: &Element<T>) -> Result<&[Option<f64>], Error> {
        self.of_any(parameter.erased())
            .ok_or_else(|| Error::not_learned(parameter.label()))
    }

    pub(super) fn of_any(&self, parameter: &AnyElement) -> Option<&[Option<f64>]> {
        let mut all = self.parameters.iter();
        let found = all.find(|(element, _)| element.id() == parameter.id());
        found.map(|(_, errors)| &errors[..])
    }

    /// Returns the parameters that the data do not identify: no row of data depends on such a parameter, or several parameters can change together
    /// without a change of the likelihood.
    pub fn unidentified(&self) -> &[Label] {
        &self.unidentified
    }
}

pub(super) struct InformationSource<'a> {
    pub(super) step: &'a dyn ExpectationStep,
    pub(super) rows: &'a [CaseRow<'a>],
    pub(super) with_prior: bool,
    pub(super) threads: usize,
    pub(super) until: &'a Until,
}

/// An unbounded coordinate for a free number of a parameter: the logit or the logarithm of the number, the number's log-ratio to the largest number
/// of a list, or the number itself.
struct Coordinate {
    parameter: usize,
    /// Index of the coordinate's number among the numbers of the parameter.
    position: usize,
    /// Amount by which the coordinate is shifted in finite differences of gradients.
    shift: f64,
    /// The information that complete data (without hidden or missing values) would contain about the coordinate.
    complete: f64,
}

fn free_numbers(learned: &LearnedParameter) -> Vec<usize> {
    let values = learned.numbers();
    match learned.prior() {
        LearnedPrior::Beta(_) if values[0] > 0.0 && values[0] < 1.0 => vec![0],
        LearnedPrior::Gamma { .. } | LearnedPrior::InverseGamma { .. } if values[0] > 0.0 => {
            vec![0]
        }
        LearnedPrior::Normal { .. } => vec![0],
        LearnedPrior::Beta(_) | LearnedPrior::Gamma { .. } | LearnedPrior::InverseGamma { .. } => {
            Vec::new()
        }
        LearnedPrior::Dirichlet(_) => {
            let largest = (0..values.len()).max_by(|&a, &b| values[a].total_cmp(&values[b]));
            let is_free = |&i: &usize| values[i] > 0.0 && Some(i) != largest;
            (0..values.len()).filter(is_free).collect()
        }
    }
}

/// Returns the numbers `values` of the parameter `learned` after the coordinate with the index `position` is shifted by `by`.
fn shifted(learned: &LearnedParameter, values: &[f64], position: usize, by: f64) -> Vec<f64> {
    match learned.prior() {
        LearnedPrior::Normal { .. } => vec![values[0] + by],
        LearnedPrior::Gamma { .. } | LearnedPrior::InverseGamma { .. } => {
            vec![values[0] * by.exp()]
        }
        LearnedPrior::Beta(_) => {
            let odds = values[0] / (1.0 - values[0]) * by.exp();
            vec![odds / (1.0 + odds)]
        }
        LearnedPrior::Dirichlet(_) => {
            let mut shifted = values.to_vec();
            shifted[position] *= by.exp();
            let sum: f64 = shifted.iter().sum();
            shifted.iter().map(|x| x / sum).collect()
        }
    }
}

/// Returns the derivatives of the numbers `values` of the parameter `learned` with respect to the coordinate with the index `position`.
fn derivatives(learned: &LearnedParameter, values: &[f64], position: usize) -> Vec<f64> {
    match learned.prior() {
        LearnedPrior::Normal { .. } => vec![1.0],
        LearnedPrior::Gamma { .. } | LearnedPrior::InverseGamma { .. } => vec![values[0]],
        LearnedPrior::Beta(_) => vec![values[0] * (1.0 - values[0])],
        LearnedPrior::Dirichlet(_) => {
            let own = |i: usize| f64::from(u8::from(i == position));
            let numbers = values.iter().enumerate();
            let by = |(i, x): (usize, &f64)| x * (own(i) - values[position]);
            numbers.map(by).collect()
        }
    }
}

impl InformationSource<'_> {
    /// Returns the standard errors of the learned parameters at their present values, which the call does not change.
    pub(super) fn standard_errors(&self) -> Result<StandardErrors, Error> {
        let outcomes = self.step.outcomes();
        let free = |learned| free_numbers(learned).len();
        let numbers = outcomes.learned().iter().map(free).sum();
        if numbers > MOST_NUMBERS {
            return Err(Error::NoStandardErrors {
                reason: format!(
                    "the parameters have {numbers} free numbers, but standard errors are computed for at most {MOST_NUMBERS}; learn fewer \
                     parameters, and fix the others at their values by interventions"
                ),
            });
        }
        let counts = self.counts()?;
        let mut coordinates = Vec::with_capacity(numbers);
        for (parameter, _) in outcomes.learned().iter().enumerate() {
            coordinates.extend(self.coordinates(parameter, &counts)?);
        }
        // Coordinates on which no count depends are not part of the information matrix.
        let counted: Vec<&Coordinate> = coordinates.iter().filter(|c| c.complete > 0.0).collect();
        let rows = counted.iter().map(|of| self.row(of, &counted));
        let rows = rows.collect::<Result<Vec<Vec<f64>>, Error>>()?;
        let symmetric = |(i, row): (usize, &Vec<f64>)| {
            let row = row.iter().zip(&rows);
            row.map(|(entry, other)| f64::midpoint(*entry, other[i]))
                .collect()
        };
        let matrix: Vec<Vec<f64>> = rows.iter().enumerate().map(symmetric).collect();
        let cholesky = PivotedCholesky::new(&matrix, NONE);
        let is_dependent = cholesky.dependent(NONE.sqrt());
        let (mut parameters, mut unidentified) = (Vec::new(), Vec::new());
        for (parameter, learned) in outcomes.learned().iter().enumerate() {
            let own = |c: &Coordinate| c.parameter == parameter;
            let is_flat = coordinates.iter().any(|c| own(c) && c.complete <= 0.0);
            let mut dependent = counted.iter().zip(&is_dependent);
            let is_flat = is_flat || dependent.any(|(c, dependent)| own(c) && *dependent);
            let errors = if is_flat {
                unidentified.push(learned.element.label());
                vec![None; learned.params.len()]
            } else {
                errors_of((parameter, learned), &counted, &cholesky)
            };
            parameters.push((learned.element.clone(), errors));
        }
        Ok(StandardErrors {
            parameters,
            unidentified,
        })
    }

    fn counts(&self) -> Result<Vec<f64>, Error> {
        let log_weights = self.step.outcomes().log_weights()?;
        let run = (self.threads, self.until);
        Ok(self.step.expect(self.rows, &log_weights, run)?.counts)
    }

    /// Returns the derivatives of the log-likelihood or log-posterior with respect to the numbers of `parameter`, given the expected counts `counts`.
    fn by_numbers(&self, parameter: usize, counts: &[f64]) -> Result<Vec<f64>, Error> {
        let outcomes = self.step.outcomes();
        let learned = outcomes.learned().at(parameter);
        let likelihood = outcomes.likelihood(parameter, learned, (counts, self.with_prior))?;
        Ok(likelihood.derivatives(&learned.numbers()))
    }

    /// Returns the derivatives of the log-likelihood or log-posterior with respect to the coordinates `by` of the parameters. Coordinates of the same
    /// parameter must be adjacent.
    fn gradient(&self, by: &[&Coordinate], counts: &[f64]) -> Result<Vec<f64>, Error> {
        let mut gradient = Vec::with_capacity(by.len());
        for of_parameter in by.chunk_by(|a, b| a.parameter == b.parameter) {
            let parameter = of_parameter[0].parameter;
            let learned = self.step.outcomes().learned().at(parameter);
            let by_numbers = self.by_numbers(parameter, counts)?;
            let values = learned.numbers();
            let slope = |c: &&Coordinate| slope(learned, &values, c.position, &by_numbers);
            gradient.extend(of_parameter.iter().map(slope));
        }
        Ok(gradient)
    }

    fn coordinates(&self, parameter: usize, counts: &[f64]) -> Result<Vec<Coordinate>, Error> {
        let outcomes = self.step.outcomes();
        let learned = outcomes.learned().at(parameter);
        let likelihood = outcomes.likelihood(parameter, learned, (counts, self.with_prior))?;
        let values = learned.numbers();
        let slope_at = |position: usize, by: f64| {
            let values = shifted(learned, &values, position, by);
            let by_numbers = likelihood.derivatives(&values);
            slope(learned, &values, position, &by_numbers)
        };
        let complete = |position: usize, shift: f64| {
            (slope_at(position, -shift) - slope_at(position, shift)) / (2.0 * shift)
        };
        let coordinate = |position: usize| {
            let (mut shift, mut information) = (SHIFT, complete(position, SHIFT));
            if matches!(learned.prior(), LearnedPrior::Normal { .. }) && information > 0.0 {
                shift = SHIFT / information.sqrt();
                information = complete(position, shift);
            }
            Coordinate {
                parameter,
                position,
                shift,
                complete: information,
            }
        };
        let free = free_numbers(learned);
        Ok(free.into_iter().map(coordinate).collect())
    }

    /// Returns the row of the observed information matrix that belongs to the coordinate `of`. The row of the matrix is scaled by the information in
    /// complete data.
    fn row(&self, of: &Coordinate, by: &[&Coordinate]) -> Result<Vec<f64>, Error> {
        let learned = self.step.outcomes().learned().at(of.parameter);
        let gradients = |shift: f64| -> Result<Vec<f64>, Error> {
            let before = learned.numbers();
            learned.set_numbers(&shifted(learned, &before, of.position, shift));
            let counts = self.counts();
            let gradients = counts.and_then(|counts| self.gradient(by, &counts));
            learned.set_numbers(&before);
            gradients
        };
        let (above, below) = (gradients(of.shift)?, gradients(-of.shift)?);
        let entries = above.iter().zip(below).zip(by);
        let entry = |((above, below), by): ((&f64, f64), &&Coordinate)| {
            (below - above) / (2.0 * of.shift) / (of.complete * by.complete).sqrt()
        };
        Ok(entries.map(entry).collect())
    }
}

/// Returns the derivative of a function with respect to the coordinate with the index `position`; `by_numbers` has the function's derivatives with
/// respect to the numbers of the parameter.
fn slope(learned: &LearnedParameter, values: &[f64], position: usize, by_numbers: &[f64]) -> f64 {
    let slopes = derivatives(learned, values, position);
    slopes.iter().zip(by_numbers).map(|(a, b)| a * b).sum()
}

/// Returns the standard errors of the numbers of `parameter`; `information` is the Cholesky decomposition of the information matrix of all
/// coordinates.
fn errors_of(
    (parameter, learned): (usize, &LearnedParameter),
    coordinates: &[&Coordinate],
    information: &PivotedCholesky,
) -> Vec<Option<f64>> {
    let values = learned.numbers();
    // The derivatives of each number with respect to the coordinates; each coordinate is scaled by its standard deviation in complete data.
    let mut slopes = vec![vec![0.0; coordinates.len()]; values.len()];
    for (i, coordinate) in coordinates.iter().enumerate() {
        if coordinate.parameter == parameter {
            let by_number = derivatives(learned, &values, coordinate.position);
            for (slope, derivative) in slopes.iter_mut().zip(by_number) {
                slope[i] = derivative / coordinate.complete.sqrt();
            }
        }
    }
    let error = |slope: &Vec<f64>| {
        let is_free = slope.iter().any(|x| *x != 0.0);
        is_free.then(|| information.inverse_form(slope).sqrt())
    };
    slopes.iter().map(error).collect()
}
