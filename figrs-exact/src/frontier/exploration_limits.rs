//! Limits of an exploration, and reasons to stop before its end.

use figrs_core::{AnyElement, ModelError};
use figrs_factor::WorkBudget;

use figrs_answer::error::Error;
use figrs_answer::run::watch::RunMonitor;

/// Limits of an exploration: memory, deadline, interrupt and, optionally, work.
#[derive(Clone, Copy)]
pub(super) struct ExplorationLimits<'a> {
    pub(super) memory: u64,
    pub(super) run: &'a RunMonitor<'a>,
    /// The budget of transitions, if they are limited.
    pub(super) work: Option<&'a WorkBudget>,
}

impl ExplorationLimits<'_> {
    /// Charges transitions to the budget.
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

/// Reason why an exploration stops or starts again.
#[derive(Debug)]
pub(super) enum ExplorationError {
    /// The exploration fails with this error.
    Error(Error),
    /// Branches of this step's Chain are, or read, these elements from outside the Chain, which must be visited before the Chain.
    Captured(Vec<AnyElement>),
    /// The bit fields of the states are too narrow, so that states need wider keys.
    Wider,
    /// The budget of transitions is used up.
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
