//! Limits of an exploration, and reasons to stop before its end.

use std::cell::Cell;

use figrs_core::{AnyElement, ModelError};

use figrs_answer::error::Error;
use figrs_answer::run::watch::RunMonitor;

/// Limits of an exploration: memory, deadline, interrupt, and transitions where they are counted.
#[derive(Clone, Copy)]
pub(super) struct ExplorationLimits<'a> {
    pub(super) memory: u64,
    pub(super) run: &'a RunMonitor<'a>,
    /// Number of transitions that may still be made, if it is limited.
    pub(super) transitions: Option<&'a Cell<u64>>,
}

impl ExplorationLimits<'_> {
    /// Counts transitions.
    ///
    /// **Errors.** [`ExplorationError::Budget`] if there are more than may be made.
    pub(super) fn spend(&self, transitions: usize) -> Result<(), ExplorationError> {
        let Some(left) = self.transitions else {
            return Ok(());
        };
        match left.get().checked_sub(transitions as u64) {
            Some(rest) => {
                left.set(rest);
                Ok(())
            }
            None => Err(ExplorationError::Budget),
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
