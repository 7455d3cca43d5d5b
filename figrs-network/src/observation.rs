//! Observations of variables of a network.

use super::State;

/// A statement that a variable of a network is in a certain state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Observation {
    pub(super) variable: usize,
    pub(super) state: State,
}

impl Observation {
    /// Returns the index of the observed variable in the network.
    pub fn variable(&self) -> usize {
        self.variable
    }

    /// Returns the observed state.
    pub fn state(&self) -> &State {
        &self.state
    }
}

/// A statement that a real variable of a [`MixedNetwork`](super::MixedNetwork) has a certain value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RealObservation {
    pub(super) variable: usize,
    pub(super) value: f64,
}

impl RealObservation {
    /// Returns the index of the variable among the real variables of the network.
    pub fn variable(&self) -> usize {
        self.variable
    }

    /// Returns the observed value; the value is finite.
    pub fn value(&self) -> f64 {
        self.value
    }
}
