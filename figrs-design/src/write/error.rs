//! Errors when a level is written.

use figrs_derive::ErrorDebug;
use std::io;

/// Reason why a level could not be written in a format.
#[derive(thiserror::Error, ErrorDebug)]
#[non_exhaustive]
pub enum OutputError {
    /// Writing to the output failed.
    #[error("cannot write the level: {0}; check the disk and its permissions")]
    Io(#[from] io::Error),
    /// The picture has more pixels than the format allows, or than fit into the memory of a small machine.
    #[error("a picture of {width} by {height} tiles is too large; use at most {max} tiles")]
    TooLarge {
        /// Number of columns of the level.
        width: usize,
        /// Number of rows of the level.
        height: usize,
        /// Maximum number of tiles of a picture.
        max: usize,
    },
    /// The name of a note does not fit a text chunk of a PNG file.
    #[error(
        "the note {name:?} does not fit a PNG file; use 1 to 79 Latin-1 characters for its name"
    )]
    Note {
        /// The name of the note.
        name: String,
    },
    /// A note contains a character that XML cannot hold.
    #[error("the note {name:?} contains a control character, which TMX cannot hold; take it out")]
    Control {
        /// The name of the note.
        name: String,
    },
}
