//! Errors of reading and writing levels, and of their shapes.

use figrs_derive::ErrorDebug;
use std::{io, path::PathBuf};

use crate::mdmc::LegendError;

/// Reason why something is no level, or why levels form no corpus.
///
/// Lines and columns count from 1; `place` is a file's path, or a level's name if there is no file.
#[derive(thiserror::Error, ErrorDebug)]
#[non_exhaustive]
pub enum LevelError {
    /// A file or directory cannot be read.
    #[error("cannot read {path}: {cause}; check the path and its permissions")]
    Read {
        /// The path asked for.
        path: PathBuf,
        /// The operating system's reason.
        cause: io::Error,
    },
    /// A file cannot be written.
    #[error("cannot write {path}: {cause}; check the path and its permissions")]
    Write {
        /// The path asked for.
        path: PathBuf,
        /// The operating system's reason.
        cause: io::Error,
    },
    /// A file is not text in UTF-8.
    #[error("{place}:{line}:{column}: not UTF-8; save the level as UTF-8 text")]
    NotUtf8 {
        /// The file.
        place: String,
        /// The line of the first bad byte.
        line: usize,
        /// The column of the first bad byte.
        column: usize,
    },
    /// A level has no rows or no columns.
    #[error("{place}: the level is empty; write one row of tiles a line")]
    EmptyLevel {
        /// The file or the level's name.
        place: String,
    },
    /// The first rows of a level are blank, and rows with tiles follow.
    #[error(
        "{place}:1:1: the first rows are blank, of which there are {rows}; fill them with the tile for air, or take them out"
    )]
    BlankRows {
        /// The file or the level's name.
        place: String,
        /// The number of rows.
        rows: usize,
    },
    /// A row is shorter or longer than the first row.
    #[error(
        "{place}:{line}:{column}: the row has {found} tiles and the first row {expected}; make all rows equally long"
    )]
    RaggedRow {
        /// The file or the level's name.
        place: String,
        /// The line of the row.
        line: usize,
        /// The column where the shorter of the two rows ends.
        column: usize,
        /// Tiles in the first row.
        expected: usize,
        /// Tiles in this row.
        found: usize,
    },
    /// A character is no tile of the set.
    #[error("{place}:{line}:{column}: unknown tile {symbol:?}; use only the tiles {known}")]
    UnknownTile {
        /// The file or the level's name.
        place: String,
        /// The line of the character.
        line: usize,
        /// The column of the character.
        column: usize,
        /// The character.
        symbol: char,
        /// The characters of the set.
        known: String,
    },
    /// A level of a corpus has a tile outside the set of the corpus.
    #[error(
        "{place}: the tile {tile:?} is not of the set, which has {known}; use one set of tiles for all levels of a corpus"
    )]
    ForeignTile {
        /// The file or the level's name.
        place: String,
        /// The tile.
        tile: String,
        /// The characters of the set.
        known: String,
    },
    /// A level cannot count this many times.
    #[error("{place}: a level cannot count {weight} times; use 1 to {max}")]
    Weight {
        /// The level's name.
        place: String,
        /// The weight asked for.
        weight: u32,
        /// The largest weight.
        max: u32,
    },
    /// An array that should become a level contains the border tile.
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
        /// Tiles of the column.
        height: usize,
        /// Rows of the level.
        expected: usize,
    },
    /// A directory or a list holds no levels.
    #[error("{place}: no levels; a corpus needs at least one (in a directory, a file named *.txt)")]
    NoLevels {
        /// The directory or the list.
        place: String,
    },
    /// No file of a folder is a level.
    #[error(
        "{place}: none of its text files is a level; the first is not because of this: {first}"
    )]
    NoLevelsAmong {
        /// The folder.
        place: String,
        /// The error of the first file.
        first: String,
    },
    /// No file matches the requested names.
    #[error(
        "{place}: no text file matches {patterns}; write names without .txt, `*` for any characters"
    )]
    NothingMatches {
        /// The folder.
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
        /// The mistake.
        problem: &'static str,
    },
    /// A file has one line while other levels have several.
    #[error("{place}: one line, where other levels have several")]
    SingleLine {
        /// The file.
        place: String,
    },
    /// Levels have more different characters than a set has tiles.
    #[error(
        "{count} different characters; there are at most {max} tiles, so train on fewer games at once"
    )]
    TooManyTiles {
        /// Characters.
        count: usize,
        /// The most tiles.
        max: usize,
    },
    /// Levels are too large together.
    #[error("levels of {cells} cells; read fewer of them, or fewer rows: at most {max} cells fit")]
    TooManyCells {
        /// Cells of all levels of one height.
        cells: usize,
        /// The most cells.
        max: usize,
    },
    /// Legends of two folders disagree on a character that levels of both have.
    #[error(
        "{symbol:?} is \"{}\" in {} and \"{}\" in {}; train on the folders one by one, write another character in the levels of one, or give one legend \
         for all",
        first.1, first.0, other.1, other.0
    )]
    LegendsDisagree {
        /// The character.
        symbol: char,
        /// A legend, and its words.
        first: (String, String),
        /// Another one, and its words.
        other: (String, String),
    },
    /// A legend beside levels cannot be read.
    #[error("{path}: {cause}")]
    Legend {
        /// The legend.
        path: PathBuf,
        /// The mistake.
        cause: Box<LegendError>,
    },
    /// A level's height differs from that of the first level of its corpus.
    #[error(
        "{place}: the level has {height} rows and the first level {expected}; a corpus needs one height"
    )]
    UnequalHeights {
        /// The file or the level's name.
        place: String,
        /// Rows of this level.
        height: usize,
        /// Rows of the first level.
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
    /// Levels have fewer rows than requested.
    #[error("levels of {height} rows cannot be cut to {rows}; use 1 to {height}")]
    Rows {
        /// Rows asked for.
        rows: usize,
        /// Rows of the highest level.
        height: usize,
    },
}
