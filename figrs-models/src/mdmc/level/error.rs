//! Errors when levels are read and written, and errors of their shapes.

use figrs_derive::ErrorDebug;
use std::{io, path::PathBuf};

use crate::mdmc::{LegendError, MapError};

/// Reason why something is not a level, or why levels do not form a corpus.
///
/// Lines and columns count from 1; `place` is the path of a file, or the name of a level if there is no file.
#[derive(thiserror::Error, ErrorDebug)]
#[non_exhaustive]
pub enum LevelError {
    /// A file or directory cannot be read.
    #[error("cannot read {path}: {cause}; check the path and its permissions")]
    Read {
        /// Path of the file or directory.
        path: PathBuf,
        /// The operating system's reason.
        cause: io::Error,
    },
    /// A file cannot be written.
    #[error("cannot write {path}: {cause}; check the path and its permissions")]
    Write {
        /// Path of the file.
        path: PathBuf,
        /// The operating system's reason.
        cause: io::Error,
    },
    /// A file is not text in UTF-8.
    #[error("{place}:{line}:{column}: not UTF-8; save the level as UTF-8 text")]
    NotUtf8 {
        /// Path of the file.
        place: String,
        /// The line of the first invalid byte.
        line: usize,
        /// The column of the first invalid byte.
        column: usize,
    },
    /// A level has no rows or no columns.
    #[error("{place}: the level is empty; write one row of tiles a line")]
    EmptyLevel {
        /// The file, or the name of the level.
        place: String,
    },
    /// The first rows of a level are blank, and rows with tiles follow.
    #[error(
        "{place}:1:1: the first rows are blank, of which there are {rows}; fill them with the tile for air, or take them out"
    )]
    BlankRows {
        /// The file, or the name of the level.
        place: String,
        /// Number of blank rows.
        rows: usize,
    },
    /// A row is shorter or longer than the first row.
    #[error(
        "{place}:{line}:{column}: the row has {found} tiles and the first row {expected}; make all rows equally long"
    )]
    RaggedRow {
        /// The file, or the name of the level.
        place: String,
        /// The line of the row.
        line: usize,
        /// The column where the shorter of the two rows ends.
        column: usize,
        /// Number of tiles in the first row.
        expected: usize,
        /// Number of tiles in this row.
        found: usize,
    },
    /// A character is not a tile of the set.
    #[error("{place}:{line}:{column}: unknown tile {symbol:?}; use only the tiles {known}")]
    UnknownTile {
        /// The file, or the name of the level.
        place: String,
        /// The line of the character.
        line: usize,
        /// The column of the character.
        column: usize,
        /// The character.
        symbol: char,
        /// All characters of the set.
        known: String,
    },
    /// A level of a corpus has a tile that is not in the set of the corpus.
    #[error(
        "{place}: the tile {tile:?} is not of the set, which has {known}; use one set of tiles for all levels of a corpus"
    )]
    ForeignTile {
        /// The file, or the name of the level.
        place: String,
        /// The tile.
        tile: String,
        /// All characters of the set.
        known: String,
    },
    /// The weight of a level (the number of times that it counts) is out of range.
    #[error("{place}: a level cannot count {weight} times; use 1 to {max}")]
    Weight {
        /// Name of the level.
        place: String,
        /// The given weight.
        weight: u32,
        /// The largest weight.
        max: u32,
    },
    /// An array for a level contains the border tile.
    #[error(
        "row {row}, column {column}: a level cannot contain the border tile; use a tile of the alphabet"
    )]
    BorderInside {
        /// The row, from 0 at the top.
        row: usize,
        /// The column, from 0 at the left.
        column: usize,
    },
    /// A column has more or fewer tiles than the level has rows.
    #[error("the column has {height} tiles; give one for each of the {expected} rows")]
    ColumnHeight {
        /// Number of tiles in the column.
        height: usize,
        /// Number of rows of the level.
        expected: usize,
    },
    /// A directory or a list contains no levels.
    #[error(
        "{place}: no levels; a corpus needs at least one (in a directory, a file named *.txt, *.tmx, *.ldtk or *.csv)"
    )]
    NoLevels {
        /// The directory, or a description of the list.
        place: String,
    },
    /// No file of a folder is a level.
    #[error("{place}: none of its files is a level; the first is not because of this: {first}")]
    NoLevelsAmong {
        /// Path of the folder.
        place: String,
        /// The error of the first file.
        first: String,
    },
    /// No file matches the requested names.
    #[error(
        "{place}: no level file matches {patterns}; write names without .txt, `*` for any characters"
    )]
    NothingMatches {
        /// Path of the folder.
        place: String,
        /// The patterns.
        patterns: String,
    },
    /// A pattern of file names is invalid.
    #[error(
        "the pattern {pattern:?} is none at character {column}: {problem}; use `*`, `?` and `[..]`"
    )]
    Pattern {
        /// The pattern.
        pattern: String,
        /// The character, from 1.
        column: usize,
        /// The mistake in the pattern.
        problem: &'static str,
    },
    /// A file has one line while other levels have several.
    #[error("{place}: one line, where other levels have several")]
    SingleLine {
        /// Path of the file.
        place: String,
    },
    /// Levels have more distinct characters than a set can have tiles.
    #[error(
        "{count} different characters; there are at most {max} tiles, so train on fewer games at once"
    )]
    TooManyTiles {
        /// Number of distinct characters.
        count: usize,
        /// Maximum number of tiles.
        max: usize,
    },
    /// All levels together have too many cells.
    #[error("levels of {cells} cells; read fewer of them, or fewer rows: at most {max} cells fit")]
    TooManyCells {
        /// Number of cells of all levels after they have one height.
        cells: usize,
        /// Maximum number of cells.
        max: usize,
    },
    /// Legends of two folders disagree on a character that occurs in levels of both.
    #[error(
        "{symbol:?} is \"{}\" in {} and \"{}\" in {}; train on the folders one by one, write another character in the levels of one, or give one legend \
         for all",
        first.1, first.0, other.1, other.0
    )]
    LegendsDisagree {
        /// The character.
        symbol: char,
        /// The first legend, and its words for the character.
        first: (String, String),
        /// The other legend, and its words for the character.
        other: (String, String),
    },
    /// The map of an editor has no level that can be read.
    #[error("{place}: {cause}")]
    Map {
        /// Path of the map.
        place: String,
        /// The mistake in the map.
        cause: Box<MapError>,
    },
    /// A legend beside levels cannot be read.
    #[error("{path}: {cause}")]
    Legend {
        /// Path of the legend.
        path: PathBuf,
        /// The mistake in the legend.
        cause: Box<LegendError>,
    },
    /// A level's height differs from that of the first level of its corpus.
    #[error(
        "{place}: the level has {height} rows and the first level {expected}; a corpus needs one height"
    )]
    UnequalHeights {
        /// The file, or the name of the level.
        place: String,
        /// Number of rows of this level.
        height: usize,
        /// Number of rows of the first level.
        expected: usize,
    },
    /// Levels of different sizes cannot be compared cell by cell.
    #[error(
        "a level of {} rows and {} columns cannot be compared with one of {} rows and {} columns; use one size",
        size.0, size.1, expected.0, expected.1
    )]
    UnequalSizes {
        /// Rows and columns of this level.
        size: (usize, usize),
        /// Rows and columns of the first level.
        expected: (usize, usize),
    },
    /// Levels are to be cut along outside tiles, and no tile is outside.
    #[error(
        "no tile is outside; add the word \"outside\" to one of the tiles {known} in the legend"
    )]
    NoOutside {
        /// All characters of the set.
        known: String,
    },
    /// Levels have no room of the requested size, or only rooms of outside tiles.
    #[error(
        "{levels} levels have no room: none is as large as a room and has a tile that is not outside"
    )]
    NoRooms {
        /// Number of levels.
        levels: usize,
    },
    /// Levels have fewer rows than requested.
    #[error("levels of {height} rows cannot be cut to {rows}; use 1 to {height}")]
    Rows {
        /// The requested number of rows.
        rows: usize,
        /// Number of rows of the highest level.
        height: usize,
    },
}
