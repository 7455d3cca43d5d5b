//! Errors that occur when a level is written.

use figrs_derive::ErrorDebug;
use std::io;

/// Reason why a level could not be written in a format.
#[derive(thiserror::Error, ErrorDebug)]
#[non_exhaustive]
pub enum OutputError {
    /// Writing the level to the output failed.
    #[error("cannot write the level: {0}; check the disk and its permissions")]
    Io(#[from] io::Error),
    /// The output format cannot represent the level, or one of its notes.
    #[error("{problem}; {remedy}")]
    Invalid {
        /// The problem, as a statement that names the size of the level or the note.
        problem: String,
        /// The remedy, worded as a request to the user.
        remedy: String,
    },
}

impl OutputError {
    pub(super) fn invalid(problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::Invalid {
            problem: problem.into(),
            remedy: remedy.into(),
        }
    }
}
