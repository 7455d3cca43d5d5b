//! The text format of the Video Game Level Corpus: one level in each file, one row on each line.

use std::{fs, path::Path};

use crate::mdmc::{Level, LevelError, TileSet};
use figrs_reading::{FileError, LineIndex, MOST_BYTES, Mistake, MistakeKind, read_limited};

/// Reads a level from a text file.
///
/// **Errors.** [`LevelError`] if the file cannot be read, is longer than [`MOST_BYTES`], is not UTF-8, or is not a level according to
/// [`Level::from_text`].
pub fn read_level(path: impl AsRef<Path>, tiles: &TileSet) -> Result<Level, LevelError> {
    let path = path.as_ref();
    Level::from_text(&path.display().to_string(), &read_text(path)?, tiles)
}

/// Reads the text of a file; if the text is not UTF-8, the error states the position of the first invalid byte.
#[doc(hidden)]
pub fn read_text(path: &Path) -> Result<String, FileError> {
    let bytes =
        read_limited(path, MOST_BYTES).map_err(|cause| FileError::unreadable(path, &cause))?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let good = String::from_utf8_lossy(&error.as_bytes()[..valid]);
        let (line, column) = LineIndex::new(&good).at(good.len());
        let remedy = "save the level as UTF-8 text";
        let mistake = Mistake::new(MistakeKind::Encoding, "not UTF-8", remedy);
        let place = path.display().to_string();
        mistake.at(place, (line, column))
    })
}

/// Writes a level to a file, with the line end `\n` after each row.
///
/// **Errors.** [`LevelError`] if the file of the level cannot be written.
pub fn write_level(path: impl AsRef<Path>, level: &Level) -> Result<(), LevelError> {
    let path = path.as_ref();
    fs::write(path, format!("{level}\n"))
        .map_err(|cause| FileError::unwritable(path, &cause).into())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    struct ScratchDirectory(PathBuf);

    impl ScratchDirectory {
        fn new(test: &str) -> Self {
            let path =
                std::env::temp_dir().join(format!("figrs-vglc-{}-{test}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
            let path = self.0.join(name);
            fs::write(&path, bytes).unwrap();
            path
        }
    }

    impl Drop for ScratchDirectory {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_missing_file_is_an_error() {
        let scratch = ScratchDirectory::new("missing");
        let absent = scratch.0.join("absent");
        let error = read_level(&absent, TileSet::platformer()).unwrap_err();
        assert_eq!(error.kind(), MistakeKind::Unreadable);
        assert!(
            error.to_string().starts_with(&absent.display().to_string()),
            "{error}"
        );
    }

    #[test]
    fn a_file_that_cannot_be_written_is_an_error() {
        let scratch = ScratchDirectory::new("unwritable");
        let level = "X".parse().unwrap();
        let error = write_level(&scratch.0, &level).unwrap_err();
        assert_eq!(error.kind(), MistakeKind::Unwritable);
    }

    #[test]
    fn bytes_that_are_not_utf8_are_an_error_at_their_place() {
        let scratch = ScratchDirectory::new("latin1");
        let path = scratch.file("a.txt", b"---\n-\xe9-\n");
        let error = read_level(path, TileSet::platformer()).unwrap_err();
        assert!(error.to_string().contains(":2:2: not UTF-8"), "{error}");
    }
}
