//! A compiled step of a filter: the distribution of the next state and of the readings given the present state.

use std::borrow::Cow;
use std::ops::Range;

use figrs_answer::error::Error;
use figrs_core::{AnyElement, Datum, Model};
use indexmap::IndexSet;
use nalgebra::{DMatrix, DVector};
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

use crate::belief::Belief;
use crate::belief_component::{Alike, BeliefComponent, FiniteValues, Values, grouped};
use crate::finite_part::numbers_of;
use crate::made_elements::factor;

const LN_SQRT_2_PI: f64 = 0.918_938_533_204_672_8;

/// A reading of a filter is treated as determined by earlier readings if they reduce its standard deviation by this factor.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// A reading of a filter agrees with the value that earlier readings determine if the two values differ by at most this number times their
/// magnitudes.
const AGREEING: f64 = 1e-12;

/// The joint values of the finite elements in a filter's state.
pub(crate) type FiniteStates = IndexSet<FiniteValues, FxBuildHasher>;

/// The distribution of a filter's next state and of the readings, for each joint value of the present state's finite elements.
#[derive(Clone, Debug)]
pub(crate) struct CompiledStep {
    /// The elements of the readings, each with the range of its numbers in the vector of all readings; `None` if the element is finite.
    pub(crate) readings: Vec<(AnyElement, Option<Range<usize>>)>,
    /// For each element of the next state, the range of its numbers in the state's concatenated vector of numbers.
    pub(crate) numbers: Vec<Option<Range<usize>>>,
    pub(crate) states: FiniteStates,
    /// For each joint value of the present state's finite elements, the possible outcomes of the filter's step.
    pub(crate) outcomes: Vec<Vec<Outcome>>,
    pub(crate) affine: Vec<Affine>,
}

/// An outcome of the finite elements in a step of a filter.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// The probability of the outcome, given the present state's finite elements.
    pub(crate) share: f64,
    /// The index of the joint value of the next state's finite elements.
    pub(crate) next: usize,
    /// The values of the finite readings in this outcome.
    pub(crate) read: Vec<Datum>,
    /// The index of the linear function that gives the real readings and the real numbers of the next state.
    pub(crate) affine: usize,
}

/// The numbers of the readings, followed by the numbers of the next state, as a linear function of the present state's numbers and of independent
/// standard normal numbers.
#[derive(Clone, Debug)]
pub(crate) struct Affine {
    pub(crate) offset: DVector<f64>,
    pub(crate) coefficients: DMatrix<f64>,
}

/// Observed values of a filter's readings.
struct Observed<'m> {
    /// The observed real numbers, each with its index among the numbers of all readings.
    numbers: Vec<(usize, f64)>,
    /// For each finite reading, its value if it is observed.
    finite: Vec<Option<&'m Datum>>,
}

impl CompiledStep {
    /// Returns the distribution `belief` of the present state, with its numbers in the order that this compiled step assumes.
    ///
    /// **Errors.** [`Error::InvalidSetting`] if the compiled step is for a state with other elements.
    pub(crate) fn present<'b>(&self, belief: &'b Belief) -> Result<Cow<'b, Belief>, Error> {
        belief.with_layout(&self.numbers).ok_or_else(|| {
            let value = "a law for a state with other elements".to_owned();
            invalid(value, "use the law of a filter of the same state")
        })
    }

    /// Returns the distribution of a filter's next state, given the distribution `belief` of the present state and the evidence of `model` about
    /// readings. If `is_pair` is true, the result is the joint distribution of the next state, of the index of the present state's mixture component,
    /// and of the present state's numbers.
    ///
    /// **References.** Kaminski, Bryson and Schmidt, *Discrete square root filtering*, 1971 (the array form of the filter of Kalman).
    ///
    /// **Errors.** [`Error::InvalidSetting`] if the compiled step is for a state with other elements, or if the evidence is not an observation of a
    /// reading; [`Error::NotClosedForm`] if earlier readings determine a reading; [`Error::ImpossibleEvidence`] if the readings are impossible.
    pub(crate) fn run(
        &self,
        belief: &Belief,
        model: &Model,
        is_pair: bool,
    ) -> Result<Belief, Error> {
        let observed = self.observed(model)?;
        let affine = self.affine_of(&observed.numbers);
        let is_finite = affine[0].offset.is_empty();
        let dimension = belief.dimension();
        let mut shares = vec![0.0; if is_finite { self.states.len() } else { 0 }];
        let (mut components, mut logs) = (Vec::new(), Vec::new());
        let of_pair = |values: &FiniteValues, index: usize| {
            let index = is_pair.then(|| Datum::new(index));
            values.0.iter().cloned().chain(index).collect()
        };
        for (index, component) in belief.components.iter().enumerate() {
            let state = self.states.get_index_of(&Values(&component.finite));
            let outcomes = state.and_then(|state| self.outcomes.get(state));
            let outcomes = outcomes.ok_or_else(|| {
                let value = "values of the state that the law does not contain".to_owned();
                invalid(value, "compute the law again, or use `advance`")
            })?;
            let outcomes = outcomes
                .iter()
                .filter(|outcome| observed.admits(&outcome.read));
            if is_finite {
                for outcome in outcomes {
                    shares[outcome.next] += component.share * outcome.share;
                }
                let is_last = index + 1 == belief.components.len();
                if is_pair || is_last {
                    let all = shares.iter_mut().zip(&self.states);
                    for (share, values) in all.filter(|(share, _)| **share > 0.0) {
                        logs.push(std::mem::take(share).ln());
                        components.push(BeliefComponent::finite(of_pair(values, index)));
                    }
                }
                continue;
            }
            let computed;
            let lower = if let Some(lower) = &component.factor {
                lower
            } else {
                computed = factor(&component.covariance);
                &computed
            };
            let outcomes: SmallVec<[&Outcome; 4]> = outcomes.collect();
            // Densities of components that determine a reading and of components that do not cannot be compared.
            let is_single = belief.components.len() == 1 && outcomes.len() == 1;
            for outcome in outcomes {
                let affine = &affine[outcome.affine];
                let known = (&observed.numbers[..], is_single);
                let next = affine.next(component, (lower, is_pair), known);
                let (mut next, log) = next.map_err(|number| self.determined(number, model))?;
                next.finite = of_pair(&self.states[outcome.next], index);
                logs.push((component.share * outcome.share).ln() + log);
                components.push(next);
            }
        }
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if !most.is_finite() {
            return Err(crate::closed_form::impossible(model));
        }
        let total: f64 = logs.iter().map(|log| (log - most).exp()).sum();
        for (component, log) in components.iter_mut().zip(&logs) {
            component.share = (log - most).exp() / total;
        }
        components.retain(|component| component.share > 0.0);
        let equal = grouped(&components, Alike::Equal);
        let mut numbers = self.numbers.clone();
        if is_pair {
            let next = self.dimension();
            let present = (dimension > 0).then(|| Some(next..next + dimension));
            numbers.extend(std::iter::once(None).chain(present));
        }
        Ok(Belief {
            numbers,
            components: BeliefComponent::totals(components, &equal),
            log_evidence: most + total.ln(),
        })
    }

    /// Number of real numbers in the next state of the filter.
    fn dimension(&self) -> usize {
        let ends = self.numbers.iter().flatten().map(|range| range.end);
        ends.max().unwrap_or(0)
    }

    /// Returns the values of the readings that `model` observes.
    fn observed<'m>(&self, model: &'m Model) -> Result<Observed<'m>, Error> {
        let remedy =
            "observe readings of the law; `advance` accepts other evidence and interventions";
        if !model.interventions().is_empty() {
            return Err(invalid("an intervention".to_owned(), remedy));
        }
        let finite = self
            .readings
            .iter()
            .filter(|(_, numbers)| numbers.is_none());
        let mut all = Observed {
            numbers: Vec::new(),
            finite: vec![None; finite.count()],
        };
        for (position, (element, evidence)) in model.evidence().iter().enumerate() {
            let is_own = |(reading, _): &(AnyElement, _)| reading.id() == element.id();
            let place = self.readings.iter().position(is_own);
            let (Some(place), Some(value)) = (place, evidence.observed()) else {
                return Err(invalid(model.describe(position).to_string(), remedy));
            };
            let contradicts = match &self.readings[place].1 {
                None => {
                    let before = self.readings[..place].iter();
                    let index = before.filter(|(_, numbers)| numbers.is_none()).count();
                    let known = all.finite[index].replace(value);
                    known.is_some_and(|known| !known.same_as(value.as_any()))
                }
                Some(range) => {
                    let numbers = numbers_of(value.as_any());
                    let numbers = numbers.filter(|numbers| numbers.len() == range.len());
                    let numbers = numbers.ok_or_else(|| {
                        let remedy = "observe a value with as many numbers as the reading has";
                        invalid(model.describe(position).to_string(), remedy)
                    })?;
                    if numbers.iter().any(|x| !x.is_finite()) {
                        return Err(Error::ImpossibleEvidence {
                            conflict: vec![model.describe(position)],
                            is_minimal: true,
                        });
                    }
                    let known = all.numbers.iter().filter(|(i, _)| range.contains(i));
                    let known: Vec<f64> = known.map(|(_, x)| *x).collect();
                    if known.is_empty() {
                        all.numbers
                            .extend(range.clone().zip(numbers.iter().copied()));
                    }
                    !known.is_empty() && known != numbers.as_slice()
                }
            };
            if contradicts {
                return Err(crate::closed_form::impossible(model));
            }
        }
        all.numbers.sort_by_key(|(i, _)| *i);
        Ok(all)
    }

    /// Returns the linear functions of a step without the rows of readings that are not observed.
    fn affine_of(&self, observed: &[(usize, f64)]) -> Cow<'_, [Affine]> {
        let numbers = self
            .readings
            .iter()
            .filter_map(|(_, numbers)| numbers.as_ref());
        let readings: usize = numbers.map(Range::len).sum();
        if observed.len() == readings {
            return Cow::Borrowed(&self.affine);
        }
        let rows = |affine: &Affine| {
            let own = observed.iter().map(|(i, _)| *i);
            let rows: Vec<usize> = own.chain(readings..affine.offset.len()).collect();
            Affine {
                offset: affine.offset.select_rows(&rows),
                coefficients: affine.coefficients.select_rows(&rows),
            }
        };
        Cow::Owned(self.affine.iter().map(rows).collect())
    }

    /// Returns the error that earlier readings already determine the observed number with the index `number`.
    fn determined(&self, number: usize, model: &Model) -> Error {
        let is_reading = |numbers: &Option<Range<usize>>| {
            let numbers = numbers.as_ref();
            numbers.is_some_and(|numbers| numbers.contains(&number))
        };
        match self
            .readings
            .iter()
            .find(|(_, numbers)| is_reading(numbers))
        {
            Some((element, _)) => {
                let problem = "its value is observed, but the state and the readings before it already determine it, or its variance is too large for a floating-point number";
                Error::not_closed_form(element, problem)
            }
            None => crate::closed_form::impossible(model),
        }
    }
}

impl Observed<'_> {
    /// True if the values `read` of the finite readings agree with the observed values.
    fn admits(&self, read: &[Datum]) -> bool {
        let mut pairs = self.finite.iter().zip(read);
        pairs.all(|(observed, value)| observed.is_none_or(|x| x.same_as(value.as_any())))
    }
}

impl Affine {
    /// Returns the distribution of the next state's numbers given the observed numbers, and their log-density, for one component of the present
    /// state's mixture. The deviations of this component are `lower` times independent standard normal numbers. If `is_pair` is true, the returned
    /// distribution is the joint distribution of the next and the present state's numbers.
    ///
    /// **Errors.** The index of an observed number, if the observed numbers before it determine it. If `is_single` is true, an observed number that
    /// is determined by earlier numbers is no error if its value agrees with the determined value.
    fn next(
        &self,
        present: &BeliefComponent,
        (lower, is_pair): (&DMatrix<f64>, bool),
        (observed, is_single): (&[(usize, f64)], bool),
    ) -> Result<(BeliefComponent, f64), usize> {
        let Self {
            offset,
            coefficients,
        } = self;
        let dimension = present.mean.len();
        let (made, k, noise) = (
            offset.len(),
            observed.len(),
            coefficients.ncols() - dimension,
        );
        let n = made + if is_pair { dimension } else { 0 };
        // The deviations of all numbers from their means are linear functions of independent standard normal numbers. The matrix of these linear
        // functions is rotated until it is a lower triangle.
        let mut deviations = DMatrix::zeros(n, (lower.ncols() + noise).max(n));
        let of_present = coefficients.columns(0, dimension);
        let mut own = deviations.view_mut((0, 0), (made, lower.ncols()));
        own.gemm(1.0, &of_present, lower, 0.0);
        let mut own = deviations.view_mut((0, lower.ncols()), (made, noise));
        own.copy_from(&coefficients.columns(dimension, noise));
        let mut mean = offset.clone();
        mean.gemv(1.0, &of_present, &present.mean, 1.0);
        if is_pair {
            let mut own = deviations.view_mut((made, 0), (dimension, lower.ncols()));
            own.copy_from(lower);
            mean = mean.resize_vertically(n, 0.0);
            mean.rows_mut(made, dimension).copy_from(&present.mean);
        }
        rotate(&mut deviations);
        let mut log = 0.0;
        for (i, (number, value)) in observed.iter().enumerate() {
            let deviation = deviations[(i, i)];
            // The rotation has not changed the length of the row, the deviation of the number before the readings.
            let length = deviations.row(i).norm();
            if !length.is_finite() || deviation.abs() <= ROUNDING * length {
                let size = length + value.abs() + mean[i].abs();
                if is_single && size.is_finite() && (value - mean[i]).abs() <= AGREEING * size {
                    continue;
                }
                return Err(*number);
            }
            // `z` is the deviation of the reading from its mean given the earlier readings, in standard deviations.
            let z = (value - mean[i]) / deviation;
            log -= 0.5 * z * z + deviation.abs().ln() + LN_SQRT_2_PI;
            mean.axpy(z, &deviations.column(i), 1.0);
        }
        let mut factor = deviations.view((k, k), (n - k, n - k)).clone_owned();
        // A number that readings without noise determine has rounding errors in place of deviations.
        let has_noise = |i: usize| coefficients.row(i).columns(dimension, noise).amax() > 0.0;
        if !(0..k).all(has_noise) {
            for i in 0..n - k {
                let rounding = 2.0 * ROUNDING * deviations.row(k + i).norm();
                for entry in factor.row_mut(i).iter_mut() {
                    if rounding.is_finite() && entry.abs() <= rounding {
                        *entry = 0.0;
                    }
                }
            }
        } else if is_pair {
            drop_rounding(&mut factor);
        }
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

fn invalid(value: String, remedy: &'static str) -> Error {
    Error::InvalidSetting {
        algorithm: "Filter",
        setting: "the evidence",
        value,
        remedy,
    }
}

/// Rotates the columns of a matrix until the matrix is lower triangular; the product of the matrix and its transpose does not change.
///
/// **References.** Golub and Van Loan, *Matrix Computations*, 2013, section 5.2.2 (Householder reflections).
pub(crate) fn rotate(matrix: &mut DMatrix<f64>) {
    for i in 0..matrix.nrows() {
        let row = matrix.row(i);
        let (first, rest) = (row[i], row.columns_range(i + 1..).norm_squared());
        if rest == 0.0 {
            continue;
        }
        let length = (first * first + rest).sqrt();
        // This Householder reflection maps the row `(first, rest)` to `(-length sign(first), 0)`.
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

/// Replaces entries of the diagonal of a lower triangle by zero if they have the size of rounding errors.
pub(crate) fn drop_rounding(lower: &mut DMatrix<f64>) {
    for i in 0..lower.nrows() {
        let length = lower.row(i).norm();
        if length.is_finite() && lower[(i, i)].abs() <= 2.0 * ROUNDING * length {
            lower[(i, i)] = 0.0;
        }
    }
}
