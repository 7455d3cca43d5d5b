//! Files of clues.

use std::path::Path;

use figrs_command::{Failure, read_text};
use figrs_models::grid::{ClueError, Clues, Symbol};

/// Reads the clues of a file; errors name the line and column of the mistake.
///
/// **Errors.** Those of the file.
pub fn read<C: Symbol>(path: &Path) -> Result<Clues<C>, Failure> {
    let text = read_text(path)?;
    text.parse().map_err(|error: ClueError| {
        let has_place = matches!(error, ClueError::Symbol { .. } | ClueError::Ragged { .. });
        let space = if has_place { "" } else { " " };
        format!("{}:{space}{error}", path.display()).into()
    })
}
