//! Reads legends, which are files beside level files that give the meanings of tiles.

use std::path::{Path, PathBuf};

use super::folders::entries;
use super::note::CorpusNote;
use crate::mdmc::level::vglc;
use crate::mdmc::{LevelError, TileSet};
use figrs_reading::MistakeKind;

/// Reads a legend (a file with the meanings of tiles): TOML by [`TileSet::from_toml`] if the name ends with `.toml`, otherwise JSON by
/// [`TileSet::from_json`].
///
/// **Errors.** [`LevelError::File`] if the file cannot be read or is not a legend (a text with the meanings of tiles).
pub fn read_legend(path: impl AsRef<Path>) -> Result<TileSet, LevelError> {
    let path = path.as_ref();
    let text = vglc::read_text(path)?;
    let is_toml = path
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("toml"));
    let read = if is_toml {
        TileSet::from_toml(&text)
    } else {
        TileSet::from_json(&text)
    };
    read.map_err(|mistake| mistake.of(path.display().to_string()).into())
}

/// Finds the legend for some levels: the file in `folders` that gives meanings to most of the levels' tiles, or the first of several equally good
/// files. The function `known` returns the number of the levels' tiles that a file describes. Returns `None` if no file in the folders describes at
/// least half of the `count` tiles of the levels.
pub(super) fn find(
    folders: impl Iterator<Item = PathBuf>,
    count: usize,
    known: impl Fn(&TileSet) -> usize,
    notes: &mut Vec<CorpusNote>,
) -> Option<(PathBuf, TileSet)> {
    let mut best: Option<(usize, PathBuf, TileSet)> = None;
    for folder in folders {
        // The empty path stands for the current folder.
        let here = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            &folder
        };
        for path in entries(here).unwrap_or_default() {
            let is_legend = path.extension().is_some_and(|extension| {
                extension.eq_ignore_ascii_case("json") || extension.eq_ignore_ascii_case("toml")
            });
            if !is_legend {
                continue;
            }
            let set = match read_legend(&path) {
                Ok(set) => set,
                Err(error) => {
                    if is_meant_as_legend(&error) || mentions_tiles(&path) {
                        notes.push(CorpusNote::FlawedLegend(error));
                    }
                    continue;
                }
            };
            let known = known(&set);
            if known * 2 >= count && best.as_ref().is_none_or(|&(most, _, _)| known > most) {
                best = Some((known, path, set));
            }
        }
    }
    best.map(|(_, path, set)| (path, set))
}

/// Returns the folders that are searched for the legend (the meanings of tiles) of the level file `path`: from the file's own folder up to `root`,
/// and the parent folder of `root`.
pub(super) fn folders_of(path: &Path, root: &Path) -> impl Iterator<Item = PathBuf> {
    let own = path.parent().unwrap_or(Path::new("")).ancestors();
    let within = own.take_while(move |above| above.starts_with(root));
    within.map(Path::to_owned).chain([folder_above(root)])
}

pub(super) fn folder_above(path: &Path) -> PathBuf {
    match (path.file_name(), path.parent()) {
        (Some(_), Some(parent)) => parent.to_owned(),
        _ => path.join(".."),
    }
}

fn mentions_tiles(path: &Path) -> bool {
    let text = vglc::read_text(path).unwrap_or_default();
    text.contains("\"tiles\"") || text.contains("[tiles]")
}

/// True if `error` shows that a file has a list of tiles, and was therefore meant to be a legend (a file with the meanings of tiles).
fn is_meant_as_legend(error: &LevelError) -> bool {
    matches!(error.kind(), MistakeKind::Unknown | MistakeKind::Count)
}
