//! Models of real numbers, if the feature `reals` is on.

use figrs_answer::answer::Answer;
use figrs_answer::error::Error;
use figrs_core::{AnyElement, Limits, Model};

/// Answers a question (a model with targets) in closed form if `refused` says that an element is continuous; otherwise, or without the feature
/// `reals`, returns `refused`.
pub(crate) fn in_closed_form(
    algorithm: &'static str,
    question: (&Model, &[AnyElement]),
    limits: &Limits,
    refused: Error,
) -> Result<Answer, Error> {
    #[cfg(feature = "reals")]
    return figrs_reals::in_closed_form(algorithm, question, limits, refused);
    #[cfg(not(feature = "reals"))]
    {
        let _ = (algorithm, question, limits);
        Err(refused)
    }
}
