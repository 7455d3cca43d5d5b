//! Limits of an exploration, and reasons to stop before its end.

use figrs_core::{AnyElement, ModelError};

use crate::error::Error;
use crate::run::watch::RunMonitor;

/// Limits of an exploration: memory, deadline, interrupt.
#[derive(Clone, Copy)]
pub(super) struct ExplorationLimits<'a> {
    pub(super) memory: u64,
    pub(super) run: &'a RunMonitor<'a>,
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
