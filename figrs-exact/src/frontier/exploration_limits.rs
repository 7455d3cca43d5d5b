//! Limits of the exploration of states, and reasons to stop before its end.

use figrs_core::{AnyElement, ModelError};
use figrs_factor::WorkBudget;

use figrs_answer::error::Error;
use figrs_answer::run::watch::RunMonitor;

/// Limits of the exploration of states: memory, deadline, interrupt and, optionally, work.
#[derive(Clone, Copy)]
pub(super) struct ExplorationLimits<'a> {
    pub(super) memory: u64,
    pub(super) run: &'a RunMonitor<'a>,
    /// The budget of transitions between states, if they are limited.
    pub(super) work: Option<&'a WorkBudget>,
}

impl ExplorationLimits<'_> {
    /// Subtracts transitions from the budget.
    ///
    /// **Errors.** [`ExplorationError::Budget`] if the budget allows fewer transitions.
    pub(super) fn spend(&self, transitions: usize) -> Result<(), ExplorationError> {
        let is_within = |work: &WorkBudget| work.spend(transitions as u64);
        if self.work.is_none_or(is_within) {
            Ok(())
        } else {
            Err(ExplorationError::Budget)
        }
    }
}

/// Reason for which an exploration of states stops or starts again.
#[derive(Debug)]
pub(super) enum ExplorationError {
    /// The exploration fails with this error.
    Error(Error),
    /// Branches of the Chain of the present step are, or read, these elements from outside the Chain, which must be visited
    /// before the Chain.
    Captured(Vec<AnyElement>),
    /// The bit fields of the states are too narrow, so that states need wider keys.
    Wider,
    /// The budget of transitions between states is used up.
    Budget,
}

impl From<Error> for ExplorationError {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

impl From<ModelError> for ExplorationError {
    fn from(error: ModelError) -> Self {
        Self::Error(error.into())
    }
}
