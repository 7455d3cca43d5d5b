//! Why there are no levels.

use std::error::Error;

use figrs::models::mdmc::SteeringError;

use crate::no_answer::NoAnswer;

pub(crate) type Failure = Box<dyn Error + Send + Sync>;

/// The exit code of a failure.
pub(crate) fn exit_code(failure: &(dyn Error + 'static)) -> u8 {
    let steering = failure.downcast_ref::<SteeringError>();
    let is_without_answer = match steering {
        Some(error) => !matches!(error, SteeringError::Level(_)),
        None => failure.is::<NoAnswer>() || failure.is::<figrs::Error>(),
    };
    if is_without_answer { 1 } else { 2 }
}
