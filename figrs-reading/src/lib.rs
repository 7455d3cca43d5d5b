//! Reading of files up to a limit on their size, and positions of mistakes in texts.

#![warn(clippy::unwrap_used)]

mod files;
mod line_index;
pub mod mistakes;

pub use files::{MOST_BYTES, MOST_NETWORK_BYTES, read_limited, read_stream_limited};
pub use line_index::LineIndex;
