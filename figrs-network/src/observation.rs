//! Observations of variables.

use super::State;

/// A statement that a variable of a network is in a certain state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Observation {
    pub(super) variable: usize,
    pub(super) state: State,
}

impl Observation {
    /// Returns the index of the variable in the network.
    pub fn variable(&self) -> usize {
        self.variable
    }

    /// Returns the observed state.
    pub fn state(&self) -> &State {
        &self.state
    }
}
