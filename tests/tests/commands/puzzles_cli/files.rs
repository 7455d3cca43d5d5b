//! A directory of clues for the tests, and functions that run the examples in it.

use std::path::Path;
use std::process::Output;

use figrs_tests::example::{self, text};
use serde_json::Value as Json;
use tempfile::TempDir;

pub(crate) const PUZZLES: [&str; 5] = ["maze", "chromatic_maze", "dungeon", "island", "yin_yang"];

/// A directory with files of clues.
pub(crate) struct Files(TempDir);

impl Files {
    pub(crate) fn new() -> Self {
        let files = Self(tempfile::tempdir().unwrap());
        for (name, text) in [
            (
                "two.clues",
                "# two clues\n......\n.2....\n......\n......\n1.....\n......\n",
            ),
            (
                "one.clues",
                "......\n...2..\n..2.1.\n.1..11\n2.1.2.\n.2...2\n",
            ),
            ("square.clues", "11.\n11.\n..2\n"),
            ("altars.clues", "A??\n?A?\n???\n"),
            ("altar.clues", "A\n"),
            ("gem.clues", "W?\nG?\n"),
            ("sea.clues", "???\n?.?\n???\n"),
            ("shore.clues", "????\n?##?\n?##?\n????\n"),
            ("large.clues", &large()),
            ("wide.clues", &wide()),
        ] {
            std::fs::write(files.path(name), text).unwrap();
        }
        files
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    /// Runs an example; arguments with an extension are names of files in the directory.
    pub(crate) fn run(&self, puzzle: &str, arguments: &str) -> Output {
        let arguments = arguments.split_whitespace().map(|argument| {
            if Path::new(argument).extension().is_some() {
                self.path(argument)
            } else {
                argument.into()
            }
        });
        let arguments: Vec<String> = arguments.collect();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        example::run(puzzle, &arguments)
    }

    /// Returns the output of an example if it succeeds.
    pub(crate) fn text(&self, puzzle: &str, arguments: &str) -> String {
        let output = self.run(puzzle, arguments);
        let message = text(&output.stderr);
        assert!(output.status.success(), "{puzzle} {arguments}: {message}");
        text(&output.stdout)
    }

    pub(crate) fn json(&self, puzzle: &str, arguments: &str) -> Json {
        let text = self.text(puzzle, &format!("{arguments} --format json"));
        serde_json::from_str(&text).unwrap()
    }
}

pub(crate) fn keys(object: &Json) -> Vec<&str> {
    let object = object.as_object().unwrap();
    object.keys().map(String::as_str).collect()
}

#[track_caller]
pub(crate) fn assert_near(found: &Json, expected: f64) {
    let found = found.as_f64().unwrap();
    let scale = expected.abs().max(1e-3);
    assert!(
        (found - expected).abs() < 1e-9 * scale,
        "{found} for {expected}"
    );
}

/// Returns clues for a dungeon that is too large for an element program: a wall of three cells, and the gem.
fn large() -> String {
    with(17, &[(3, 5, 'W'), (3, 6, 'W'), (3, 7, 'W'), (12, 9, 'G')])
}

/// Returns clues for an island that is too large for an element program: two cells of land, and one of water.
fn wide() -> String {
    with(20, &[(9, 10, '#'), (11, 10, '#'), (4, 3, '.')])
}

/// Returns a square of cells, some of which have a clue.
fn with(side: usize, clues: &[(usize, usize, char)]) -> String {
    let mut cells = vec![vec!['?'; side]; side];
    for &(row, column, symbol) in clues {
        cells[row][column] = symbol;
    }
    let rows = cells.into_iter();
    rows.map(|row| row.into_iter().collect::<String>() + "\n")
        .collect()
}
