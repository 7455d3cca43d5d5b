//! Parts of texts and JSON that several kinds of boards share.

use figrs_design::BoardDemands;
use figrs_models::grid::Position;
use serde_json::{Value as Json, json};

/// Returns a position as JSON: column and row, counted from 1.
pub fn place(at: Position) -> Json {
    json!([at.column + 1, at.row + 1])
}

/// Returns `text` with `*` at the given lines and columns; each mark replaces the character `free`, or any character if `free` is `None`.
pub fn marked(
    text: &str,
    marks: impl IntoIterator<Item = (usize, usize)>,
    free: Option<char>,
) -> String {
    let mut lines: Vec<Vec<char>> = text.lines().map(|line| line.chars().collect()).collect();
    for (line, column) in marks {
        let mark = &mut lines[line][column];
        if free.is_none_or(|free| *mark == free) {
            *mark = '*';
        }
    }
    let lines = lines.into_iter();
    lines
        .flat_map(|line| line.into_iter().chain(['\n']))
        .collect()
}

/// Returns the demands on boards in words: `demands`, and the demands of files if there are any.
pub fn all_demands(
    demands: impl IntoIterator<Item = Option<String>>,
    of_files: &BoardDemands,
) -> String {
    let of_files = (!of_files.is_empty()).then(|| "the demands of --demands".to_owned());
    let demands: Vec<String> = demands.into_iter().flatten().chain(of_files).collect();
    demands.join(", ")
}
