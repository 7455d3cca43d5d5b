//! Errors of the settings of samplers of levels.

use figrs_derive::ErrorDebug;

/// Reason why a sampler of levels cannot be made, or a level cannot be drawn.
#[derive(Clone, thiserror::Error, ErrorDebug)]
#[non_exhaustive]
pub enum SamplingError {
    /// The look-ahead is too deep.
    #[error("look-ahead {depth} is too deep; use at most {max}")]
    LookAhead {
        /// Cells asked for.
        depth: usize,
        /// Cells allowed.
        max: usize,
    },
    /// A level of this width cannot be generated.
    #[error("cannot generate a level {width} columns wide; {}", width_remedy(*max))]
    Width {
        /// Columns asked for.
        width: usize,
        /// Columns allowed at the chain's height.
        max: usize,
    },
    /// A structure sees a column to the right, which does not exist yet when columns are drawn one by one.
    #[error(
        "offset ({dx}, {dy}) sees a column to the right; columns one by one need offsets to the left or below"
    )]
    RightOffset {
        /// Columns to the right.
        dx: i32,
        /// Rows down.
        dy: i32,
    },
}

/// The possible widths in words, if there are any.
fn width_remedy(max: usize) -> String {
    if max == 0 {
        "the training levels are too tall for any width, give shorter ones".into()
    } else {
        format!("use 1 to {max}")
    }
}
