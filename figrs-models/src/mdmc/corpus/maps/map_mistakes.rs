//! Errors in the map files of level editors (Tiled and LDtk). The errors do not contain the path of the map file; the code that reads the file adds
//! the path.

use std::path::Path;

use figrs_reading::{FileError, Mistake, MistakeKind, mistakes};

use crate::mdmc::TileSet;

fn mistake(kind: MistakeKind, problem: impl Into<String>, remedy: &str) -> FileError {
    Mistake::new(kind, problem, remedy).of("")
}

pub(super) fn not_xml(position: (usize, usize), reason: &str) -> FileError {
    let problem = format!("not a map of Tiled in XML: {reason}");
    Mistake::new(MistakeKind::Syntax, problem, "").at("", position)
}

pub(super) fn not_json(error: &serde_json::Error) -> FileError {
    let problem = format!("not a project of LDtk: {}", mistakes::in_json(error));
    Mistake::new(MistakeKind::Syntax, problem, "").at("", (error.line(), error.column()))
}

pub(super) fn infinite() -> FileError {
    mistake(
        MistakeKind::Unsupported,
        "the map is infinite",
        "turn off `Infinite` in the properties of the map in Tiled, and save it",
    )
}

/// Returns the error for a layer with an unsupported encoding of tiles; `encoding` names the encoding and the compression, if any.
pub(super) fn unread_encoding(layer: &str, encoding: &str) -> FileError {
    mistake(
        MistakeKind::Unsupported,
        format!("the layer {layer:?} is encoded as {encoding}"),
        "save the map with CSV layers, by `Tile Layer Format` in Tiled",
    )
}

pub(super) fn no_layer(wanted: Option<&str>, known: &[String]) -> FileError {
    let problem = match wanted {
        None => "no layer of tiles".to_owned(),
        Some(wanted) => format!(
            "no layer of tiles is called {wanted:?}; there are {}",
            known.join(", ")
        ),
    };
    mistake(MistakeKind::Missing, problem, "")
}

/// Returns the error for a layer whose number of cells does not agree with its stated size (rows and columns).
pub(super) fn wrong_cells(layer: &str, found: usize, size: (usize, usize)) -> FileError {
    let (rows, columns) = size;
    let problem = format!(
        "the layer {layer:?} has {found} cells, but it needs {rows} times {columns} of them"
    );
    mistake(MistakeKind::Count, problem, "")
}

pub(super) fn no_number(layer: &str, text: &str) -> FileError {
    mistake(
        MistakeKind::Value,
        format!("the layer {layer:?} has a cell {text:?}"),
        "write the number of a tile, 0 for an empty cell",
    )
}

pub(super) fn unread_tileset(path: &Path, error: FileError) -> FileError {
    let position = error
        .position
        .map(|(line, column)| format!(":{line}:{column}"));
    let position = position.unwrap_or_default();
    let cause = error.mistake.problem;
    mistake(
        MistakeKind::Unreadable,
        format!("the tileset {}{position}: {cause}", path.display()),
        "save it there, embed it in the map, or write a legend with the `picture` of each tile",
    )
}

pub(super) fn separate_levels() -> FileError {
    mistake(
        MistakeKind::Unsupported,
        "the levels are in files of their own",
        "turn off `Save levels to separate files` in LDtk, and save the project",
    )
}

pub(super) fn too_many_tiles() -> FileError {
    let max = TileSet::MAX_TILES;
    let problem = format!(
        "more than {max} different tiles without a legend: a set of tiles has at most {max} tiles"
    );
    mistake(MistakeKind::TooLarge, problem, "")
}
