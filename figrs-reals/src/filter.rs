//! The type `Filter`: exact or approximate filtering of a dynamic model, one time step after another.

use std::sync::OnceLock;

use figrs_answer::answer::normal_mixture::NormalMixture;
use figrs_answer::answer::{Answer, LogEvidence};
use figrs_answer::error::Error;
use figrs_answer::guarded;
use figrs_core::internals::EarlierElements;
use figrs_core::{Element, FilterState, Limits, Model, Value};

use crate::approximation::Approximation;
use crate::belief::Belief;
use crate::past_states::{PastStates, PresentState, SmoothedState};

/// A filter of a dynamic model: the joint distribution of the elements of the present state, given all evidence so far.
///
/// The distribution of a filter's state is a mixture: each component has a value for each finite element of the state and a normal distribution of
/// the real elements. If all elements of a filter's state are finite, the mixture has one component for each joint value. If the filter's state is
/// linear and Gaussian, its distribution has one mixture component (the Kalman filter). For a system that switches among linear laws, the number of
/// mixture components grows with each step, up to [`components`](Self::components).
///
/// **Guarantee.** The distribution of a filter created by [`exact`](Self::exact) is exact up to rounding; the other constructors approximate it. The
/// memory and the time of a filter's step do not depend on the number of earlier steps.
///
/// **Complexity.** Each step of a filter costs as much as one query by `VariableElimination` about the elements of two successive states.
///
/// **References.** Kalman, *A new approach to linear filtering and prediction problems*, 1960; Murphy, *Dynamic Bayesian networks*, 2002, section
/// 3.2.
///
/// ```
/// use figrs_core::{Model, Normal, Variance};
/// use figrs_reals::Filter;
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
    pub(crate) present: PresentState<S>,
    /// The present state, if [`follow`](Self::follow) computed its distribution; the elements of the state are created when they are first needed.
    pub(crate) followed: Option<OnceLock<PresentState<S>>>,
    pub(crate) past: PastStates<S>,
    pub(crate) earlier: EarlierElements,
    /// Maximum number of past states that the filter keeps.
    pub(crate) window: usize,
    /// The joint distribution of each group of elements of the filter's present state; the groups are independent of each other.
    pub(crate) beliefs: Vec<Belief>,
    pub(crate) approximation: Approximation,
    /// True if a step of the filter has merged or left out components of the mixture.
    pub(crate) is_approximate: bool,
    pub(crate) answer: OnceLock<Answer>,
    /// The marginals of the elements of the present state, without those of past states.
    pub(crate) now: OnceLock<Answer>,
    pub(crate) limits: Limits,
    pub(crate) components: usize,
    pub(crate) steps: u64,
    pub(crate) log_evidence: f64,
}

impl<S: FilterState> Filter<S> {
    /// Creates a filter whose first state has the joint distribution of the elements of `first`. The new filter stores a copy of the joint
    /// distribution of the first state. Later steps and evidence must not depend on elements outside of the first state, even if the first state was
    /// built from them.
    ///
    /// **Errors.** [`Error::NotClosedForm`] if an element has no closed form; the errors of the model.
    pub fn exact(first: &S) -> Result<Self, Error> {
        Self::new(first, Approximation::None)
    }

    /// Creates a filter that treats groups of `width` elements of the state as independent of each other after each step.
    ///
    /// For a state of many finite elements, a filter that treats groups as independent has time and memory linear in the number of groups, although
    /// the joint values of the whole state cannot be listed. The group size `width` must be at least 1; elements are grouped in the order of
    /// [`FilterState::elements`].
    ///
    /// **Guarantee.** If there are several groups of elements, the filter is approximate: each step is exact given the approximate distribution
    /// before the step. The approximation errors of a filter's steps do not accumulate if the state depends less and less on earlier states.
    ///
    /// **References.** Boyen and Koller, *Tractable inference for complex stochastic processes*, 1998.
    ///
    /// **Errors.** The same errors as [`exact`](Self::exact).
    pub fn factored(first: &S, width: usize) -> Result<Self, Error> {
        Self::new(first, Approximation::Groups(width.max(1)))
    }

    /// Creates a filter that merges, after each step, all mixture components with the same finite values into one normal distribution with the same
    /// mean and covariance.
    ///
    /// For a system that switches among linear laws, the merged distribution has one mixture component for each joint value of the finite elements.
    ///
    /// **Guarantee.** After the first merge of components, the filter is approximate: the mean and the covariance after a step are exact given the
    /// approximate distribution before the step.
    ///
    /// **References.** Blom and Bar-Shalom, *The interacting multiple model algorithm for systems with Markovian switching coefficients*, 1988.
    ///
    /// **Errors.** The same errors as [`exact`](Self::exact).
    pub fn moments(first: &S) -> Result<Self, Error> {
        Self::new(first, Approximation::Moments)
    }

    /// Creates a filter that keeps at most `most` components of the mixture, its state's distribution (a Rao-Blackwellised particle filter). Each
    /// mixture component is a particle with values of the finite elements and the exact normal distribution of the real elements, which are never
    /// drawn.
    ///
    /// If a step gives more than `most` mixture components, the filter draws some of them with random numbers that follow from `seed`. A step may
    /// give at most [`components`](Self::components) mixture components: by default 4096 or `16 * most`, whichever is larger. A `ParticleFilter`, in
    /// contrast, draws all elements of a state, which may then have any type and any distribution.
    ///
    /// **Guarantee.** After the first random draw of mixture components, the filter is approximate. The estimate of the probability of the evidence
    /// is unbiased, and the distributions converge to the exact distributions as `most` grows. The errors are unknown, but filters with different
    /// seeds can be compared. The same seed of the draws gives the same filter.
    ///
    /// **References.** Doucet, de Freitas, Murphy and Russell, *Rao-Blackwellised particle filtering for dynamic Bayesian networks*, 2000; Fearnhead and
    /// Clifford, *On-line inference for hidden Markov models via particle filters*, 2003 (the choice of the components).
    ///
    /// **Errors.** The same errors as [`exact`](Self::exact); [`Error::InvalidSetting`] if `most` is 0.
    ///
    /// ```
    /// use figrs_core::{Element, Flip, Model, Normal, Variance};
    /// use figrs_reals::Filter;
    ///
    /// // A body that jumps by one in some steps; its readings are noisy. After 30 steps, the exact distribution has 2^30 components.
    /// let mut filter = Filter::particles(&Normal::new(0.0, Variance(1.0)), 100, 7)?;
    /// for step in 1..=30 {
    ///     filter.advance(
    ///         |place: &Element<f64>| {
    ///             let place = place.clone();
    ///             Flip::new(0.5).flat_map(move |&jumps| Normal::new(&place + f64::from(jumps), Variance(0.01)))
    ///         },
    ///         |place| Model::new().observe(&Normal::new(place, Variance(0.1)), 0.5 * f64::from(step)),
    ///     )?;
    /// }
    /// assert!((filter.mean(|place| place)? - 15.0).abs() < 0.5);
    /// # Ok::<(), figrs_answer::Error>(())
    /// ```
    pub fn particles(first: &S, most: usize, seed: u64) -> Result<Self, Error> {
        if most == 0 {
            return Err(Error::InvalidSetting {
                algorithm: Self::NAME,
                setting: "particles",
                value: most.to_string(),
                remedy: "keep at least one",
            });
        }
        Self::new(
            first,
            Approximation::Particles {
                most,
                seed,
                draws: 0,
            },
        )
    }

    fn new(first: &S, approximation: Approximation) -> Result<Self, Error> {
        let limits = Limits::default();
        let elements = first.elements();
        let within = (&limits, approximation.default_components());
        let conditioned = guarded(|| {
            let groups = approximation.groups(&elements).into_iter();
            let of_group = |own| {
                approximation.conditioned(&Model::new(), (own, &[], &[]), &|_| Ok(()), within)
            };
            groups.map(of_group).collect::<Result<Vec<_>, _>>()
        })?;
        let is_approximate = conditioned.iter().any(|group| group.is_approximate);
        let groups = conditioned.into_iter();
        let (beliefs, random): (_, Vec<_>) =
            groups.map(|group| (group.belief, group.random)).unzip();
        let filter = Self::of_beliefs(first, beliefs, approximation.after_draw());
        let mut filter = filter.after(0, 0.0, is_approximate);
        filter.earlier.add(&random.concat());
        Ok(filter)
    }

    /// Creates a filter whose state has groups of elements with the joint distributions `beliefs`. The elements of `like` must have the same types as
    /// the elements of the filter's state.
    pub(crate) fn of_beliefs(like: &S, beliefs: Vec<Belief>, approximation: Approximation) -> Self {
        Self {
            answer: OnceLock::new(),
            now: OnceLock::new(),
            past: PastStates::default(),
            earlier: EarlierElements::default(),
            present: PresentState::new(like, &beliefs),
            followed: None,
            window: 0,
            beliefs,
            approximation,
            is_approximate: false,
            limits: Limits::default(),
            components: approximation.default_components(),
            steps: 0,
            log_evidence: 0.0,
        }
    }

    pub(crate) fn with_past(self, past: PastStates<S>) -> Self {
        Self { past, ..self }
    }

    pub(crate) fn after(mut self, steps: u64, log_evidence: f64, is_approximate: bool) -> Self {
        (self.steps, self.log_evidence) = (steps, log_evidence);
        self.is_approximate = is_approximate;
        self
    }

    /// Makes the filter keep the last `states` states before the present state.
    ///
    /// [`past`](Self::past) returns the past states that the filter keeps, and [`answer`](Self::answer) has their distributions given all evidence so
    /// far (a smoother with a fixed lag). By default, a filter keeps no past state.
    ///
    /// For each past state, the filter keeps the distribution of this state given the next state, which later evidence does not change. A step of a
    /// filter with past states takes time for the joint distribution of two successive states, and [`answer`](Self::answer) takes time in proportion
    /// to the number of states. If the state has finite and real elements, the distribution of a past state may have more mixture components than
    /// that of the present state. If it has more than 16 times the maximum number of [`components`](Self::components), components with the same
    /// finite values are merged, and the answer is approximate. [`Filter::factored`] treats the groups of a past state's elements as independent of
    /// each other, too.
    ///
    /// The number of joint values of the finite elements of two successive states may be at most 16 times the maximum number of mixture components.
    /// For this limit, [`advance`](Self::advance) counts impossible joint values of the finite elements, too; a compiled step
    /// ([`follow`](Self::follow)) counts only possible ones.
    ///
    /// Evidence may also be about elements of past states, such as a reading that arrives late. A step with evidence about past states takes more
    /// time. If a state has one mixture component, the time is proportional to the cube of the lag of the earliest state with evidence; otherwise, to
    /// the product of the numbers of components of all states up to it.
    #[must_use]
    pub fn window(mut self, states: usize) -> Self {
        self.window = states;
        self.past.states.truncate(states);
        self.past.forget_elements();
        self.answer = OnceLock::new();
        self
    }

    pub(crate) const NAME: &'static str = "Filter";

    /// Sets the maximum number of mixture components of the distribution of a filter's state (default 4096, at least 1). A step of the filter that
    /// would need more mixture components than the maximum returns an error.
    #[must_use]
    pub fn components(mut self, most: usize) -> Self {
        self.components = most.max(1);
        self
    }

    /// States evidence about the filter's present state.
    ///
    /// **Errors.** The same errors as [`advance`](Self::advance).
    pub fn observe(&mut self, evidence: impl FnOnce(&S) -> Model) -> Result<(), Error> {
        self.condition(None, evidence)
    }

    /// Advances the filter to the next state, and states evidence about that state. The function `step` builds the elements of the next state from
    /// those of the present state; `evidence` builds a model with the evidence and interventions of this step.
    ///
    /// **Errors.** [`Error::InStep`], which has the number of the step (from 1) and the error of the step: [`Error::ImpossibleEvidence`],
    /// [`Error::NotClosedForm`], [`Error::InvalidSetting`] if the step depends on a random element of an earlier step (a random quantity of several
    /// steps belongs to the state), or an error of the model. After an error, the filter is in the same state as before the call.
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

    /// Returns the number of steps that the filter has taken so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Returns the present state of the filter. The elements of the returned state have their joint distribution given all evidence so far. Other
    /// models can use the returned elements; for example, a prediction is a query about elements of later states, which depend on the returned
    /// elements.
    pub fn state(&self) -> &S {
        &self.present().state
    }

    pub(crate) fn present(&self) -> &PresentState<S> {
        match &self.followed {
            Some(present) => {
                present.get_or_init(|| PresentState::new(&*self.present.state, &self.beliefs))
            }
            None => &self.present,
        }
    }

    pub(crate) fn smoothed(&self) -> &[SmoothedState<S>] {
        let links = || self.present().links(&self.beliefs).collect();
        self.past.smoothed(links)
    }

    /// Returns the state `lag` steps before the filter's present state, with its distribution given all evidence so far; `None` if the filter does
    /// not keep this past state. The lag 0 selects the present state of the filter.
    ///
    /// Each step of the filter creates new elements for the present and all past states. Evidence of the next call of [`observe`](Self::observe) or
    /// [`advance`](Self::advance) may be about the returned elements; evidence about elements that were returned before earlier steps is an error.
    pub fn past(&self, lag: usize) -> Option<&S> {
        match lag.checked_sub(1) {
            None => Some(self.state()),
            Some(place) => self.smoothed().get(place).map(|past| &past.state),
        }
    }

    /// Returns the marginals of all elements of the present state, and of the past states that the filter keeps. The log-evidence in the answer of
    /// the filter is that of the last step; [`log_evidence`](Self::log_evidence) returns that of all steps.
    pub fn answer(&self) -> &Answer {
        self.answer.get_or_init(|| {
            let past = self.past_beliefs();
            let states = std::iter::once((self.state(), &self.beliefs[..]));
            let smoothed = self.smoothed().iter().zip(&past.states);
            let smoothed = smoothed.map(|(past, beliefs)| (&past.state, &beliefs[..]));
            self.answer_about(states.chain(smoothed), past.is_merged)
        })
    }

    pub(crate) fn is_approximate(&self) -> bool {
        self.beliefs.len() > 1 || self.is_approximate
    }

    /// Returns the natural logarithm of the probability, or density, of all evidence that the filter has received so far. If the log-evidence is
    /// approximate, the standard error is NaN.
    pub fn log_evidence(&self) -> LogEvidence {
        LogEvidence {
            value: self.log_evidence,
            standard_error: if self.is_approximate() { f64::NAN } else { 0.0 },
        }
    }

    /// Returns a one-line summary of an element of the filter's present state.
    pub fn summary<T: Value>(&self, of: impl FnOnce(&S) -> &Element<T>) -> Result<String, Error> {
        self.now().summary(of(&self.present.state))
    }

    /// Returns the probability that a finite element of the present state has the value `value`.
    pub fn probability<T: Value>(
        &self,
        of: impl FnOnce(&S) -> &Element<T>,
        value: &T,
    ) -> Result<f64, Error> {
        self.now().probability(of(&self.present.state), value)
    }

    /// Returns the distribution of a real element of the present state.
    pub fn mixture<T: Value>(
        &self,
        of: impl FnOnce(&S) -> &Element<T>,
    ) -> Result<&NormalMixture, Error> {
        self.now().mixture(of(&self.present.state))
    }

    /// Returns the mean of a real element of the present state.
    pub fn mean(&self, of: impl FnOnce(&S) -> &Element<f64>) -> Result<f64, Error> {
        self.now().mean(of(&self.present.state))
    }
}
