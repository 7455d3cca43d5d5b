//! Construction of errors, and their classes: exceeded limits, stopped runs, and models to which an algorithm cannot be applied.

use figrs_core::internals::{contained, unprinted};
use figrs_core::wording::Call;
use figrs_core::{AnyElement, DescribedStatement, Fault, Label, ModelError, PartError};

use super::Error;
use figrs_factor::eliminate::EliminationError;

/// Joins statements into one text. If there are many statements, the text contains the first statements and the number of the other statements.
pub(super) fn first_of(statements: &[DescribedStatement]) -> String {
    const MAX_LISTED: usize = 10;
    let printed = statements.iter().take(MAX_LISTED).map(ToString::to_string);
    let printed = printed.collect::<Vec<_>>().join("; ");
    match statements.len().saturating_sub(MAX_LISTED) {
        0 => printed,
        others => format!("{printed}; and {others} more"),
    }
}

/// Returns the text of an error in a step of a filter; if an element has no closed form, the text recommends another filter or a discretisation.
pub(super) fn in_filter(error: &Error) -> String {
    match error {
        Error::NotClosedForm { element, problem } => {
            format!("{element} has no closed form: {problem}; use ParticleFilter, or discretise it")
        }
        other => other.to_string(),
    }
}

/// Describes the worlds that were enumerated up to a limit: the limit of worlds, or the limit `evaluations` of evaluations of elements.
pub(super) fn enumerated(worlds: u64, evaluations: Option<u64>) -> String {
    match evaluations {
        None => format!("the model has more worlds than the limit of {worlds}"),
        Some(limit) => format!(
            "the first {worlds} worlds took {limit} evaluations of elements, which is the limit"
        ),
    }
}

/// Describes an element that a decision must not influence: evidence, or an element that is known when the decision `known_to` is made.
pub(super) fn known(known_to: Option<&Label>) -> String {
    match known_to {
        None => format!(
            "evidence, but evidence must not depend on a decision; let a later decision know the element instead, or set the decision in the model{}",
            Call("Model::intervene")
        ),
        Some(known_to) => format!(
            "known when {known_to} is decided; list decisions in the order in which they are made, and let no decision know an element that it \
             influences"
        ),
    }
}

/// Returns the text of the error that the likelihood of `parameter` has no single maximum.
pub(super) fn not_maximised(parameter: &Label, undetermined_cases: Option<f64>) -> String {
    match undetermined_cases {
        None => format!(
            "the likelihood of {parameter} has no maximum: it grows as the parameter approaches zero or infinity; learn with `map_estimate` and a \
             prior that excludes these limits"
        ),
        Some(rows) => format!(
            "{rows} cases do not determine {parameter}: a term that it multiplies is a linear function of other terms, or there are fewer cases \
             than coefficients; leave the coefficient out, give more cases, or learn with `map_estimate`"
        ),
    }
}

impl From<PartError> for Error {
    fn from(error: PartError) -> Self {
        Self::Part(Box::new(error))
    }
}

impl Error {
    /// Returns the error for the invalid value `value` of a setting.
    #[doc(hidden)]
    pub fn invalid_setting(
        algorithm: &'static str,
        setting: &'static str,
        value: impl ToString,
        remedy: &'static str,
    ) -> Self {
        Self::InvalidSetting {
            algorithm,
            setting,
            value: value.to_string(),
            remedy,
        }
    }

    /// Returns the error for a saved filter that cannot be used for the reason `reason`.
    #[doc(hidden)]
    pub fn unfit_filter(reason: &'static str) -> Self {
        Self::Saved {
            what: "filter",
            reason,
            remedy: "load it in the same program with the elements of the first state, or begin a new filter",
        }
    }

    /// Returns the error for a real element that has no closed form.
    #[doc(hidden)]
    pub fn not_closed_form(element: &AnyElement, problem: impl Into<String>) -> Self {
        Self::NotClosedForm {
            element: element.label(),
            problem: problem.into(),
        }
    }

    /// Returns the error for an element that was not a target of the run.
    #[doc(hidden)]
    pub fn not_a_target(element: Label) -> Self {
        Self::UnknownElement {
            element,
            problem: "was not a target of this run",
            remedy: "add it to the targets".into(),
        }
    }

    /// Returns the error for an element that is not part of a world.
    #[doc(hidden)]
    pub fn not_in_world(element: Label) -> Self {
        Self::UnknownElement {
            element,
            problem: "is not part of this world, because no branch taken in it reaches the element",
            remedy: "add it to the targets".into(),
        }
    }

    /// Returns the error for an element that is not a parameter that was learned.
    #[doc(hidden)]
    pub fn not_learned(element: Label) -> Self {
        Self::UnknownElement {
            element,
            problem: "was not learned",
            remedy: "ask for a `Learned` parameter that some element of the cases depends on"
                .into(),
        }
    }

    /// Returns the error for an element that is not one of the requested decisions.
    #[doc(hidden)]
    pub fn not_a_decision(element: Label) -> Self {
        Self::UnknownElement {
            element,
            problem: "is not one of the requested decisions",
            remedy: "add a `Decision` to the list of decisions".into(),
        }
    }

    /// Returns the error for an element that was not declared as varying when `algorithm` compiled the model.
    #[doc(hidden)]
    pub fn not_varying(element: Label, algorithm: &str) -> Self {
        Self::UnknownElement {
            element,
            problem: "was not declared as varying when the model was compiled",
            remedy: format!("declare it with `{algorithm}::varying`"),
        }
    }

    /// Returns the error for a unit of work that came from another process and does not belong to the run.
    #[doc(hidden)]
    pub fn unfit_part(unit: u64, problem: impl Into<String>) -> Self {
        let problem = problem.into();
        Self::UnfitPart { unit, problem }
    }

    /// True if the error states that a limit was exceeded. An exceeded limit does not imply that the model has a mistake.
    #[doc(hidden)]
    pub fn is_budget(&self) -> bool {
        match self {
            Self::Model(error) => matches!(
                error,
                ModelError::TooManyElements { .. }
                    | ModelError::TooMuchMemory { .. }
                    | ModelError::TableTooLarge { .. }
            ),
            Self::Elimination(error) => error.is_budget(),
            Self::FrontierTooLarge { .. }
            | Self::FrontierTooWide { .. }
            | Self::NothingFits { .. } => true,
            _ => false,
        }
    }

    /// True if the error states that a deadline or an interrupt ended the work.
    #[doc(hidden)]
    pub fn is_stopped(&self) -> bool {
        matches!(
            self,
            Self::Elimination(EliminationError::Interrupted)
                | Self::Model(ModelError::Stopped { .. })
        )
    }

    /// True if an algorithm cannot be applied to a model or its targets, whatever the limits of the algorithm are.
    #[doc(hidden)]
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::EvidenceNotAllowed { .. }
                | Self::UnboundedWeight { .. }
                | Self::SharedScore { .. }
                | Self::NotClosedForm { .. }
                | Self::Model(
                    ModelError::NotFinite { .. }
                        | ModelError::Undecided { .. }
                        | ModelError::MixedObservation { .. }
                        | ModelError::SharedObservation { .. }
                        | ModelError::Unbounded { .. }
                )
        )
    }
}

/// Runs `infer`, and converts a panic to an error.
///
/// A panic of a model's function or distribution is caught at each call, and is converted to an error that names the element. The code of value types
/// (`Clone`, `Eq`, `Hash`, `Debug`, `Drop`) is called in many places and for each value; catching panics at each of these calls would be slow. A
/// single guard that catches panics of the whole run costs almost nothing.
pub fn guarded<R>(infer: impl FnOnce() -> Result<R, Error>) -> Result<R, Error> {
    match contained(|| unprinted(infer)) {
        Ok(outcome) => outcome,
        Err(Fault::Panicked(message)) => Err(Error::Panicked { message }),
        Err(fault) => Err(Error::Panicked {
            message: fault.to_string(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use figrs_core::Flip;

    use super::*;

    #[test]
    fn of_many_statements_the_first_are_told() {
        let coin = Flip::new(0.5).erased().label();
        let conflict = |n: usize| {
            let statement = |i| DescribedStatement {
                element: coin.clone(),
                text: format!("s{i}"),
            };
            let error = Error::ImpossibleEvidence {
                conflict: (0..n).map(statement).collect(),
                is_minimal: true,
            };
            error.to_string().replace(&format!("{coin} "), "")
        };
        let ten = "these statements exclude each other: s0; s1; s2; s3; s4; s5; s6; s7; s8; s9";
        assert_eq!(
            conflict(10),
            format!("the evidence is impossible; {ten}; remove one of them")
        );
        assert_eq!(
            conflict(12),
            format!("the evidence is impossible; {ten}; and 2 more; remove one of them")
        );
    }
}
