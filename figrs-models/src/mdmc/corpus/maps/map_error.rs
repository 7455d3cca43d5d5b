//! Errors of map files.

use std::fmt::Write;

use figrs_derive::ErrorDebug;

/// Reason why the file of an editor has no level that can be read.
#[derive(thiserror::Error, ErrorDebug)]
#[non_exhaustive]
pub enum MapError {
    /// The file is not a map in XML.
    #[error("line {line}, column {column}: not a map of Tiled in XML: {reason}")]
    Xml {
        /// The line of the mistake, from 1.
        line: usize,
        /// The column of the mistake, from 1.
        column: usize,
        /// The mistake.
        reason: String,
    },
    /// The file is not a project in JSON.
    #[error(
        "line {}, column {}: not a project of LDtk: {}",
        .0.line(), .0.column(), figrs_reading::mistakes::in_json(.0)
    )]
    Json(#[from] serde_json::Error),
    /// The map has no fixed size.
    #[error(
        "the map is infinite; turn off `Infinite` in the properties of the map in Tiled, and save it"
    )]
    Infinite,
    /// The tiles of a layer are encoded in a form that is not read.
    #[error(
        "the layer {layer:?} is encoded as {encoding}; save the map with CSV layers, by `Tile Layer Format` in Tiled"
    )]
    Encoding {
        /// Name of the layer.
        layer: String,
        /// The encoding, with the compression if there is one.
        encoding: String,
    },
    /// There is no layer of tiles, or none with the requested name.
    #[error("no layer of tiles{}", layers(wanted.as_deref(), known))]
    NoLayer {
        /// The requested name.
        wanted: Option<String>,
        /// Names of the layers of tiles.
        known: Vec<String>,
    },
    /// A layer has more or fewer cells than its size states.
    #[error("the layer {layer:?} has {found} cells, and not those of {} rows and {} columns", size.0, size.1)]
    Cells {
        /// Name of the layer.
        layer: String,
        /// Number of cells.
        found: usize,
        /// Rows and columns of the layer.
        size: (usize, usize),
    },
    /// The text of a cell is not the number of a tile.
    #[error(
        "the layer {layer:?} has a cell {text:?}; write the number of a tile, 0 for an empty cell"
    )]
    Number {
        /// Name of the layer.
        layer: String,
        /// The text of the cell.
        text: String,
    },
    /// The file of a tileset cannot be read, and no legend numbers its tiles.
    #[error(
        "the tileset {path} cannot be read: {cause}; save it there, embed it in the map, or write a legend with the `picture` of each tile"
    )]
    Tileset {
        /// Path of the tileset.
        path: String,
        /// The reason.
        cause: String,
    },
    /// The levels of a project are in other files.
    #[error(
        "the levels are in files of their own; turn off `Save levels to separate files` in LDtk, and save the project"
    )]
    SeparateLevels,
    /// The tiles of a map have more distinct numbers than there can be tiles.
    #[error("more than {max} different tiles without a legend; there are at most {max} tiles")]
    TooManyTiles {
        /// Maximum number of tiles.
        max: usize,
    },
}

fn layers(wanted: Option<&str>, known: &[String]) -> String {
    let mut text = String::new();
    if let Some(wanted) = wanted {
        let _ = write!(
            text,
            " is called {wanted:?}; there are {}",
            known.join(", ")
        );
    }
    text
}
