//! Reading of files up to a limit on their size, and errors in files that state the place and the remedy.

#![warn(clippy::unwrap_used)]

mod file_error;
mod files;
mod line_index;
pub mod mistakes;

pub use file_error::{FileError, Mistake, MistakeKind};
pub use files::{MOST_BYTES, MOST_NETWORK_BYTES, read_limited, read_stream_limited};
pub use line_index::LineIndex;
