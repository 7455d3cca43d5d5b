//! Failures of a command, and their exit codes.

use std::error::Error;
use std::fmt;

use figrs_design::DemandedLevelError;
use figrs_gdl::GdlError;
use figrs_models::board::BoardError;
use figrs_models::grid::GridError;

/// Any error of a command.
pub type Failure = Box<dyn Error + Send + Sync>;

/// The files and options are correct, but there is no answer.
#[derive(Debug)]
pub struct NoAnswer(pub String);

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for NoAnswer {}

/// Returns the error of inference inside a failure.
pub fn inference<'e>(failure: &'e (dyn Error + 'static)) -> Option<&'e figrs_infer::Error> {
    if let Some(BoardError::Inference(error)) = failure.downcast_ref() {
        return Some(error);
    }
    if let Some(GdlError::Inference(error)) = failure.downcast_ref() {
        return Some(error);
    }
    if let Some(DemandedLevelError::Inference(error)) = failure.downcast_ref() {
        return Some(error);
    }
    failure.downcast_ref()
}

/// Returns the error of a grid inside a failure.
fn grid<'e>(failure: &'e (dyn Error + 'static)) -> Option<&'e GridError> {
    if let Some(BoardError::Grid(error)) = failure.downcast_ref() {
        return Some(error);
    }
    failure.downcast_ref()
}

/// True if files and options are correct but there is no answer.
pub fn is_without_answer(failure: &(dyn Error + 'static)) -> bool {
    failure.is::<NoAnswer>()
        || inference(failure).is_some()
        || grid(failure).is_some_and(|error| matches!(error, GridError::Impossible(_)))
        || failure.downcast_ref().is_some_and(|error| {
            matches!(
                error,
                BoardError::NoSolution { .. } | BoardError::NotFound { .. }
            )
        })
        || failure.downcast_ref().is_some_and(|error| {
            matches!(error, GdlError::NoPlan { .. } | GdlError::OverBudget { .. })
        })
        || failure.downcast_ref().is_some_and(|error| {
            matches!(
                error,
                DemandedLevelError::Contradictory { .. } | DemandedLevelError::NotMet { .. }
            )
        })
}

/// Returns the exit code of a failure: 1 if there is no answer, 2 if files or options are wrong.
pub(crate) fn exit_code(failure: &(dyn Error + 'static)) -> u8 {
    if is_without_answer(failure) { 1 } else { 2 }
}

/// True if the program that reads the output has closed its pipe.
pub(crate) fn is_broken_pipe(failure: &(dyn Error + 'static)) -> bool {
    let error = failure.downcast_ref::<std::io::Error>();
    error.is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use figrs_reading::{Mistake, MistakeKind};

    use super::*;

    #[test]
    fn exit_codes_tell_wrong_options_from_no_answer() {
        let inner = || figrs_infer::Error::NothingToLearn;
        let code = |failure: Failure| exit_code(&*failure);
        assert_eq!(code("a wrong option".into()), 2);
        assert_eq!(code(NoAnswer("none".into()).into()), 1);
        assert_eq!(code(inner().into()), 1);
        assert_eq!(code(BoardError::Inference(inner()).into()), 1);
        assert_eq!(code(GdlError::Inference(inner()).into()), 1);
        assert_eq!(code(DemandedLevelError::Inference(inner()).into()), 1);
        let mistake = || Mistake::new(MistakeKind::Contradiction, "impossible", "");
        let impossible = || GridError::Impossible(mistake());
        assert_eq!(code(impossible().into()), 1);
        assert_eq!(code(BoardError::from(impossible()).into()), 1);
    }
}
