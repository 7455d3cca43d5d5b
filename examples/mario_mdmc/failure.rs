//! Why there are no levels.

use std::error::Error;
use std::fmt;

use figrs::models::mdmc::SteeringError;

pub(crate) type Failure = Box<dyn Error + Send + Sync>;

/// That files and options are right, and there is no answer all the same.
#[derive(Debug)]
pub(crate) struct NoAnswer(pub(crate) String);

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for NoAnswer {}

/// The exit code of a failure.
pub(crate) fn exit_code(failure: &(dyn Error + 'static)) -> u8 {
    let steering = failure.downcast_ref::<SteeringError>();
    let is_without_answer = match steering {
        Some(error) => !matches!(error, SteeringError::Level(_)),
        None => failure.is::<NoAnswer>() || failure.is::<figrs::Error>(),
    };
    if is_without_answer { 1 } else { 2 }
}
