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
    /// The transitions that may still be made, if they are limited.
    pub(super) work: Option<&'a WorkBudget>,
}

impl ExplorationLimits<'_> {
    /// Counts transitions.
    ///
    /// **Errors.** [`ExplorationError::Budget`] if there are more than may be made.
    pub(super) fn spend(&self, transitions: usize) -> Result<(), ExplorationError> {
        let is_within = |work: &WorkBudget| work.spend(transitions as u64);
        if self.work.is_none_or(is_within) {
            Ok(())
        } else {
            Err(ExplorationError::Budget)
        }
    }
}

/// Reason that an exploration cannot go on as it is.
#[derive(Debug)]
pub(super) enum ExplorationError {
    /// There is no answer.
    Error(Error),
    /// The Chain of this step has branches that are or read these elements, which are not its own: they are to be met before it.
    Captured(Vec<AnyElement>),
    /// Keys need more words.
    Wider,
    /// There are more transitions than may be made.
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
