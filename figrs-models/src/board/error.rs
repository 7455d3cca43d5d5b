//! Errors of drawing boards.

use std::error::Error;
use std::sync::Arc;

use figrs_core::wording::Call;
use figrs_derive::ErrorDebug;

use super::Method;
use super::method::Predicted;
use crate::grid::{GridError, Position, Size};

/// Reason why no board could be drawn.
#[derive(Clone, thiserror::Error, ErrorDebug)]
#[non_exhaustive]
pub enum BoardError {
    /// No board follows the rules and meets all demands and clues.
    #[error("impossible: no board of {} rows and {} columns {}", .size.rows(), .size.columns(), together(.clues, *.is_minimal))]
    NoSolution {
        /// Size of the board.
        size: Size,
        /// Clues that contradict each other; empty if the rules and the other demands exclude all boards without clues.
        clues: Vec<Position>,
        /// `true` if leaving out any one of these clues makes a board possible; `false` if the search for clues was interrupted, or ran out of
        /// memory.
        is_minimal: bool,
    },
    /// A method needs more memory than the limit.
    #[error("{method} needs {} bytes, more than the memory limit of {limit}; allow more{}, or use a smaller board", bytes(*.predicted),
    Call("memory"))]
    TooLarge {
        /// The method that needs too much memory.
        method: Method,
        /// Predicted size of the states in bytes, if it exceeds the limit.
        predicted: Option<f64>,
        /// The limit in bytes.
        limit: u64,
        /// `true` if the method draws boards without the most costly demands, and still needs too much memory.
        is_relaxed: bool,
    },
    /// Many boards in a row were drawn, and none met the demands.
    #[error(
        "none of {tried} boards in a row met the demands, which are impossible or very rare; demand less"
    )]
    NoneMet {
        /// Number of boards that failed to meet the demands, one after another.
        tried: u64,
    },
    /// Markov chains did not find a board that follows all rules.
    #[error(
        "{sweeps} sweeps of Markov chains found no board that follows all rules (the nearest board violates them by {nearest}); such boards are \
        very rare, or perhaps impossible: demand less"
    )]
    NotFound {
        /// Number of sweeps of all chains.
        sweeps: u64,
        /// Smallest violation of the rules among the last boards of the chains.
        nearest: u32,
    },
    /// No probabilistic program can be built for these boards.
    #[error(
        "{what} cannot be expressed as a program of elements; draw such boards with a special sampler"
    )]
    NoElements {
        /// Description of the demand that no probabilistic program can state.
        what: &'static str,
    },
    /// The generator supports none of the allowed methods.
    #[error(
        "the generator supports none of the allowed methods; allow more methods{}",
        Call("among")
    )]
    NoMethod,
    /// The grid or another argument is invalid, or the grid is too large.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// Inference failed, or exceeded its budget.
    #[error(transparent)]
    Inference(#[from] figrs_infer::Error),
    /// The generator failed with an error of its own.
    #[error("{0}")]
    Generator(Arc<dyn Error + Send + Sync>),
}

impl BoardError {
    /// Wraps an error of a generator in a board error.
    pub fn of_generator(error: impl Error + Send + Sync + 'static) -> Self {
        Self::Generator(Arc::new(error))
    }

    /// True if the error states that no probabilistic program can be built for boards of this size or with these demands.
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
