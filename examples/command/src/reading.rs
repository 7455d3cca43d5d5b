//! Text files of a limited size.

use std::path::Path;

use figrs_models::reading::{MOST_BYTES, read_limited};

use crate::Failure;

/// The text of a file that is not longer than readers of figrs take.
///
/// **Errors.** They name the file and the mistake in it.
pub fn read_text(path: &Path) -> Result<String, Failure> {
    let bytes = read_limited(path, MOST_BYTES)
        .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let text = String::from_utf8(bytes);
    text.map_err(|_| format!("cannot read {}: it is not text in UTF-8", path.display()).into())
}
