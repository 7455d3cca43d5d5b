//! Clues from files and texts.

use std::ffi::OsString;
use std::path::PathBuf;

use figrs_command::{Failure, read_text};
use figrs_models::FileError;
use figrs_models::grid::{Clues, Symbol};

/// The source of clues: a path of a file, or a text.
#[derive(Clone, Debug)]
pub enum ClueSource {
    /// The clues are in the file at this path.
    File(PathBuf),
    /// The clues are this text.
    Text(String),
}

/// Takes the value of a flag as the path of the file of clues.
impl From<OsString> for ClueSource {
    fn from(path: OsString) -> Self {
        Self::File(path.into())
    }
}

/// Reads clues; errors name the line and column of the mistake.
///
/// **Errors.** The file cannot be read, or the clues have a mistake.
pub fn read<C: Symbol>(source: &ClueSource) -> Result<Clues<C>, Failure> {
    let (place, text) = match source {
        ClueSource::File(path) => (path.display().to_string(), read_text(path)?),
        ClueSource::Text(text) => ("clues".to_owned(), text.clone()),
    };
    text.parse()
        .map_err(|error: FileError| FileError { place, ..error }.into())
}
