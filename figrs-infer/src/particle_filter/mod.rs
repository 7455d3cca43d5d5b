//! Particle filter for a model in time: a set of weighted worlds is advanced through the model one time step at a time.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;

use figrs_core::internals::{EarlierElements, inherit_names, random_ancestors};
use figrs_core::{
    AnyElement, Element, FilterState, Model, NextElements, Select, Support, Value, stream,
};
use rand::RngExt;
use rustc_hash::FxHashMap;

use crate::Resampling;
use crate::sampling::importance::ImportanceSampling;
use crate::sampling::settings::AssignedValues;
use figrs_answer::guarded;
use figrs_answer::run::partial::Absorption;
use figrs_answer::{Answer, Draws, Error, LogEvidence, MergeableSampler, TargetMarginal};

pub use saved_particles::SavedParticles;

mod saved_particles;

/// A particle filter for a model in time. The filter stores a fixed number of states (particles); the weights of the particles follow from the
/// evidence so far. The elements (random variables) of a state may have values of any type, lists and structures included. Each time step draws the
/// ancestors of the new particles by [`Resampling::Systematic`]; particles with equal states are stored as one state with the sum of their weights.
///
/// **Guarantee.** Consistent: probabilities and means converge to the exact numbers as the number of particles grows, with an error of the order of
/// `1 / sqrt(particles)`. The standard errors of [`answer`](Self::answer) include only the error of the latest time step, given the particles before
/// that step. The standard errors are computed as if the ancestors were drawn independently, although systematic resampling usually has a smaller
/// error. The estimate of the probability of the evidence is unbiased; its standard error is unknown (NaN), but filters with different seeds can be
/// compared. The same seed gives the same particles on any number of threads.
///
/// **Complexity.** Each time step costs about as much as [`ImportanceSampling`] with as many samples as particles; the branch of a `Chain` (its
/// result for one argument) is created once for all particles with the same state. The memory of the filter does not grow with the number of steps.
///
/// **References.** Gordon, Salmond and Smith, *Novel approach to nonlinear/non-Gaussian Bayesian state estimation*, 1993; for the resampling Douc,
/// Cappé and Moulines, *Comparison of resampling schemes for particle filtering*, 2005.
///
/// ```
/// use figrs_core::{Model, Normal, Variance};
/// use figrs_infer::ParticleFilter;
///
/// // The growth of a population, which exact filters refuse.
/// let mut filter = ParticleFilter::new(&Normal::new(1.0, Variance(0.1)), 10_000)?;
/// for counted in [1.3, 1.9, 2.2] {
///     filter.advance(
///         |size| Normal::new(size.map(|x| 2.0 * x / (1.0 + 0.2 * x)), Variance(0.05)),
///         |size| Model::new().observe(&Normal::new(size, Variance(0.2)), counted),
///     )?;
/// }
/// assert!((filter.mean(|size| size)? - 2.55).abs() < 0.1);
/// # Ok::<(), figrs_infer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ParticleFilter<S> {
    state: S,
    /// The stored states before the present state, the latest first.
    past: VecDeque<S>,
    /// Maximum number of past states that the filter keeps.
    window: usize,
    drawn: Particles,
    answer: Answer,
    particles: u64,
    seed: u64,
    draws: u64,
    steps: u64,
    log_evidence: f64,
    earlier: EarlierElements,
}

impl<S: FilterState> ParticleFilter<S> {
    /// Creates a filter with `particles` particles, which are drawn from the distribution of the elements of the state `first`.
    ///
    /// **Errors.** The same errors as those of [`ImportanceSampling`].
    pub fn new(first: &S, particles: u64) -> Result<Self, Error> {
        Self::seeded(first, particles, 0)
    }

    /// Creates a filter as [`new`](Self::new) does, with a seed for its random numbers.
    ///
    /// **Errors.** [`Error::InvalidSetting`] for more than 4 294 967 295 particles; the errors of [`ImportanceSampling`].
    pub fn seeded(first: &S, particles: u64, seed: u64) -> Result<Self, Error> {
        if particles > MOST_PARTICLES {
            return Err(Error::invalid_setting(
                "ParticleFilter",
                "particles",
                particles.to_string(),
                "use at most 4294967295",
            ));
        }
        let algorithm = ImportanceSampling::new(particles).seed(seed).keep_draws();
        let (state, drawn, answer) = guarded(|| drawn(&algorithm, &Model::new(), &[first]))?;
        let mut earlier = EarlierElements::default();
        earlier.add(&random_ancestors(first.elements(), &Model::new()));
        Ok(Self {
            state: state.present,
            past: state.past,
            window: 0,
            drawn,
            answer,
            particles,
            seed,
            draws: 1,
            steps: 0,
            log_evidence: 0.0,
            earlier,
        })
    }

    /// Makes the filter keep the `states` states before the present state. If past states are kept, each particle has values of the present state and
    /// of the kept states; particles with the same present state but different past states are separate. By default, no past state is kept.
    ///
    /// The method [`past`](Self::past) returns the kept past states, and [`answer`](Self::answer) contains their distributions given all evidence so
    /// far. Resampling leaves fewer and fewer distinct values of a past state; the answer is therefore less accurate for states that are many steps
    /// in the past.
    #[must_use]
    pub fn window(mut self, states: usize) -> Self {
        self.window = states;
        if self.past.len() > states {
            self.past.truncate(states);
            let kept = std::iter::once(&self.state).chain(&self.past);
            self.drawn
                .columns
                .truncate(kept.map(|state| state.elements().len()).sum());
        }
        self
    }

    /// Adds evidence about the present state.
    ///
    /// **Errors.** The same errors as those of [`advance`](Self::advance).
    pub fn observe(&mut self, evidence: impl FnOnce(&S) -> Model) -> Result<(), Error> {
        let found = guarded(|| {
            let states: Vec<&S> = std::iter::once(&self.state).chain(&self.past).collect();
            self.continued(&evidence(&self.state), &states)
        });
        self.go_to(found, self.steps)
    }

    /// Moves the filter to the next time step, and adds evidence about the next state. The function `step` builds the elements of the next state from
    /// those of the present state; `evidence` builds the model with the evidence about the next state, and may contain interventions.
    ///
    /// **Errors.** [`Error::InStep`] with the number of the step, counted from 1. [`Error::InvalidSetting`] if the step depends on a random element
    /// of an earlier step (a random quantity of several steps belongs to the state). In all other cases, the error is that of [`ImportanceSampling`],
    /// such as evidence that no particle satisfies. After an error, the particles of the filter are unchanged.
    pub fn advance(
        &mut self,
        step: impl FnOnce(&S) -> S,
        evidence: impl FnOnce(&S) -> Model,
    ) -> Result<(), Error> {
        let found = guarded(|| {
            let next = step(&self.state);
            let past = std::iter::once(&self.state).chain(&self.past);
            let states = std::iter::once(&next).chain(past.take(self.window));
            let states: Vec<&S> = states.collect();
            self.continued(&evidence(&next), &states)
        });
        self.go_to(found, self.steps + 1)
    }

    /// Draws the elements of the states `states`, which continue the present particles, given the evidence of `model`. The result also contains the
    /// random elements of the time step.
    fn continued(&self, model: &Model, states: &[&S]) -> Result<Continued<S>, Error> {
        let elements = states.iter().flat_map(|state| state.elements());
        let random = random_ancestors(elements.collect(), model);
        if let Some((value, remedy)) = self.earlier.mistake(&random) {
            return Err(Error::invalid_setting(
                "ParticleFilter",
                EarlierElements::SETTING,
                value,
                remedy,
            ));
        }
        let (states, particles, answer) = drawn(&self.algorithm(), model, states)?;
        Ok((states, particles, answer, random))
    }

    /// Returns the sampler of the next time step, whose worlds continue the present particles.
    fn algorithm(&self) -> ImportanceSampling {
        // Multiples of an odd number are distinct; each step therefore has a seed of its own.
        let seed = self
            .seed
            .wrapping_add(self.draws.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        ImportanceSampling::new(self.particles)
            .seed(seed)
            .keep_draws()
            .assigned(self.drawn.ancestors(self.particles, seed))
    }

    fn go_to(&mut self, found: Result<Continued<S>, Error>, step: u64) -> Result<(), Error> {
        let (state, drawn, answer, random) = found.map_err(|error| Error::InStep {
            step,
            error: Box::new(error),
        })?;
        self.log_evidence += answer.log_evidence()?.value;
        inherit_names(&state.present, &self.state);
        self.earlier.add(&random);
        self.earlier.replace([self.drawn.index.erased().clone()]);
        (self.state, self.past) = (state.present, state.past);
        (self.drawn, self.answer) = (drawn, answer);
        (self.steps, self.draws) = (step, self.draws + 1);
        Ok(())
    }

    /// Returns the number of time steps that the filter has made so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Returns the elements (random variables) of the present state. Other models can be built on the returned elements: for a prediction, build the
    /// elements of later states and query them.
    pub fn state(&self) -> &S {
        &self.state
    }

    /// Returns the state `lag` time steps before the present state; `None` if the filter does not keep this state. A lag of 0 gives the present
    /// state.
    pub fn past(&self, lag: usize) -> Option<&S> {
        match lag.checked_sub(1) {
            None => Some(&self.state),
            Some(place) => self.past.get(place),
        }
    }

    /// Returns the marginals of all elements of the present state and of the past states that the filter keeps.
    pub fn answer(&self) -> &Answer {
        &self.answer
    }

    /// Returns the natural logarithm of the estimated probability, or density, of all evidence so far; the standard error of the estimate is NaN.
    pub fn log_evidence(&self) -> LogEvidence {
        LogEvidence {
            value: self.log_evidence,
            standard_error: f64::NAN,
        }
    }

    /// Returns a summary of an element of the present state, in one line.
    pub fn summary<T: Value>(&self, of: impl FnOnce(&S) -> &Element<T>) -> Result<String, Error> {
        self.answer.summary(of(&self.state))
    }

    /// Returns the probability that the element `of` of the present state has the value `value`.
    pub fn probability<T: Value>(
        &self,
        of: impl FnOnce(&S) -> &Element<T>,
        value: &T,
    ) -> Result<f64, Error> {
        self.answer.probability(of(&self.state), value)
    }

    /// Returns the mean of a real element of the present state.
    pub fn mean(&self, of: impl FnOnce(&S) -> &Element<f64>) -> Result<f64, Error> {
        self.answer.mean(of(&self.state))
    }
}

/// The present state of a particle filter and the states before it, the latest first.
struct States<S> {
    present: S,
    past: VecDeque<S>,
}

impl<S: FilterState> States<S> {
    /// Creates states that consist of the elements `elements`; `like` are states whose elements have the same types, the present state first.
    fn of_elements(like: &[&S], elements: &[AnyElement]) -> Self {
        let mut next = NextElements::new(elements);
        Self {
            present: like[0].renewed(&mut next),
            past: like[1..]
                .iter()
                .map(|state| state.renewed(&mut next))
                .collect(),
        }
    }
}

/// The states, particles and marginals after a time step of the filter, and the random elements of the step.
type Continued<S> = (States<S>, Particles, Answer, Vec<AnyElement>);

/// Draws the elements of `states` given the evidence of `model`; the first state is the present one. Returns three results: states whose elements
/// have the drawn values, the weighted draws, and the marginals of the draws.
fn drawn<S: FilterState>(
    algorithm: &ImportanceSampling,
    model: &Model,
    states: &[&S],
) -> Result<(States<S>, Particles, Answer), Error> {
    let elements: Vec<AnyElement> = states.iter().flat_map(|state| state.elements()).collect();
    // The answer of `ImportanceSampling` would have a copy of the sums, with which the run could be lengthened.
    let sums = algorithm.run_units(model, &elements, 0..u64::MAX, Absorption::AtOnce)?;
    let mut answer = sums.into_answer()?;
    let Some(draws) = answer.draws.take() else {
        return Err(Error::NothingDone {
            algorithm: "ParticleFilter",
        });
    };
    let particles = Particles::of_draws(&draws);
    let made = particles.elements(&elements);
    let next = States::of_elements(states, &made);
    // The answer is about the elements of the new states, which contain none of the earlier elements.
    Ok((next, particles, answer.about(&made)))
}

/// The distinct states of the particles, with the weights of the states.
#[derive(Clone, Debug)]
pub(super) struct Particles {
    /// The weight of each distinct state; the largest weight is one.
    pub(super) weights: Vec<f64>,
    /// For each element, its distinct values, and for each state the index of the element's value among these values.
    pub(super) columns: Vec<(Support, Vec<u32>)>,
    /// The random variable whose value is the index of a state among the distinct states.
    index: Element<usize>,
}

/// Maximum number of particles, because resampling represents their indices by 32 bits.
const MOST_PARTICLES: u64 = u32::MAX as u64;

/// The number of the random number stream for the resampling; the worlds of a step use the streams from number zero on.
const RESAMPLING_STREAM: u64 = u64::MAX - 1;

impl Particles {
    pub(super) fn new(weights: Vec<f64>, columns: Vec<(Support, Vec<u32>)>) -> Self {
        Self {
            index: Select::new(weights.iter().copied().zip(0..)),
            weights,
            columns,
        }
    }

    /// Creates particles from the weighted draws of positive weight. Draws with equal values become one state; the states have the order of their
    /// first draws.
    fn of_draws(draws: &Draws) -> Self {
        let logs = draws.log_weights.as_deref().unwrap_or_default();
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let kept = (0..logs.len()).filter(|&draw| logs[draw] > f64::NEG_INFINITY);
        let kept: Vec<usize> = kept.collect();
        let mut states = vec![0; kept.len()];
        let mut firsts = Vec::from_iter(kept.first().copied());
        for target in &draws.targets {
            let mut numbers = FxHashMap::default();
            firsts.clear();
            for (state, &draw) in states.iter_mut().zip(&kept) {
                *state = match numbers.entry((*state, target.indices[draw])) {
                    Entry::Occupied(number) => *number.get(),
                    Entry::Vacant(place) => {
                        firsts.push(draw);
                        *place.insert(firsts.len() - 1)
                    }
                };
            }
        }
        let mut weights = vec![0.0; firsts.len()];
        for (state, draw) in states.into_iter().zip(kept) {
            weights[state] += (logs[draw] - most).exp();
        }
        let largest = weights.iter().copied().fold(0.0, f64::max);
        for weight in &mut weights {
            *weight /= largest;
        }
        let columns = draws.targets.iter().map(|target| {
            let values = firsts.iter().map(|&draw| target.indices[draw]);
            (target.support.clone(), values.collect())
        });
        Self::new(weights, columns.collect())
    }

    /// Resampling: draws the states that `particles` new particles continue. In the result, the particles that continue the same state are
    /// consecutive.
    fn ancestors(&self, particles: u64, seed: u64) -> AssignedValues {
        let mut ancestors = vec![0; particles as usize];
        let mut rng = stream(seed, RESAMPLING_STREAM);
        Resampling::Systematic.choose(&self.weights, &mut ancestors, || rng.random());
        AssignedValues {
            element: self.index.erased().clone(),
            values: ancestors.into(),
        }
    }

    /// Returns random variables whose joint distribution is that of the particles; their types are those of the elements `like`.
    pub(super) fn elements(&self, like: &[AnyElement]) -> Vec<AnyElement> {
        let columns = self.columns.iter().zip(like);
        let made = columns.map(|((support, values), element)| {
            let made = element.by_index(support, values.clone(), &self.index);
            made.labelled_like(element)
        });
        made.collect()
    }

    pub(super) fn marginals(&self, elements: &[AnyElement], evidence: LogEvidence) -> Answer {
        let total: f64 = self.weights.iter().sum();
        let marginals = self.columns.iter().zip(elements);
        let marginals = marginals.map(|((support, values), element)| {
            let shares = self.weights.iter().map(|weight| weight / total);
            let draws = values.iter().copied().zip(shares);
            TargetMarginal::weighted(element.clone(), support.clone(), draws)
        });
        Answer::marginals("ParticleFilter", marginals.collect(), evidence)
    }
}
