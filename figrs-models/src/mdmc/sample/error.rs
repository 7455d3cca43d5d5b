//! Errors in the settings of level samplers.

use figrs_derive::ErrorDebug;

/// Reason why a level sampler cannot be created, or a level cannot be drawn.
#[derive(Clone, thiserror::Error, ErrorDebug)]
#[non_exhaustive]
pub enum SamplingError {
    /// The look-ahead is too deep.
    #[error("look-ahead {depth} is too deep; use at most {max}")]
    LookAhead {
        /// The given look-ahead, in cells.
        depth: usize,
        /// Maximum look-ahead, in cells.
        max: usize,
    },
    /// A level of this width cannot be drawn.
    #[error("cannot generate a level {width} columns wide; {}", width_remedy(*max))]
    Width {
        /// The given number of columns.
        width: usize,
        /// Maximum number of columns of a level with the height of the chain.
        max: usize,
    },
    /// A structure has an offset to the right, where no column exists yet if columns are drawn one by one.
    #[error(
        "offset ({dx}, {dy}) sees a column to the right; columns one by one need offsets to the left or below"
    )]
    RightOffset {
        /// Number of columns to the right of the cell.
        dx: i32,
        /// Number of rows down from the cell.
        dy: i32,
    },
}

/// Describes the possible widths, if there are any.
fn width_remedy(max: usize) -> String {
    if max == 0 {
        "the training levels are too tall for any width, give shorter ones".into()
    } else {
        format!("use 1 to {max}")
    }
}
