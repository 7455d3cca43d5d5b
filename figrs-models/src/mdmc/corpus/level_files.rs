//! Level files of a game: their texts, their names and the characters of their tiles.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use glob::Pattern;

use super::folders::{folders_within, level_paths, one_encoding};
use super::legends;
use super::maps::{MapReader, MapText, is_map};
use super::note::CorpusNote;
use crate::mdmc::level::error::no_levels;
use crate::mdmc::level::vglc;
use crate::mdmc::{Level, LevelError, TileSet};
use figrs_reading::{Mistake, MistakeKind};

pub(super) struct LevelFile {
    pub(super) path: PathBuf,
    pub(super) root: PathBuf,
    pub(super) text: String,
    pub(super) name: Option<String>,
    /// The tiles of a map of a level editor, and the path of the file that describes these tiles; `None` for a text file.
    pub(super) own: Option<(PathBuf, TileSet)>,
}

/// Reads the level files of a folder, or of its subfolders if the folder itself contains no level files.
pub(super) fn files_of(
    root: &Path,
    patterns: &[Pattern],
    maps: &mut MapReader<'_>,
    notes: &mut Vec<CorpusNote>,
) -> Result<Vec<LevelFile>, LevelError> {
    let mut first_error = None;
    let mut matched = false;
    let mut read =
        |folder: &Path, notes: &mut Vec<CorpusNote>| -> Result<Vec<LevelFile>, LevelError> {
            let mut files = Vec::new();
            for path in level_paths(folder)? {
                if !matches(&path, root, patterns) {
                    continue;
                }
                matched = true;
                match levels_of(&path, root, maps, notes) {
                    Ok(levels) => files.extend(levels),
                    Err(error) if root.is_file() => return Err(error),
                    Err(error) => {
                        first_error.get_or_insert_with(|| error.to_string());
                        notes.push(CorpusNote::Skipped(error));
                    }
                }
            }
            Ok(files)
        };
    let mut files = read(root, notes)?;
    // A single line of text beside folders of levels is not a level.
    if files.iter().all(is_single) && root.is_dir() {
        let (has_lines, mut found) = (!files.is_empty(), Vec::new());
        for (folder, others) in
            one_encoding(folders_within(root)?, |path| matches(path, root, patterns))?
        {
            let within = read(&folder, notes)?;
            if within.is_empty() || has_lines && within.iter().all(is_single) {
                continue;
            }
            files.extend(within);
            if !others.is_empty() {
                let read = folder.clone();
                notes.push(CorpusNote::OneOfSeveral { read, others });
            }
            found.push(folder);
        }
        if !found.is_empty() {
            let given = root.to_owned();
            notes.push(CorpusNote::Folders { given, found });
        }
    }
    if files.is_empty() {
        let place = root.display().to_string();
        let mistake = match first_error {
            Some(first) => Mistake::new(
                MistakeKind::Missing,
                format!("none of its files is a level; the problem of the first file: {first}"),
                "",
            ),
            None if !patterns.is_empty() && !matched => {
                let patterns: Vec<&str> = patterns.iter().map(Pattern::as_str).collect();
                Mistake::new(
                    MistakeKind::Missing,
                    format!("no level file matches {}", patterns.join(", ")),
                    "write names without .txt, `*` for any characters",
                )
            }
            None => return Err(no_levels(place)),
        };
        return Err(mistake.of(place).into());
    }
    Ok(files)
}

fn matches(path: &Path, root: &Path, patterns: &[Pattern]) -> bool {
    let below = path.strip_prefix(root).unwrap_or(path);
    let named = |pattern: &Pattern| {
        // A pattern may match the path relative to the given folder or to any of its subfolders, with or without the extension.
        let mut ends = std::iter::successors(Some(below), |path| {
            let mut parts = path.components();
            parts.next()?;
            Some(parts.as_path()).filter(|rest| !rest.as_os_str().is_empty())
        });
        ends.any(|end| pattern.matches_path(end) || pattern.matches_path(&end.with_extension("")))
    };
    patterns.is_empty() || patterns.iter().any(named)
}

fn levels_of(
    path: &Path,
    root: &Path,
    maps: &mut MapReader<'_>,
    notes: &mut Vec<CorpusNote>,
) -> Result<Vec<LevelFile>, LevelError> {
    let place = path.display().to_string();
    let file = |name, text: String, own| {
        check_text(&place, &text)?;
        Ok(LevelFile {
            path: path.to_owned(),
            root: root.to_owned(),
            text,
            name,
            own,
        })
    };
    if !is_map(path) {
        return Ok(vec![file(None, vglc::read_text(path)?, None)?]);
    }
    let levels = maps.levels(path, legends::folders_of(path, root), notes)?;
    let levels = levels.into_iter();
    levels
        .map(|level: MapText| file(level.name, level.text, Some(level.own)))
        .collect()
}

/// Checks that the text of a level is a rectangle of characters that can be tiles.
pub(super) fn check_text(place: &str, text: &str) -> Result<(), LevelError> {
    let in_use = text.chars().filter(|symbol| !symbol.is_control());
    let all = TileSet::unknown(in_use.collect::<BTreeSet<char>>());
    Level::from_text(place, text, &all).map(drop)
}

/// Returns the names of the levels: file names without extension, with the folders in front if the file names alone are not unique.
pub(super) fn names(files: &[LevelFile]) -> Vec<String> {
    let stem = |file: &LevelFile| {
        let stem = file.path.file_stem().unwrap_or_default();
        let name = file.name.clone();
        name.unwrap_or_else(|| stem.to_string_lossy().into_owned())
    };
    if let Some(given) = files.iter().map(|file| file.name.clone()).collect() {
        return given;
    }
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for file in files {
        *counts.entry(stem(file)).or_default() += 1;
    }
    let name = |file: &LevelFile| {
        let stem = stem(file);
        let folder = file.path.parent().filter(|_| counts[&stem] > 1);
        match folder {
            Some(folder) => format!("{}/{stem}", folder.display()),
            None => stem,
        }
    };
    files.iter().map(name).collect()
}

fn is_single(file: &LevelFile) -> bool {
    // Blanks at the end of the text may be tiles, and are therefore kept.
    file.text.trim_end_matches(['\r', '\n']).lines().count() < 2
}

pub(super) fn without_single_lines(
    files: Vec<LevelFile>,
    notes: &mut Vec<CorpusNote>,
) -> Vec<LevelFile> {
    if files.iter().all(is_single) {
        return files;
    }
    let (single, files): (Vec<_>, Vec<_>) = files.into_iter().partition(is_single);
    let skipped = |file: LevelFile| {
        let problem = "it has one line, but other levels have several";
        let mistake = Mistake::new(MistakeKind::Syntax, problem, "");
        CorpusNote::Skipped(mistake.of(file.path.display().to_string()).into())
    };
    notes.extend(single.into_iter().map(skipped));
    files
}

pub(super) fn symbols_of<'a>(files: impl IntoIterator<Item = &'a LevelFile>) -> BTreeSet<char> {
    let texts = files.into_iter();
    let symbols = texts.flat_map(|file| file.text.trim_start_matches('\u{feff}').chars());
    symbols.filter(|symbol| !symbol.is_control()).collect()
}
