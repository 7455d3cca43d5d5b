//! Access to the texts of the repository, such as README, tutorials and how-tos.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the path of the root of the repository.
pub fn root() -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().unwrap_or(tests).to_owned()
}

/// A text in Markdown.
#[derive(Debug)]
pub struct Page {
    /// Path of the file from the root of the repository.
    pub path: PathBuf,
    /// Content of the file.
    pub text: String,
}

/// Returns all files below a directory of the repository in order, with their paths from the root.
///
/// # Panics
///
/// Panics if the directory cannot be read.
pub fn files(directory: &str) -> Vec<PathBuf> {
    let root = root();
    let mut open = vec![root.join(directory)];
    let mut files = Vec::new();
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).expect("the directory can be read") {
            let path = entry.expect("the directory can be read").path();
            if path.is_dir() {
                open.push(path);
            } else if let Ok(path) = path.strip_prefix(&root) {
                files.push(path.to_owned());
            }
        }
    }
    files.sort();
    files
}

/// Returns the pages at the root of the repository and below `docs/` and `benches/`.
///
/// # Panics
///
/// Panics if a page cannot be read.
pub fn pages() -> Vec<Page> {
    let root = root();
    let at_root = [
        "README.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "SECURITY.md",
    ]
    .map(PathBuf::from);
    let below = ["docs", "benches"].into_iter().flat_map(files);
    let is_page = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "md");
    let paths = at_root.into_iter().chain(below.filter(is_page));
    let page = |path: PathBuf| Page {
        text: fs::read_to_string(root.join(&path)).expect("the page can be read"),
        path,
    };
    paths.map(page).collect()
}

impl Page {
    /// Returns the lines of each code block in a language.
    pub fn blocks(&self, language: &str) -> Vec<Vec<&str>> {
        let mut blocks = Vec::new();
        let mut lines = self.text.lines();
        while let Some(line) = lines.next() {
            if let Some(opened) = line.strip_prefix("```") {
                let block = lines.by_ref().take_while(|line| *line != "```").collect();
                if opened == language {
                    blocks.push(block);
                }
            }
        }
        blocks
    }

    /// Returns the lines outside code blocks.
    pub fn prose(&self) -> Vec<&str> {
        let mut is_code = false;
        let mut prose = Vec::new();
        for line in self.text.lines() {
            if line.starts_with("```") {
                is_code = !is_code;
            } else if !is_code {
                prose.push(line);
            }
        }
        prose
    }

    /// Returns the texts between backticks in the prose.
    pub fn spans(&self) -> Vec<String> {
        let prose = self.prose().join("\n");
        let spans = prose.split('`').skip(1).step_by(2);
        spans.map(|span| span.replace('\n', " ")).collect()
    }
}
