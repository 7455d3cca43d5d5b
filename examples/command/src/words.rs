//! Messages of errors for users of a command.

use std::error::Error;

use figrs_design::{DemandError, DemandedLevelError, Remedy};
use figrs_gdl::GdlError;
use figrs_infer::Error as Inference;
use figrs_models::mdmc::SamplingError;
use figrs_models::{Mistake, MistakeKind};

use crate::Flag;
use crate::failure::inference;
use crate::stop;

/// Returns the message of an error that can occur in every command; `None` for other errors.
pub(crate) fn message(failure: &(dyn Error + 'static)) -> Option<String> {
    if let Some(Inference::NothingDone { .. }) = inference(failure) {
        return Some(stop::nothing("an answer").to_string());
    }
    if let (Some(Inference::NoSampleMetEvidence { tried, .. }), Some(reason)) =
        (inference(failure), stop::reason())
    {
        return Some(format!(
            "{}: none of the {tried} draws so far met the evidence or the demands; allow more time, or demand less",
            reason.message()
        ));
    }
    if let Some(
        error @ (DemandedLevelError::Contradictory { .. } | DemandedLevelError::NotMet { .. }),
    ) = failure.downcast_ref()
    {
        return Some(error.worded(in_flags));
    }
    if let Some(error @ DemandError::NotRejected { .. }) = failure.downcast_ref() {
        return Some(error.worded(in_flags));
    }
    if let Some(message) = failure.downcast_ref().and_then(of_bands) {
        return Some(message);
    }
    let sampling = match failure.downcast_ref() {
        Some(DemandedLevelError::Sampling(error)) => Some(error),
        _ => failure.downcast_ref(),
    };
    match sampling {
        Some(SamplingError::Width { max: 0, .. }) => {
            return Some(
                "the training levels have too many rows for any width; use levels with fewer rows"
                    .into(),
            );
        }
        Some(SamplingError::Width { width, max }) => {
            return Some(format!("{} {width}: write 1 to {max}", Flag("width")));
        }
        Some(SamplingError::LookAhead { depth, max }) => {
            return Some(format!("{} {depth}: write 0 to {max}", Flag("look-ahead")));
        }
        _ => {}
    }
    let Some(GdlError::TooLarge {
        place,
        relation,
        what,
        limit,
    }) = failure.downcast_ref()
    else {
        return None;
    };
    Some(format!(
        "{place}: grounding the rules gives more than {limit} {what}, the last of them from a rule of `{relation}`; bind its variables by \
         smaller relations, or allow more by --grounding"
    ))
}

/// Returns the message of a mistake in training levels that fewer bands of rows would avoid; `None` for other mistakes.
fn of_bands(mistake: &Mistake) -> Option<String> {
    let (problem, bands) = (&mistake.problem, Flag("row-splits"));
    match (mistake.setting, mistake.kind) {
        (Some("row_splits"), MistakeKind::TooLarge) => Some(format!(
            "{problem}; use fewer bands of rows ({bands} 1 for one), or cut the levels to fewer rows ({})",
            Flag("rows")
        )),
        (Some("row_splits"), _) => Some(format!(
            "{problem}; use fewer bands ({bands} 1 for one), or the Markov chain"
        )),
        _ => None,
    }
}

/// Returns a remedy for demands that no level meets, in terms of the commands' flags.
fn in_flags(remedy: Remedy) -> String {
    match remedy {
        Remedy::MoreParticles => format!("give more {}", Flag("particles")),
        Remedy::ExactLaw => format!(
            "use {} exact, or another model by {} (n-grams keep whole columns)",
            Flag("method"),
            Flag("trained")
        ),
        Remedy::ConditionTheModel => format!("use {} conditioned", Flag("method")),
        other => other.to_string(),
    }
}
