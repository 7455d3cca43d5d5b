//! Classes of errors: exceeded budgets, and runs that were stopped.

use figrs_core::ModelError;

use super::Error;
use figrs_factor::eliminate::EliminationError;

impl Error {
    /// True if a budget does not allow more, which is no mistake.
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
}
