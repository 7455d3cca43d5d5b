//! Errors in the settings of level samplers.

use figrs_derive::ErrorDebug;

/// Reason why a level sampler cannot be created, or cannot draw a level.
#[derive(Clone, thiserror::Error, ErrorDebug)]
#[non_exhaustive]
pub enum SamplingError {
    /// The look-ahead is too deep.
    #[error("look-ahead {depth} is too deep; use at most {max}")]
    LookAhead {
        /// The look-ahead that was requested, in cells.
        depth: usize,
        /// Maximum look-ahead, in cells.
        max: usize,
    },
    /// A level of this width cannot be drawn.
    #[error("cannot generate a level {width} columns wide; {}", width_remedy(*max))]
    Width {
        /// The number of columns that was requested.
        width: usize,
        /// Maximum number of columns of a level with the height of the Markov chain.
        max: usize,
    },
    /// A network structure has a neighbour to the right, but the sampler draws columns one by one from the left.
    #[error(
        "offset ({dx}, {dy}) is a neighbour to the right; a sampler that draws column by column needs neighbours to the left or below"
    )]
    RightOffset {
        /// Number of columns by which the neighbour is to the right of the cell.
        dx: i32,
        /// Number of rows by which the neighbour is below the cell.
        dy: i32,
    },
}

fn width_remedy(max: usize) -> String {
    if max == 0 {
        "the training levels have too many rows for any width; give levels with fewer rows".into()
    } else {
        format!("use 1 to {max}")
    }
}
