//! Finds level files in a folder and its subfolders.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::maps::is_map_of_folder;
use crate::mdmc::LevelError;
use figrs_reading::FileError;

const MOST_DEPTH: usize = 8;
const MOST_FILES: usize = 100_000;

/// Returns the text files (`*.txt`) and map files of a folder, sorted by name; if `path` is a file, returns only the path of this file.
pub(super) fn level_paths(path: &Path) -> Result<Vec<PathBuf>, LevelError> {
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let is_level = |path: &PathBuf| {
        let is_text = path
            .extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case("txt"));
        path.is_file() && (is_text || is_map_of_folder(path))
    };
    Ok(entries(path)?.into_iter().filter(is_level).collect())
}

/// Returns the subfolders that contain level files, sorted by path. Hidden folders and symbolic links to folders are left out.
pub(super) fn folders_within(folder: &Path) -> Result<Vec<PathBuf>, LevelError> {
    let (mut found, mut open, mut files) = (Vec::new(), vec![(folder.to_owned(), 0)], 0);
    while let Some((folder, depth)) = open.pop() {
        for path in entries(&folder)? {
            files += 1;
            let hidden = path
                .file_name()
                .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
            if hidden || path.is_symlink() || !path.is_dir() {
                continue;
            }
            if !level_paths(&path)?.is_empty() {
                found.push(path.clone());
            }
            if depth + 1 < MOST_DEPTH && files < MOST_FILES {
                open.push((path, depth + 1));
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Returns the folders of levels to read, each with the other folders that are left out in its favour. A folder called `Processed` replaces adjacent
/// folders whose files have the same names, because its files contain the same levels in another encoding.
pub(super) fn one_encoding(
    mut folders: Vec<PathBuf>,
    is_wanted: impl Fn(&Path) -> bool,
) -> Result<Vec<(PathBuf, Vec<PathBuf>)>, LevelError> {
    folders.sort_by_key(|folder| !folder.ends_with("Processed"));
    let mut read: Vec<(PathBuf, Vec<PathBuf>, BTreeSet<OsString>)> = Vec::new();
    for folder in folders {
        let names: BTreeSet<OsString> = level_paths(&folder)?
            .iter()
            .filter(|path| is_wanted(path))
            .filter_map(|path| path.file_name().map(ToOwned::to_owned))
            .collect();
        if names.is_empty() {
            continue;
        }
        let same = read.iter_mut().find(|(kept, _, known)| {
            let is_beside = (kept.parent()).is_some_and(|above| folder.starts_with(above));
            kept.ends_with("Processed") && is_beside && !known.is_disjoint(&names)
        });
        match same {
            Some((_, others, _)) => others.push(folder),
            None => read.push((folder, Vec::new(), names)),
        }
    }
    Ok(read
        .into_iter()
        .map(|(folder, others, _)| (folder, others))
        .collect())
}

pub(super) fn entries(folder: &Path) -> Result<Vec<PathBuf>, LevelError> {
    let unreadable = |cause| FileError::unreadable(folder, &cause);
    let entries = fs::read_dir(folder).map_err(unreadable)?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut paths = paths.collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
    paths.sort();
    Ok(paths)
}
