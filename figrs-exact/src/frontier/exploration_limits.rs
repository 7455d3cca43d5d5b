//! Limits of the exploration of states, and reasons to end an exploration early.

use figrs_core::{AnyElement, ModelError};
use figrs_factor::WorkBudget;

use figrs_answer::error::Error;
use figrs_answer::run::watch::RunMonitor;

#[derive(Clone, Copy)]
pub(super) struct ExplorationLimits<'a> {
    pub(super) memory: u64,
    pub(super) run: &'a RunMonitor<'a>,
    /// The maximum number of transitions between states; `None` if it is not limited.
    pub(super) work: Option<&'a WorkBudget>,
}

impl ExplorationLimits<'_> {
    /// Subtracts `transitions` from the work budget.
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

/// Reason why an exploration of states ends early or begins again.
#[derive(Debug)]
pub(super) enum ExplorationError {
    Error(Error),
    /// The sweep must visit the listed elements before a Chain, because branches of the Chain are these elements or read them.
    Captured(Vec<AnyElement>),
    /// The codes in the states need wider bit fields.
    Wider,
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
