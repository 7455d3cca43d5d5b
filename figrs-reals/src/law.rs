//! The law of a step of a filter: the distribution of the next state and the readings given the present state.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

use figrs_answer::algorithm::guarded;
use figrs_answer::error::Error;
use figrs_core::{AnyElement, Datum, FilterState, Model};
use indexmap::IndexSet;
use nalgebra::{DMatrix, DVector};
use rustc_hash::FxBuildHasher;

use crate::belief::{Alike, Belief, BeliefComponent, FiniteValues, Values, grouped, too_many};
use crate::compiled_step::StepCompiler;
use crate::filter::Filter;
use crate::finite_part::numbers_of;
use crate::made_elements::factor;
use crate::past_states::PresentState;

const LN_SQRT_2_PI: f64 = 0.918_938_533_204_672_8;

/// A reading is treated as determined by earlier readings if they reduce its standard deviation by this factor.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// The joint values of the finite elements of a state.
pub(crate) type FiniteStates = IndexSet<FiniteValues, FxBuildHasher>;

/// The law of a step of a [`Filter`] with readings of the type `R`; [`Filter::law`] computes the law, and [`Filter::follow`] applies it.
#[derive(Clone, Debug)]
pub struct FilterLaw<R> {
    readings: R,
    pub(crate) step: CompiledStep,
}

/// The distribution of the next state and of the readings, for each joint value of the present state's finite elements.
#[derive(Clone, Debug)]
pub(crate) struct CompiledStep {
    /// The elements of the readings, each with the range of its numbers among the numbers of all readings; `None` if the element is finite.
    pub(crate) readings: Vec<(AnyElement, Option<Range<usize>>)>,
    /// For each element of the next state, the range of its numbers in the state's concatenated numbers.
    pub(crate) numbers: Vec<Option<Range<usize>>>,
    pub(crate) states: FiniteStates,
    /// For each joint value of the present state, the possible outcomes of the step.
    pub(crate) outcomes: Vec<Vec<Outcome>>,
    pub(crate) affine: Vec<Affine>,
}

/// An outcome of the finite elements of a step.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// The probability of the outcome, given the present state.
    pub(crate) share: f64,
    /// The index of the next state's joint value.
    pub(crate) next: usize,
    /// The values of the finite readings.
    pub(crate) read: Vec<Datum>,
    /// The index of the linear function that gives the real readings and the numbers of the next state.
    pub(crate) affine: usize,
}

/// The numbers of the readings, followed by the numbers of the next state, as a linear function of the present state's numbers and of independent
/// standard normal numbers.
#[derive(Clone, Debug)]
pub(crate) struct Affine {
    pub(crate) offset: DVector<f64>,
    pub(crate) coefficients: DMatrix<f64>,
}

/// Observed values of readings.
struct Observed<'m> {
    /// The observed numbers, each with its index among the numbers of all readings.
    numbers: Vec<(usize, f64)>,
    /// For each finite reading, its value if it is observed.
    finite: Vec<Option<&'m Datum>>,
}

impl CompiledStep {
    /// Returns the distribution of the next state, given the distribution `belief` of the present state and the evidence of `model` about readings.
    ///
    /// **References.** Kaminski, Bryson and Schmidt, *Discrete square root filtering*, 1971 (the array form of the filter of Kalman).
    ///
    /// **Errors.** [`Error::InvalidSetting`] if the law is for another state, or if the evidence is not an observation of a reading;
    /// [`Error::NotClosedForm`] if earlier readings determine a reading; [`Error::ImpossibleEvidence`] if the readings are impossible.
    fn run(&self, belief: &Belief, model: &Model) -> Result<Belief, Error> {
        let observed = self.observed(model)?;
        let affine = self.affine_of(&observed.numbers);
        let is_finite = affine[0].offset.is_empty();
        let belief = belief.with_layout(&self.numbers).ok_or_else(|| {
            let value = "a law for a state with other elements".to_owned();
            invalid(value, "use the law of a filter of the same state")
        })?;
        let mut shares = vec![0.0; if is_finite { self.states.len() } else { 0 }];
        let (mut components, mut logs) = (Vec::new(), Vec::new());
        for component in &belief.components {
            let state = self.states.get_index_of(&Values(&component.finite));
            let outcomes = state.and_then(|state| self.outcomes.get(state));
            let outcomes = outcomes.ok_or_else(|| {
                let value = "values of the state that the law does not contain".to_owned();
                invalid(value, "compute the law again, or use `advance`")
            })?;
            let computed;
            let lower = match &component.factor {
                Some(lower) => lower,
                None if is_finite => &DMatrix::zeros(0, 0),
                None => {
                    computed = factor(&component.covariance);
                    &computed
                }
            };
            for outcome in outcomes
                .iter()
                .filter(|outcome| observed.admits(&outcome.read))
            {
                if is_finite {
                    shares[outcome.next] += component.share * outcome.share;
                    continue;
                }
                let affine = &affine[outcome.affine];
                let deviations = (lower, belief.dimension());
                let next = affine.next(component, deviations, &observed.numbers);
                let (mut next, log) = next.map_err(|number| self.determined(number, model))?;
                next.finite.clone_from(&self.states[outcome.next].0);
                logs.push((component.share * outcome.share).ln() + log);
                components.push(next);
            }
        }
        if is_finite {
            let all = shares.iter().zip(&self.states);
            for (share, FiniteValues(finite)) in all.filter(|(share, _)| **share > 0.0) {
                logs.push(share.ln());
                components.push(BeliefComponent {
                    share: 0.0,
                    finite: finite.clone(),
                    mean: DVector::zeros(0),
                    covariance: DMatrix::zeros(0, 0),
                    factor: None,
                });
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
        Ok(Belief {
            numbers: self.numbers.clone(),
            components: BeliefComponent::totals(components, &equal),
            log_evidence: most + total.ln(),
        })
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
                return Err(invalid(model.describe(position), remedy));
            };
            let is_known = match &self.readings[place].1 {
                None => {
                    let before = &self.readings[..place];
                    let index = before
                        .iter()
                        .filter(|(_, numbers)| numbers.is_none())
                        .count();
                    let known = all.finite[index].replace(value);
                    known.is_some_and(|known| !known.same_as(value.as_any()))
                }
                Some(range) => {
                    let numbers = numbers_of(value.as_any());
                    let numbers = numbers.filter(|numbers| numbers.len() == range.len());
                    let numbers = numbers.ok_or_else(|| {
                        let remedy = "observe a value with as many numbers as the reading has";
                        invalid(model.describe(position), remedy)
                    })?;
                    if numbers.iter().any(|x| !x.is_finite()) {
                        return Err(Error::ImpossibleEvidence {
                            conflict: vec![model.describe(position)],
                            is_minimal: true,
                        });
                    }
                    let known = all.numbers.iter().find(|(i, _)| *i == range.start);
                    let known = known.map(|(_, x)| *x);
                    if known.is_none() {
                        all.numbers
                            .extend(range.clone().zip(numbers.iter().copied()));
                    }
                    known.is_some_and(|known| known != numbers[0])
                }
            };
            if is_known {
                return Err(crate::closed_form::impossible(model));
            }
        }
        all.numbers.sort_by_key(|(i, _)| *i);
        Ok(all)
    }

    /// Returns the linear functions without the readings that are not observed.
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

    /// Returns the error that earlier readings determine the observed number with the index `number`.
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
                let problem = "its value is observed, but the state and the readings before it already determine it";
                Error::not_closed_form(element, problem)
            }
            None => crate::closed_form::impossible(model),
        }
    }
}

impl Observed<'_> {
    /// True if the finite readings may have the values `read`.
    fn admits(&self, read: &[Datum]) -> bool {
        let mut pairs = self.finite.iter().zip(read);
        pairs.all(|(observed, value)| observed.is_none_or(|x| x.same_as(value.as_any())))
    }
}

impl Affine {
    /// Returns the distribution of the next state's numbers, given one component of the present state's distribution, whose deviations are `lower`
    /// times independent standard normal numbers, and given the observed numbers; also returns the log-density of these numbers.
    ///
    /// **Errors.** The index of an observed number, if the numbers before it determine it.
    fn next(
        &self,
        present: &BeliefComponent,
        (lower, dimension): (&DMatrix<f64>, usize),
        observed: &[(usize, f64)],
    ) -> Result<(BeliefComponent, f64), usize> {
        let Self {
            offset,
            coefficients,
        } = self;
        let (n, k, noise) = (
            offset.len(),
            observed.len(),
            coefficients.ncols() - dimension,
        );
        // The deviations of all numbers from their means are linear functions of independent standard normal numbers. Their matrix is rotated until
        // it is a lower triangle.
        let mut deviations = DMatrix::zeros(n, (lower.ncols() + noise).max(n));
        let of_present = coefficients.columns(0, dimension);
        let mut columns = deviations.columns_mut(0, lower.ncols());
        columns.gemm(1.0, &of_present, lower, 0.0);
        let mut columns = deviations.columns_mut(lower.ncols(), noise);
        columns.copy_from(&coefficients.columns(dimension, noise));
        rotate(&mut deviations);
        let mut mean = offset.clone();
        mean.gemv(1.0, &of_present, &present.mean, 1.0);
        let mut log = 0.0;
        for (i, (number, value)) in observed.iter().enumerate() {
            let deviation = deviations[(i, i)];
            // The rotation has not changed the length of the row, the deviation of the number before the readings.
            if deviation.abs() <= ROUNDING * deviations.row(i).norm() {
                return Err(*number);
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

fn invalid(value: String, remedy: &'static str) -> Error {
    Error::InvalidSetting {
        algorithm: "Filter",
        setting: "follow",
        value,
        remedy,
    }
}

impl<S: FilterState> Filter<S> {
    /// Computes the law of a step, if all steps have the same law. `step` builds the elements of the next state from the elements of the present state.
    /// `readings` builds the elements that [`follow`](Self::follow) may observe. The state and the readings consist of finite elements, and of numbers
    /// that are linear functions of the state's numbers, with normal noise, given the finite elements.
    ///
    /// Both functions are called once, and again for joint values of the finite elements that the next state can have but the present state cannot; the law
    /// then contains all joint values that the state can reach.
    ///
    /// ```
    /// use figrs_core::{Element, Flip, Model, Normal, Variance};
    /// use figrs_reals::Filter;
    ///
    /// // A level that moves or rests, its readings, and a sensor of the motion, which sends no signal in some steps.
    /// type State = (Element<bool>, Element<f64>);
    /// let first = (Flip::new(0.5), Normal::new(0.0, Variance(100.0)));
    /// let mut filter = Filter::moments(&first)?;
    /// let law = filter.law(
    ///     |(moves, level): &State| {
    ///         let moves = moves.flat_map(|&moves| Flip::new(if moves { 0.9 } else { 0.2 }));
    ///         let drift = moves.map(|&moves| if moves { 1.0 } else { 0.0 });
    ///         let level = Normal::new(level + &drift, Variance(0.1));
    ///         (moves, level)
    ///     },
    ///     |(moves, level)| {
    ///         let signal = moves.flat_map(|&moves| Flip::new(if moves { 0.8 } else { 0.1 }));
    ///         (signal, Normal::new(level, Variance(4.0)))
    ///     },
    /// )?;
    /// for (moves, reading) in [(Some(true), 1.2), (None, 2.7), (Some(true), 2.9)] {
    ///     filter.follow(&law, |(signal, level)| {
    ///         let model = Model::new().observe(level, reading);
    ///         moves.into_iter().fold(model, |model, moves| model.observe(signal, moves))
    ///     })?;
    /// }
    /// assert!(filter.probability(|(moves, _)| moves, &true)? > 0.9);
    /// # Ok::<(), figrs_answer::Error>(())
    /// ```
    ///
    /// **Errors.** [`Error::NotClosedForm`] if an element has no closed form, or if the state can have more joint values than
    /// [`components`](Self::components) allows; [`Error::InvalidSetting`] if the filter keeps past states or groups of elements; the errors of the elements.
    pub fn law<R: FilterState>(
        &self,
        step: impl Fn(&S) -> S,
        readings: impl Fn(&S) -> R,
    ) -> Result<FilterLaw<R>, Error> {
        self.check_for_law()?;
        let like = &self.present.state;
        let mut belief = Cow::Borrowed(&self.beliefs[0]);
        let mut compiler = StepCompiler::new(&belief);
        let mut first = None;
        while let Some(open) = compiler.next(&belief) {
            let present = PresentState::new(like, &[open]);
            let within = (&self.limits, self.components);
            let built = guarded(|| {
                let next = step(&present.state);
                let readings = readings(&next);
                let elements = (&next.elements()[..], &readings.elements()[..]);
                compiler.add(&present.made[0], elements, within)?;
                Ok::<R, Error>(readings)
            })?;
            if compiler.step.numbers != belief.numbers {
                // A number that is known in the present state may be normal in the next state.
                let real = belief.with_layout(&compiler.step.numbers);
                let real = real.ok_or_else(|| {
                    let problem = "a law needs a next state with elements of the same kind (finite, or normal with the same length) as those of the present state; use \
                                   `advance`";
                    let next = like.elements().into_iter().next();
                    next.map_or(Error::NothingDone { algorithm: Self::NAME }, |element| {
                        Error::not_closed_form(&element, problem)
                    })
                })?;
                belief = Cow::Owned(real.into_owned());
                compiler = StepCompiler::new(&belief);
                continue;
            }
            first.get_or_insert(built);
            let count = compiler.step.states.len();
            if let Some(element) = like.elements().first()
                && count > self.components
            {
                return Err(too_many(element, count as f64, self.components));
            }
        }
        let step = compiler.step;
        first
            .map(|readings| FilterLaw { readings, step })
            .ok_or(Error::NothingDone {
                algorithm: Self::NAME,
            })
    }

    /// Advances to the next state by `law`. `evidence` builds a model with observations of the law's readings; a reading that it does not observe is
    /// missing in this step. The result is the same as that of [`advance`](Self::advance) for the same elements. `follow` builds no elements of the
    /// state; for a state of two numbers, a step takes less than a microsecond.
    ///
    /// **Errors.** [`Error::InStep`], as for [`advance`](Self::advance); it has the error [`Error::InvalidSetting`] if the evidence is not an observation
    /// of a reading. [`Error::InvalidSetting`] if the filter keeps past states or groups of elements. After an error, the filter is in the state before
    /// the call.
    pub fn follow<R>(
        &mut self,
        law: &FilterLaw<R>,
        evidence: impl FnOnce(&R) -> Model,
    ) -> Result<(), Error> {
        self.check_for_law()?;
        let found = guarded(|| {
            let mut belief = law.step.run(&self.beliefs[0], &evidence(&law.readings))?;
            let count = belief.components.len();
            if count > self.components
                && let Some(element) = self.present.state.elements().first()
            {
                return Err(too_many(element, count as f64, self.components));
            }
            let is_approximate = self.approximation.reduce(&mut belief).is_some();
            Ok((belief, is_approximate))
        });
        let (belief, is_approximate) = found.map_err(|error| Error::InStep {
            step: self.steps + 1,
            error: Box::new(error),
        })?;
        self.retire_elements();
        self.steps += 1;
        self.log_evidence += belief.log_evidence;
        self.is_approximate |= is_approximate;
        self.approximation = self.approximation.after_draw();
        self.beliefs[0] = belief;
        self.followed = Some(OnceLock::new());
        self.answer = OnceLock::new();
        Ok(())
    }

    /// Returns an error if the filter keeps past states or groups of elements, because a law is about the whole present state only.
    fn check_for_law(&self) -> Result<(), Error> {
        let value = match (self.window, self.beliefs.len()) {
            (0, 1) => return Ok(()),
            (0, groups) => format!("{groups} groups of elements"),
            (states, _) => format!("a window of {states} past states"),
        };
        Err(Error::InvalidSetting {
            algorithm: Self::NAME,
            setting: "law",
            value,
            remedy: "use a filter without a window and without groups, or `advance`",
        })
    }
}

/// Rotates the columns of a matrix until it is a lower triangle; this does not change the product of the matrix and its transpose.
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
