//! Construction of errors, and their classes: exceeded limits, stopped runs, and models to which an algorithm cannot be applied.

use figrs_core::{AnyElement, DescribedStatement, ModelError, PartError};

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

    /// Returns the error for a unit of work that came from another process and does not fit the run.
    #[doc(hidden)]
    pub fn unfit_part(unit: u64, problem: impl Into<String>) -> Self {
        let problem = problem.into();
        Self::UnfitPart { unit, problem }
    }

    /// True if a limit was exceeded. Such an error does not imply that the model has a mistake.
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

    /// True if an algorithm cannot be applied to a model or its targets, whatever its limits are.
    #[doc(hidden)]
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::EvidenceNotAllowed { .. }
                | Self::UnboundedWeight { .. }
                | Self::SharedScore { .. }
                | Self::NotADecision { .. }
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
