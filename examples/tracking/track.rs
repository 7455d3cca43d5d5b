//! The states at all steps: predicted, filtered and smoothed.

use figrs::prelude::*;
use figrs_reals::{Filter, WithReals};

use crate::model::{State, TrackingModel};
use crate::readings::Reading;

/// Means and standard deviations of the state variables.
#[derive(Clone, Debug, Default)]
pub(crate) struct Moments {
    pub(crate) means: Vec<f64>,
    pub(crate) deviations: Vec<f64>,
}

/// The distributions of the state at one step.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// The distribution given the readings before the step.
    pub(crate) predicted: Moments,
    /// The distribution given the readings up to the step.
    pub(crate) filtered: Moments,
    /// The distribution given all readings, once all are known.
    pub(crate) smoothed: Option<Moments>,
}

/// A track that is filtered one reading at a time.
pub(crate) struct Online {
    model: TrackingModel,
    filter: Filter<State>,
    steps: usize,
}

impl Online {
    pub(crate) fn new(model: TrackingModel) -> Result<Self, Error> {
        Ok(Self {
            filter: Filter::exact(&model.first())?,
            model,
            steps: 0,
        })
    }

    /// Goes to the next step of the track, which has a given reading.
    pub(crate) fn read(&mut self, reading: &Reading) -> Result<Step, Error> {
        if self.steps > 0 {
            self.filter
                .advance(|state| self.model.step(state), |_| Model::new())?;
        }
        self.steps += 1;
        let predicted = moments(self.filter.answer(), self.filter.state())?;
        self.filter
            .observe(|state| self.model.read(Model::new(), state, reading))?;
        Ok(Step {
            predicted,
            filtered: moments(self.filter.answer(), self.filter.state())?,
            smoothed: None,
        })
    }

    /// Returns the number of steps so far.
    pub(crate) fn steps(&self) -> usize {
        self.steps
    }

    /// Returns the natural logarithm of the density of the readings so far.
    pub(crate) fn log_evidence(&self) -> f64 {
        self.filter.log_evidence().value
    }
}

/// All readings, and the states at their steps.
pub(crate) struct Track {
    pub(crate) readings: Vec<Reading>,
    pub(crate) steps: Vec<Step>,
    pub(crate) log_evidence: f64,
}

impl Track {
    pub(crate) fn new(model: &TrackingModel, readings: Vec<Reading>) -> Result<Self, Error> {
        let mut online = Online::new(model.clone())?;
        let mut steps = Vec::with_capacity(readings.len());
        let mut states: Vec<State> = Vec::with_capacity(readings.len());
        let mut evidence = Model::new();
        for reading in &readings {
            steps.push(online.read(reading)?);
            let state = match states.last() {
                Some(state) => model.step(state),
                None => model.first(),
            };
            evidence = model.read(evidence, &state, reading);
            states.push(state);
        }
        // With the feature `reals` of figrs, `Exact::new()` does the same; a feature would be set for all examples.
        let answer = WithReals::new(Exact::new()).run(&evidence, states.concat())?;
        for (step, state) in steps.iter_mut().zip(&states) {
            step.smoothed = Some(moments(&answer, state)?);
        }
        Ok(Self {
            log_evidence: online.log_evidence(),
            readings,
            steps,
        })
    }
}

fn moments(answer: &Answer, state: &State) -> Result<Moments, Error> {
    let mut moments = Moments::default();
    for number in state {
        moments.means.push(answer.mean(number)?);
        moments.deviations.push(answer.variance(number)?.sqrt());
    }
    Ok(moments)
}
