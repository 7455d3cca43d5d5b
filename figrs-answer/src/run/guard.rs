//! Panics of users' value types as errors.

use figrs_core::Fault;
use figrs_core::internals::{contained, unprinted};

use crate::error::Error;

/// Runs some inference and turns a panic into an error.
///
/// Panics of functions and distributions are caught where they are called, and name the element. The code of value types (`Clone`,
/// `Eq`, `Hash`, `Debug`, `Drop`) is called from everywhere, for each value: one guard around all of it costs nothing.
pub fn guarded<R>(infer: impl FnOnce() -> Result<R, Error>) -> Result<R, Error> {
    match contained(|| unprinted(infer)) {
        Ok(outcome) => outcome,
        Err(Fault::Panicked(message)) => Err(Error::Panicked { message }),
        Err(fault) => Err(Error::Panicked {
            message: fault.to_string(),
        }),
    }
}
