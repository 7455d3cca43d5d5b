//! Errors in the drawing of random boards.

use std::error::Error;
use std::sync::Arc;

use figrs_core::wording::Call;
use figrs_derive::ErrorDebug;

use super::Method;
use super::method::Predicted;
use crate::grid::{GridError, Position, Size};

/// Reason why no random board could be drawn.
#[derive(Clone, thiserror::Error, ErrorDebug)]
#[non_exhaustive]
pub enum BoardError {
    /// No board follows the rules, meets all demands of the user and agrees with all clues.
    #[error("impossible: no board of {} rows and {} columns {}", .size.rows(), .size.columns(), together(.clues, *.is_minimal))]
    NoSolution {
        /// Size of the board.
        size: Size,
        /// Clues that contradict each other; empty if the rules and the user's demands exclude all boards even without clues.
        clues: Vec<Position>,
        /// `true` if leaving out any one of the named clues makes a board possible; `false` if the search for clues was interrupted, or ran out of
        /// memory.
        is_minimal: bool,
    },
    /// A method of drawing boards needs more memory than the limit allows.
    #[error("{method} needs {} bytes, more than the memory limit of {limit}; allow more{}, or use a smaller board", bytes(*.predicted),
    Call("memory"))]
    TooLarge {
        /// The method of drawing boards that needs too much memory.
        method: Method,
        /// Predicted size in bytes of the states of the exact method, if it exceeds the limit.
        predicted: Option<f64>,
        /// The limit in bytes.
        limit: u64,
        /// `true` if the method draws boards without the costliest demands, and still needs too much memory.
        is_relaxed: bool,
    },
    /// Many boards in a row were drawn, and none met the demands of the user.
    #[error(
        "none of {tried} boards in a row met the demands, which are impossible or very rare; demand less"
    )]
    NoneMet {
        /// Number of successive boards that did not meet the demands.
        tried: u64,
    },
    /// Markov chains of boards did not find a board that follows all rules.
    #[error(
        "{sweeps} sweeps of Markov chains found no board that follows all rules (the nearest board violates them by {nearest}); such boards are \
        very rare, or perhaps impossible: demand less"
    )]
    NotFound {
        /// Number of sweeps that all Markov chains made together.
        sweeps: u64,
        /// Smallest violation of the rules among the last boards of the Markov chains.
        nearest: u32,
    },
    /// No probabilistic program can be built for the boards of the generator.
    #[error(
        "{what} cannot be expressed as a program of elements; draw such boards with a special sampler"
    )]
    NoElements {
        /// Description of the demand that cannot be stated in a probabilistic program.
        what: &'static str,
    },
    /// The board generator supports none of the allowed methods.
    #[error(
        "the generator supports none of the allowed methods; allow more methods{}",
        Call("among")
    )]
    NoMethod,
    /// The size of the grid or another argument is invalid, or the grid is too large.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// Inference failed, or exceeded its budget.
    #[error(transparent)]
    Inference(#[from] figrs_infer::Error),
    /// The board generator failed with an error of its own.
    #[error("{0}")]
    Generator(Arc<dyn Error + Send + Sync>),
}

impl BoardError {
    /// Wraps an error of a board generator in a `BoardError`.
    pub fn of_generator(error: impl Error + Send + Sync + 'static) -> Self {
        Self::Generator(Arc::new(error))
    }

    /// True if the error states that no probabilistic program can be built for boards of the wanted size or with the wanted demands.
    pub(super) fn is_without_elements(&self) -> bool {
        matches!(
            self,
            Self::NoElements { .. } | Self::Grid(GridError::TooLarge(_))
        )
    }
}

fn bytes(predicted: Option<f64>) -> String {
    predicted.map_or_else(|| "more".into(), |bytes| Predicted(bytes).to_string())
}

fn together(clues: &[Position], is_minimal: bool) -> String {
    if clues.is_empty() {
        return "follows the rules and meets the demands; use a larger grid, or demand less".into();
    }
    let clues: Vec<String> = clues.iter().map(Position::to_string).collect();
    let among = if is_minimal { "" } else { "some of " };
    format!(
        "meets {among}the clues at {}; remove one of them",
        clues.join("; ")
    )
}
