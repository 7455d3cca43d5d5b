//! Files of clues.

use std::path::Path;

use figrs::models::grid::{Clues, Symbol};

use crate::Failure;

/// Reads the clues of a file; what is wrong with them is told with its line and column.
pub(crate) fn read<C: Symbol>(path: &Path) -> Result<Clues<C>, Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let clues = text.parse();
    clues.map_err(|error| format!("{}:{error}", path.display()).into())
}
