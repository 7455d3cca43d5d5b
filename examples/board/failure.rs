//! Why there is no answer.

use std::error::Error;

use figrs::models::grid::GridError;

use super::NoAnswer;

pub(crate) type Failure = Box<dyn Error + Send + Sync>;

/// The exit code of a failure.
pub(crate) fn exit_code(failure: &(dyn Error + 'static)) -> u8 {
    let is_no_answer = match failure.downcast_ref::<GridError>() {
        Some(error) => matches!(
            error,
            GridError::Inference(_)
                | GridError::NoSuchNumber { .. }
                | GridError::BaysNotMet { .. }
                | GridError::NoSolution { .. }
                | GridError::OneTile
        ),
        None => failure.is::<NoAnswer>() || failure.is::<figrs::Error>(),
    };
    if is_no_answer { 1 } else { 2 }
}

/// What to do on the command line where memory is too small.
pub(crate) fn remedy(failure: &(dyn Error + 'static)) -> &'static str {
    let error = match failure.downcast_ref::<GridError>() {
        Some(GridError::Inference(error)) => Some(error),
        _ => failure.downcast_ref::<figrs::Error>(),
    };
    match error {
        Some(figrs::Error::FrontierTooLarge { .. }) => " (here: --memory, or a smaller board)",
        _ => "",
    }
}

/// That something needs more memory than there is.
pub(crate) fn too_large(what: &str, needed: f64, memory: u64) -> String {
    let needed = match needed / f64::from(1 << 20) {
        needed if needed < 1e6 => format!("about {needed:.0} MiB"),
        _ => "over a million MiB".to_owned(),
    };
    format!("{what} {needed}, more than --memory {}", memory >> 20)
}
