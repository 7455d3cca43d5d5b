//! The folder whose files the server may read: its networks, and its folders of training levels.

use std::fs;
use std::path::{Component, Path, PathBuf};

use figrs_command::Failure;
use serde_json::{Value as Json, json};

use crate::problem::Problem;

/// File extensions of networks.
const NETWORKS: [&str; 8] = [
    "bif", "bifxml", "cnf", "dimacs", "net", "uai", "xdsl", "xml",
];
/// Maximum number of files in a list of the files of a folder.
const MOST_LISTED: usize = 10_000;
/// Maximum depth of nested folders in a list of files.
const DEPTH: usize = 4;

/// A folder, stored as its path without links.
#[derive(Debug)]
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// Opens a folder.
    ///
    /// **Errors.** The path does not lead to a folder, or the folder cannot be read.
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        let cannot = |error| format!("--folder {}: {error}", path.display());
        let whole = fs::canonicalize(path).map_err(cannot)?;
        fs::read_dir(&whole).map_err(cannot)?;
        Ok(Self(whole))
    }

    /// Returns the path of a file or folder inside the folder; `name` is relative, with `/` between folders.
    ///
    /// **Errors.** The name, or a link in the path, leads out of the folder, or the name does not exist.
    pub(crate) fn path(&self, name: &str) -> Result<PathBuf, Problem> {
        let missing = || {
            Problem::missing(format!(
                "{name:?} is not in the folder of --folder; give the path of a file relative to that folder"
            ))
        };
        let asked = Path::new(name);
        let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
        if name == "." {
            return Ok(self.0.clone());
        }
        if name.is_empty() || name.contains(['\\', '\0']) || !asked.components().all(is_plain) {
            return Err(missing());
        }
        let whole = fs::canonicalize(self.0.join(asked)).map_err(|_| missing())?;
        if whole.starts_with(&self.0) {
            Ok(whole)
        } else {
            Err(missing())
        }
    }

    /// Returns the path of a regular file inside the folder; other kinds of files, such as pipes, are refused, because reading them may never end.
    ///
    /// **Errors.** The errors of [`path`](Self::path), or the file is not a regular file.
    pub(crate) fn file(&self, name: &str) -> Result<PathBuf, Problem> {
        let path = self.path(name)?;
        if path.is_file() {
            Ok(path)
        } else {
            Err(Problem::missing(format!("{name:?} is not a file")))
        }
    }

    /// Lists the network files, and the folders that contain text files, by their relative names; the field `cut` is true if the list is incomplete.
    ///
    /// **Errors.** The folder can no longer be read.
    pub(crate) fn list(&self) -> Result<Json, Problem> {
        let (mut networks, mut corpora) = (Vec::new(), Vec::new());
        let mut open = vec![(self.0.clone(), 0)];
        let mut seen = 0;
        let mut is_cut = false;
        'all: while let Some((folder, depth)) = open.pop() {
            let entries = match fs::read_dir(&folder) {
                Ok(entries) => entries,
                Err(error) if depth == 0 => {
                    return Err(Problem::missing(format!("--folder: {error}")));
                }
                Err(_) => continue,
            };
            let mut has_text = false;
            for entry in entries.filter_map(Result::ok) {
                seen += 1;
                if seen > MOST_LISTED {
                    is_cut = true;
                    break 'all;
                }
                let (path, Ok(kind)) = (entry.path(), entry.file_type()) else {
                    continue;
                };
                let extension = path.extension().and_then(|extension| extension.to_str());
                if kind.is_dir() && depth < DEPTH {
                    open.push((path, depth + 1));
                } else if kind.is_file() {
                    let extension = extension.unwrap_or_default().to_ascii_lowercase();
                    has_text |= extension == "txt";
                    if NETWORKS.contains(&extension.as_str()) {
                        networks.extend(self.name(&path));
                    }
                }
            }
            if has_text {
                corpora.extend(self.name(&folder));
            }
        }
        networks.sort_unstable();
        corpora.sort_unstable();
        Ok(json!({"networks": networks, "corpora": corpora, "cut": is_cut}))
    }

    /// Returns the empty list of files, for a server that was started without a folder.
    pub(crate) fn none() -> Json {
        json!({"networks": [], "corpora": [], "cut": false})
    }

    /// Returns the relative name of a path inside the folder; `.` for the folder itself.
    fn name(&self, path: &Path) -> Option<String> {
        let name = path.strip_prefix(&self.0).ok()?.to_str()?.to_owned();
        let name = name.replace(std::path::MAIN_SEPARATOR, "/");
        Some(if name.is_empty() {
            ".".to_owned()
        } else {
            name
        })
    }
}
