//! `Filter`: a model in time, followed one step at a time.

use std::any::Any;
use std::ops::Range;
use std::sync::OnceLock;

use figrs_answer::answer::normal_mixture::NormalMixture;
use figrs_answer::answer::{Answer, LogEvidence};
use figrs_answer::error::Error;
use figrs_answer::run::guard::guarded;
use figrs_core::Limits;
use figrs_core::{
    AnyElement, Constant, Covariance, Element, Model, MultivariateNormal, Select, Value,
};
use nalgebra::DMatrix;

use crate::reals::belief::{Belief, BeliefComponent};
pub use crate::reals::law::FilterLaw;

/// Maximum number of components of the distribution of a state, unless the user sets another number.
const DEFAULT_COMPONENTS: usize = 4096;

/// A share of the largest eigenvalue of a covariance matrix below which an eigenvalue is a rounding error.
const ROUNDING: f64 = 1e-14;

/// A state of a model in time: the elements that a step hands on to the next step.
///
/// Elements, lists and tuples of states are states; [`filter_state!`](crate::filter_state) makes a struct of states one.
pub trait FilterState: Sized {
    /// The elements of the state, in a fixed order.
    fn elements(&self) -> Vec<AnyElement>;

    /// The same state with other elements, which `next` returns in the order of [`elements`](Self::elements).
    #[must_use]
    fn renewed(&self, next: &mut NextElements<'_>) -> Self;
}

impl<T: Value> FilterState for Element<T> {
    fn elements(&self) -> Vec<AnyElement> {
        vec![self.erased().clone()]
    }

    fn renewed(&self, next: &mut NextElements<'_>) -> Self {
        next.element()
    }
}

impl<S: FilterState> FilterState for Vec<S> {
    fn elements(&self) -> Vec<AnyElement> {
        self.iter().flat_map(S::elements).collect()
    }

    fn renewed(&self, next: &mut NextElements<'_>) -> Self {
        self.iter().map(|state| state.renewed(next)).collect()
    }
}

macro_rules! tuple {
    ($($state:ident $index:tt),+) => {
        impl<$($state: FilterState),+> FilterState for ($($state,)+) {
            fn elements(&self) -> Vec<AnyElement> {
                [$(self.$index.elements()),+].concat()
            }

            fn renewed(&self, next: &mut NextElements<'_>) -> Self {
                ($(self.$index.renewed(next),)+)
            }
        }
    };
}
tuple!(A 0);
tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);
tuple!(A 0, B 1, C 2, D 3, E 4);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5);

/// Implements [`FilterState`](crate::FilterState) for a struct all of whose fields are states: `filter_state!(Track { position, speed });`
#[macro_export]
macro_rules! filter_state {
    ($name:ident { $($field:ident),+ $(,)? }) => {
        impl $crate::FilterState for $name {
            fn elements(&self) -> Vec<$crate::AnyElement> {
                [$($crate::FilterState::elements(&self.$field)),+].concat()
            }

            fn renewed(&self, next: &mut $crate::NextElements<'_>) -> Self {
                Self { $($field: $crate::FilterState::renewed(&self.$field, next)),+ }
            }
        }
    };
}

/// The elements of a state with the distribution that the filter has computed, one after another.
#[derive(Debug)]
pub struct NextElements<'b> {
    belief: &'b Belief,
    /// The component, if there are several.
    component: Option<Element<usize>>,
    /// Independent standard normal numbers, of which all real elements are linear functions.
    numbers: Element<Vec<f64>>,
    /// For each component, the coefficients of these numbers.
    factors: Vec<DMatrix<f64>>,
    next: usize,
    next_finite: usize,
}

impl<'b> NextElements<'b> {
    fn new(belief: &'b Belief) -> Self {
        let all = &belief.components;
        let shares = || all.iter().enumerate().map(|(i, c)| (c.share, i));
        let dimension = all.first().map_or(0, |c| c.mean.len());
        let unit = Covariance::diagonal(vec![1.0; dimension.max(1)]);
        Self {
            belief,
            component: (all.len() > 1).then(|| Select::new(shares())),
            numbers: MultivariateNormal::new(vec![0.0; dimension.max(1)], unit),
            factors: all
                .iter()
                .map(|c| c.factor.clone().unwrap_or_else(|| factor(&c.covariance)))
                .collect(),
            next: 0,
            next_finite: 0,
        }
    }

    /// The next element of the state. Its type is that of the state's element.
    pub fn element<T: Value>(&mut self) -> Element<T> {
        let numbers = self.belief.numbers[self.next].clone();
        self.next += 1;
        if let Some(numbers) = numbers {
            let list = self.list(&numbers);
            let as_any: Box<dyn Any> = if numbers.len() == 1 && is::<T, f64>() {
                Box::new(list.entry(0))
            } else {
                Box::new(list)
            };
            return *as_any
                .downcast()
                .expect("a real element is a number or a list");
        }
        let place = self.next_finite;
        self.next_finite += 1;
        let value = |c: &BeliefComponent| c.finite[place].get::<T>().cloned();
        let values: Vec<T> = self.belief.components.iter().filter_map(value).collect();
        match &self.component {
            Some(component) => component.map(move |&i| values[i].clone()),
            None => Constant::new(values[0].clone()),
        }
    }

    /// Some numbers of the state as one list.
    fn list(&self, range: &Range<usize>) -> Element<Vec<f64>> {
        let of_component = |(c, factor): (&BeliefComponent, &DMatrix<f64>)| {
            let row = |i: usize| -> Vec<f64> { factor.row(i).iter().copied().collect() };
            let rows: Vec<Vec<f64>> = range.clone().map(row).collect();
            let means: Vec<f64> = range.clone().map(|i| c.mean[i]).collect();
            (rows, means)
        };
        let all = self.belief.components.iter().zip(&self.factors);
        let mut all: Vec<(Vec<Vec<f64>>, Vec<f64>)> = all.map(of_component).collect();
        let numbers = self.numbers.clone();
        if let Some(component) = &self.component {
            return component.flat_map(move |&i| {
                let (rows, means) = all[i].clone();
                numbers.affine(rows, means)
            });
        }
        let (rows, means) = all.swap_remove(0);
        numbers.affine(rows, means)
    }
}

fn is<T: 'static, U: 'static>() -> bool {
    std::any::TypeId::of::<T>() == std::any::TypeId::of::<U>()
}

/// A matrix L for which L L' is a covariance matrix, which may be singular.
pub(crate) fn factor(covariance: &DMatrix<f64>) -> DMatrix<f64> {
    if covariance.is_empty() {
        return DMatrix::zeros(0, 1);
    }
    if let Some(lower) = covariance.clone().cholesky() {
        return lower.unpack();
    }
    let eigen = covariance.clone().symmetric_eigen();
    let least = ROUNDING * eigen.eigenvalues.max();
    let root = |x: f64| if x > least { x.sqrt() } else { 0.0 };
    eigen.eigenvectors * DMatrix::from_diagonal(&eigen.eigenvalues.map(root))
}

/// A model in time that is followed one step at a time, exactly: the filter holds the joint distribution of the elements of the present state, given
/// all evidence so far.
///
/// The distribution is a mixture: each component has a value for each finite element of the state and a normal distribution of the real elements.
/// A state of finite elements has one component for each joint value; a linear Gaussian state has one component (the filter of Kalman); a system
/// that switches among linear laws has more components after each step, up to [`components`](Self::components).
///
/// **Guarantee.** Exact up to rounding. Memory and time of a step do not depend on the number of steps before it.
///
/// **Complexity.** That of one query by [`VariableElimination`](crate::VariableElimination) for each step, about the elements of two states.
///
/// **References.** Kalman, *A new approach to linear filtering and prediction problems*, 1960; Murphy, *Dynamic Bayesian networks*, 2002, section 3.2.
///
/// ```
/// use figrs_core::{Model, Normal, Variance};
/// use figrs_exact::Filter;
///
/// // A level that wanders, and its noisy readings.
/// let mut filter = Filter::exact(&Normal::new(0.0, Variance(100.0)))?;
/// for reading in [1.2, 0.7, 1.9] {
///     filter.advance(
///         |level| Normal::new(level, Variance(1.0)),
///         |level| Model::new().observe(&Normal::new(level, Variance(4.0)), reading),
///     )?;
/// }
/// println!("{}", filter.summary(|level| level)?); // Normal(1.3468, sd 1.3324), exact
/// assert!((filter.mean(|level| level)? - 1.3468).abs() < 1e-4);
/// # Ok::<(), figrs_answer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Filter<S> {
    state: S,
    /// The present state if a law led to it: it is made when it is read.
    followed: Option<OnceLock<S>>,
    belief: Belief,
    answer: OnceLock<Answer>,
    limits: Limits,
    components: usize,
    steps: u64,
    log_evidence: f64,
}

impl<S: FilterState> Filter<S> {
    /// A filter whose first state has the distribution of these elements. Its state has a copy of their joint distribution, and forgets on what else
    /// they depend.
    ///
    /// **Errors.** [`Error::NotClosedForm`]; the errors of the model.
    pub fn exact(first: &S) -> Result<Self, Error> {
        let limits = Limits::default();
        let elements = first.elements();
        let belief =
            guarded(|| Belief::new(&Model::new(), &elements, &limits, DEFAULT_COMPONENTS))?;
        let state = first.renewed(&mut NextElements::new(&belief));
        Ok(Self {
            answer: OnceLock::new(),
            state,
            followed: None,
            belief,
            limits,
            components: DEFAULT_COMPONENTS,
            steps: 0,
            log_evidence: 0.0,
        })
    }

    const NAME: &'static str = "Filter";

    /// Sets the maximum number of components of the distribution of a state: 4096 by default. A step that needs more is refused.
    #[must_use]
    pub fn components(mut self, most: usize) -> Self {
        self.components = most;
        self
    }

    /// States evidence about the present state.
    ///
    /// **Errors.** As [`advance`](Self::advance).
    pub fn observe(&mut self, evidence: impl FnOnce(&S) -> Model) -> Result<(), Error> {
        self.condition(None, evidence)
    }

    /// Goes to the next state, and states evidence about it. `step` builds the elements of the next state from those of the present state;
    /// `evidence` builds the model with the evidence of this step, and may contain interventions.
    ///
    /// **Errors.** [`Error::InStep`] with the number of the step, counted from 1, and the error: [`Error::ImpossibleEvidence`],
    /// [`Error::NotClosedForm`], the errors of the model. After an error the filter is as it was before the call.
    pub fn advance(
        &mut self,
        step: impl FnOnce(&S) -> S,
        evidence: impl FnOnce(&S) -> Model,
    ) -> Result<(), Error> {
        let next = guarded(|| Ok::<S, Error>(step(self.state())))?;
        self.steps += 1;
        let found = self.condition(Some(next), evidence);
        if found.is_err() {
            self.steps -= 1;
        }
        found
    }

    fn condition(
        &mut self,
        next: Option<S>,
        evidence: impl FnOnce(&S) -> Model,
    ) -> Result<(), Error> {
        let state = next.as_ref().unwrap_or_else(|| self.state());
        let elements = state.elements();
        let found = guarded(|| {
            let model = evidence(state);
            Belief::new(&model, &elements, &self.limits, self.components)
        });
        let found = found.map_err(|error| Error::InStep {
            step: self.steps,
            error: Box::new(error),
        })?;
        // The elements of the state do not hold those of the state before it.
        self.state = state.renewed(&mut NextElements::new(&found));
        self.log_evidence += found.log_evidence;
        self.followed = None;
        self.belief = found;
        self.answer = OnceLock::new();
        Ok(())
    }

    /// The law of a step whose elements are always the same: the numbers of the next state, and the readings, as linear functions of those of the
    /// present state with normal noise. `step` builds the elements of the next state from those of the present state, `readings` the elements whose
    /// values [`follow`](Self::follow) observes. Both are called once.
    ///
    /// ```
    /// use figrs_core::{Normal, Variance};
    /// use figrs_exact::Filter;
    ///
    /// let mut filter = Filter::exact(&Normal::new(0.0, Variance(100.0)))?;
    /// let law = filter.law(
    ///     |level| Normal::new(level, Variance(1.0)),
    ///     |level| Normal::new(level, Variance(4.0)),
    /// )?;
    /// for reading in [1.2, 0.7, 1.9] {
    ///     filter.follow(&law, &[reading])?;
    /// }
    /// assert!((filter.mean(|level| level)? - 1.3468).abs() < 1e-4);
    /// # Ok::<(), figrs_answer::Error>(())
    /// ```
    ///
    /// **Errors.** [`Error::NotClosedForm`] if an element of the state or of a reading is finite or depends on a finite element; the errors of the
    /// elements.
    pub fn law<R: FilterState>(
        &self,
        step: impl FnOnce(&S) -> S,
        readings: impl FnOnce(&S) -> R,
    ) -> Result<FilterLaw, Error> {
        let any = Belief::standard(&self.belief.numbers, &self.state.elements())?;
        let mut next = NextElements::new(&any);
        let numbers = next.numbers.erased().clone();
        let present = self.state.renewed(&mut next);
        guarded(|| {
            let state = step(&present);
            let readings = readings(&state).elements();
            FilterLaw::new(&numbers, &state.elements(), &readings, &self.limits)
        })
    }

    /// Goes to the next state by a law, and observes the values of its readings, one after another in one list. The result is that of
    /// [`advance`](Self::advance) with the same elements, and no element is built: a step of a state of two numbers takes less than a microsecond.
    ///
    /// **Errors.** [`Error::InStep`] as [`advance`](Self::advance); after an error the filter is as it was before the call.
    pub fn follow(&mut self, law: &FilterLaw, values: &[f64]) -> Result<(), Error> {
        let found = law.step(&self.belief, values);
        self.belief = found.map_err(|error| Error::InStep {
            step: self.steps + 1,
            error: Box::new(error),
        })?;
        self.steps += 1;
        self.log_evidence += self.belief.log_evidence;
        self.followed = Some(OnceLock::new());
        self.answer = OnceLock::new();
        Ok(())
    }

    /// Number of steps so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The present state. Its elements have their joint distribution given all evidence so far, so that other models can be built on them: a
    /// prediction is a query about elements of later states.
    pub fn state(&self) -> &S {
        match &self.followed {
            Some(made) => {
                made.get_or_init(|| self.state.renewed(&mut NextElements::new(&self.belief)))
            }
            None => &self.state,
        }
    }

    /// The marginals of all elements of the present state.
    pub fn answer(&self) -> &Answer {
        let made = || self.belief.answer(Self::NAME, &self.state().elements());
        self.answer.get_or_init(made)
    }

    /// The natural logarithm of the probability, or density, of all evidence so far.
    pub fn log_evidence(&self) -> LogEvidence {
        LogEvidence {
            value: self.log_evidence,
            standard_error: 0.0,
        }
    }

    /// A summary of an element of the present state, in one line.
    pub fn summary<T: Value>(&self, of: impl FnOnce(&S) -> &Element<T>) -> Result<String, Error> {
        self.answer().summary(of(self.state()))
    }

    /// The probability that a finite element of the present state has a value.
    pub fn probability<T: Value>(
        &self,
        of: impl FnOnce(&S) -> &Element<T>,
        value: &T,
    ) -> Result<f64, Error> {
        self.answer().probability(of(self.state()), value)
    }

    /// The distribution of a real element of the present state.
    pub fn mixture<T: Value>(
        &self,
        of: impl FnOnce(&S) -> &Element<T>,
    ) -> Result<&NormalMixture, Error> {
        self.answer().mixture(of(self.state()))
    }

    /// The mean of a real element of the present state.
    pub fn mean(&self, of: impl FnOnce(&S) -> &Element<f64>) -> Result<f64, Error> {
        self.answer().mean(of(self.state()))
    }
}
