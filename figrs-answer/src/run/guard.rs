//! Conversion of panics in the code of users' value types to errors.

use figrs_core::Fault;
use figrs_core::internals::{contained, unprinted};

use crate::error::Error;

/// Runs `infer`, and converts a panic to an error.
///
/// Panics of functions and distributions are caught where these are called, and are converted to errors that name the element. The code of value
/// types (`Clone`, `Eq`, `Hash`, `Debug`, `Drop`) is called in many places and for each value; a guard around each call would be slow. A single guard
/// around the whole run costs almost nothing.
pub fn guarded<R>(infer: impl FnOnce() -> Result<R, Error>) -> Result<R, Error> {
    match contained(|| unprinted(infer)) {
        Ok(outcome) => outcome,
        Err(Fault::Panicked(message)) => Err(Error::Panicked { message }),
        Err(fault) => Err(Error::Panicked {
            message: fault.to_string(),
        }),
    }
}
