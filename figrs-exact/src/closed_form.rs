//! Exact answers in closed form for models of real numbers, if the feature `reals` is on.

#[cfg(feature = "reals")]
pub(crate) use figrs_reals::{best_world_in_closed_form, in_closed_form};

#[cfg(not(feature = "reals"))]
use figrs_answer::{answer::Answer, error::Error};
#[cfg(not(feature = "reals"))]
use figrs_core::{AnyElement, Limits, Model};

/// Returns the error `refused`, because the feature `reals` is off.
#[cfg(not(feature = "reals"))]
pub(crate) fn in_closed_form(
    _: &'static str,
    _: (&Model, &[AnyElement]),
    _: &Limits,
    refused: Error,
) -> Result<Answer, Error> {
    Err(refused)
}

#[cfg(not(feature = "reals"))]
pub(crate) use in_closed_form as best_world_in_closed_form;
