//! Classes of errors: exceeded budgets, runs that were stopped, models to which an algorithm does not apply.

use figrs_core::ModelError;

use super::Error;
use figrs_factor::eliminate::EliminationError;

impl Error {
    /// True if a budget is too small, which is not a mistake.
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

    /// True if work was ended by a deadline or an interrupt.
    #[doc(hidden)]
    pub fn is_stopped(&self) -> bool {
        matches!(
            self,
            Self::Elimination(EliminationError::Interrupted)
                | Self::Model(ModelError::Stopped { .. })
        )
    }

    /// True if an algorithm does not apply to a model or its targets, whatever its budget and its time.
    #[doc(hidden)]
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::EvidenceNotAllowed { .. }
                | Self::UnboundedWeight { .. }
                | Self::SharedScore { .. }
                | Self::NotADecision { .. }
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
