//! Limits of an exploration, and reasons to stop before its end.

use figrs_core::{AnyElement, ModelError};
use figrs_factor::WorkBudget;

use figrs_answer::error::Error;
use figrs_answer::run::watch::RunMonitor;

/// Limits of an exploration: memory, deadline, interrupt, and work where it is counted.
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
    /// **Errors.** [`ExplorationError::Budget`] if there are more than the budget allows.
    pub(super) fn spend(&self, transitions: usize) -> Result<(), ExplorationError> {
        let is_within = |work: &WorkBudget| work.spend(transitions as u64);
        if self.work.is_none_or(is_within) {
            Ok(())
        } else {
            Err(ExplorationError::Budget)
        }
    }
}

/// Reason that stops an exploration or makes it start again.
#[derive(Debug)]
pub(super) enum ExplorationError {
    /// There is no answer.
    Error(Error),
    /// Branches of this step's Chain are, or read, these elements from outside the Chain, which must be met before the Chain.
    Captured(Vec<AnyElement>),
    /// States need wider keys.
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
