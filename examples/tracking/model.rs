//! The tracking models, written as probabilistic programs of elements.

use clap::ValueEnum;
use figrs::prelude::*;
use figrs::weighted_sum;

/// The stochastic process that the tracked state follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// A number that performs a random walk.
    Level,
    /// A level and its slope; both perform random walks.
    Trend,
    /// A position with a velocity that performs a random walk.
    Velocity,
}

impl Kind {
    /// Returns the number of state variables of one coordinate.
    pub(crate) fn numbers_of_coordinate(self) -> usize {
        match self {
            Self::Level => 1,
            Self::Trend | Self::Velocity => 2,
        }
    }
}

/// The variables of a tracked state: the levels or positions of all coordinates, then the slopes or velocities.
pub(crate) type State = Vec<Element<f64>>;

/// A model of a state over time and of its readings.
#[derive(Clone, Debug)]
pub(crate) struct TrackingModel {
    pub(crate) kind: Kind,
    /// Number of coordinates of a reading.
    pub(crate) coordinates: usize,
    /// Variances of the change of the state in one step.
    pub(crate) process: Vec<f64>,
    /// Variance of the noise in each coordinate of a reading.
    pub(crate) noise: Vec<f64>,
    pub(crate) start_mean: Vec<f64>,
    pub(crate) start_variance: Vec<f64>,
}

/// Returns a normal element whose mean is the value of `mean`; returns `mean` itself if the variance is zero.
fn around(mean: &Element<f64>, variance: f64) -> Element<f64> {
    if variance > 0.0 {
        Normal::new(mean, Variance(variance))
    } else {
        mean.clone()
    }
}

impl TrackingModel {
    /// Returns the state at the first step of a track.
    pub(crate) fn first(&self) -> State {
        let numbers = self.start_mean.iter().zip(&self.start_variance);
        numbers
            .map(|(&mean, &variance)| around(&Constant::new(mean), variance))
            .collect()
    }

    /// Returns the state at the step after the step with the state `state`.
    pub(crate) fn step(&self, state: &State) -> State {
        let (places, rates) = state.split_at(self.coordinates);
        match self.kind {
            Kind::Level => places.iter().map(|x| around(x, self.process[0])).collect(),
            Kind::Trend => {
                let both = places.iter().zip(rates);
                let moved = both.map(|(level, slope)| around(&(level + slope), self.process[0]));
                let slopes = rates.iter().map(|slope| around(slope, self.process[1]));
                moved.chain(slopes).collect()
            }
            Kind::Velocity => {
                let after: Vec<Element<f64>> =
                    rates.iter().map(|v| around(v, self.process[0])).collect();
                let moved = places.iter().zip(rates).zip(&after);
                let moved = moved.map(|((place, before), after)| {
                    let mean = weighted_sum([(1.0, place), (0.5, before), (0.5, after)]);
                    around(&mean, self.process[0] / 12.0)
                });
                moved.chain(after.iter().cloned()).collect()
            }
        }
    }

    /// Returns the readings of a state, one for each coordinate.
    pub(crate) fn readings(&self, state: &State) -> State {
        let places = state.iter().zip(&self.noise);
        places.map(|(place, &noise)| around(place, noise)).collect()
    }
}

/// Returns the evidence that the elements `readings` have the values of `reading`; a missing coordinate is `None`.
pub(crate) fn observed(readings: &State, reading: &[Option<f64>]) -> Model {
    let pairs = readings.iter().zip(reading);
    pairs.fold(Model::new(), |model, (element, value)| match value {
        Some(value) => model.observe(element, *value),
        None => model,
    })
}
