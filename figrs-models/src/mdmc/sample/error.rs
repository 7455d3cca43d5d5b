//! Errors in the settings of level samplers.

use figrs_derive::ErrorDebug;

/// Reason why a level sampler cannot be created, or cannot draw a level.
#[derive(Clone, thiserror::Error, ErrorDebug)]
#[non_exhaustive]
pub enum SamplingError {
    /// The requested look-ahead has too many cells.
    #[error("look-ahead {depth} is too deep; use at most {max}")]
    LookAhead {
        /// The requested look-ahead: the number of cells that the sampler looks ahead.
        depth: usize,
        /// Maximum number of cells that the sampler can look ahead.
        max: usize,
    },
    /// A level of the requested width cannot be drawn.
    #[error("cannot generate a level {width} columns wide; {}", width_remedy(*max))]
    Width {
        /// The requested number of columns.
        width: usize,
        /// Maximum number of columns of a level with the height of the Markov chain.
        max: usize,
    },
    /// A network structure has a neighbour to the right of the cell, but the sampler draws columns one by one from the left.
    #[error(
        "offset ({dx}, {dy}) is a neighbour to the right; a sampler that draws column by column needs neighbours to the left or below"
    )]
    RightOffset {
        /// Number of columns from the cell to its neighbour on the right.
        dx: i32,
        /// Number of rows from the cell down to its neighbour.
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
