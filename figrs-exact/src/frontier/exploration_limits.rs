//! Limits of the exploration of states, and reasons to end an exploration early.

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
    /// Subtracts the given number of transitions from the budget.
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

/// Reason why an exploration of states ends early or starts again.
#[derive(Debug)]
pub(super) enum ExplorationError {
    /// The exploration fails with this error.
    Error(Error),
    /// The listed elements must be visited before a Chain, because branches of the Chain are or read these elements.
    Captured(Vec<AnyElement>),
    /// The states need keys with wider bit fields.
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
