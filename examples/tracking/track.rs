//! The states of a track at all steps: predicted, filtered and smoothed.

use figrs::NormalMixture;
use figrs::prelude::*;
use figrs_command::{Failure, NoAnswer};
use figrs_reals::{Filter, FilterLaw};

use crate::model::{State, TrackingModel, observed};
use crate::readings::Reading;

/// Means and standard deviations of the state variables.
#[derive(Clone, Debug, Default)]
pub(crate) struct Moments {
    pub(crate) means: Vec<f64>,
    pub(crate) deviations: Vec<f64>,
}

/// The distributions of the tracked state at one step.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// The distribution of the state given the readings before the step.
    pub(crate) predicted: Moments,
    /// The distribution of the state given the readings up to and including the step.
    pub(crate) filtered: Moments,
    /// The distribution of the state given all readings, when all readings are known.
    pub(crate) smoothed: Option<Moments>,
}

/// A track whose states are filtered after each new reading.
pub(crate) struct Online {
    model: TrackingModel,
    filter: Filter<State>,
    /// The transition and observation laws of the steps after the first reading; `None` for a state that changes without noise from a known value.
    laws: Option<Laws>,
    steps: usize,
}

/// The two laws of a step of the track: the law of a move without a reading, and the law of a reading without a move.
struct Laws {
    motion: FilterLaw<State>,
    reading: FilterLaw<State>,
}

impl Laws {
    /// Computes the transition and observation laws of the steps after the first reading.
    ///
    /// **Errors.** The value of the state is known without uncertainty, and differs from step to step.
    fn new(filter: &Filter<State>, model: &TrackingModel) -> Result<Self, Error> {
        let motion = filter.law(|state| model.step(state), |_| State::new())?;
        let mut moved = filter.clone();
        moved.follow(&motion, |_| Model::new())?;
        let reading = moved.law(State::clone, |state| model.readings(state))?;
        Ok(Self { motion, reading })
    }
}

impl Online {
    /// Creates a track before its first reading. The filter of the track keeps at most `window` past states.
    pub(crate) fn new(model: TrackingModel, window: usize) -> Result<Self, Error> {
        // The state has a normal distribution or a known value, so that a mixture of one component contains it.
        let filter = Filter::exact(&model.first())?.components(1);
        Ok(Self {
            filter: filter.window(window),
            model,
            laws: None,
            steps: 0,
        })
    }

    /// Goes to the next step of the track, at which the reading `reading` is observed.
    ///
    /// **Errors.** The reading has no probability density under the model.
    pub(crate) fn read(&mut self, reading: &Reading) -> Result<Step, Failure> {
        self.steps += 1;
        self.step(reading).map_err(|error| match error {
            Error::InStep { .. } => NoAnswer(format!(
                "the reading of step {} has no density, because earlier readings determine it or because it is too large; give a --noise, --process or --start-variance above 0, or smaller numbers",
                self.steps
            ))
            .into(),
            error => error.into(),
        })
    }

    fn step(&mut self, reading: &Reading) -> Result<Step, Error> {
        let Self { model, filter, .. } = self;
        if self.steps == 2 {
            self.laws = match Laws::new(filter, model) {
                Err(Error::NotClosedForm { .. }) => None,
                laws => Some(laws?),
            };
        }
        match &self.laws {
            Some(laws) => filter.follow(&laws.motion, |_| Model::new())?,
            None if self.steps > 1 => {
                filter.advance(|state| model.step(state), |_| Model::new())?;
            }
            None => (),
        }
        let predicted = self.moments(0)?;
        let Self { model, filter, .. } = self;
        match &self.laws {
            Some(laws) => filter.follow(&laws.reading, |seen| observed(seen, reading))?,
            None => filter.observe(|state| observed(&model.readings(state), reading))?,
        }
        Ok(Step {
            predicted,
            filtered: self.moments(0)?,
            smoothed: None,
        })
    }

    /// Returns the distribution of the state `lag` steps of the filter before the present state, given all readings so far.
    fn moments(&self, lag: usize) -> Result<Moments, Error> {
        let mut moments = Moments::default();
        let Some(state) = self.filter.at(lag) else {
            return Ok(moments);
        };
        for i in 0..self.model.start_mean.len() {
            // A known number has a mean, but no normal distribution.
            let normal = state.mixture(|state| &state[i]);
            moments.means.push(state.mean(|state| &state[i])?);
            moments
                .deviations
                .push(normal.map_or(0.0, NormalMixture::standard_deviation));
        }
        Ok(moments)
    }

    /// Returns the number of steps so far.
    pub(crate) fn steps(&self) -> usize {
        self.steps
    }

    /// Returns the natural logarithm of the probability density of the readings so far.
    pub(crate) fn log_evidence(&self) -> f64 {
        self.filter.log_evidence().value
    }
}

/// All readings of a track, and the states at the steps of the readings.
pub(crate) struct Track {
    pub(crate) readings: Vec<Reading>,
    pub(crate) steps: Vec<Step>,
    pub(crate) log_evidence: f64,
}

impl Track {
    /// Filters all readings, and then smooths the states at the steps of the readings.
    ///
    /// **Errors.** A reading has no probability density under the model.
    pub(crate) fn new(model: TrackingModel, readings: Vec<Reading>) -> Result<Self, Failure> {
        let mut online = Online::new(model, usize::MAX)?;
        let mut steps = Vec::with_capacity(readings.len());
        let mut lags = Vec::with_capacity(readings.len());
        for reading in &readings {
            steps.push(online.read(reading)?);
            lags.push(online.filter.steps());
        }
        let last = online.filter.steps();
        for (step, steps) in steps.iter_mut().zip(lags) {
            step.smoothed = Some(online.moments((last - steps) as usize)?);
        }
        Ok(Self {
            log_evidence: online.log_evidence(),
            readings,
            steps,
        })
    }
}
