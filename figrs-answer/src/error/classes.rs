//! Classes of errors: exceeded limits, stopped runs, and models to which an algorithm cannot be applied.

use figrs_core::ModelError;

use super::Error;
use figrs_factor::eliminate::EliminationError;

impl Error {
    /// True if a limit was exceeded. The model then need not have a mistake.
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
