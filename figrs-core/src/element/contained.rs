//! Panics of users' functions as faults.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::Fault;

/// Runs a user's function and turns a panic into a [`Fault`].
#[inline]
pub fn contained<R>(function: impl FnOnce() -> R) -> Result<R, Fault> {
    catch_unwind(AssertUnwindSafe(function)).map_err(panicked)
}

#[cold]
fn panicked(payload: Box<dyn Any + Send>) -> Fault {
    let message = payload
        .downcast_ref::<&str>()
        .map(ToString::to_string)
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".into());
    Fault::Panicked(message)
}
