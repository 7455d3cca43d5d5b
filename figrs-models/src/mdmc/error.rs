//! Errors of reading levels, training and generating.

use figrs_derive::ErrorDebug;
use std::{io, path::PathBuf};

/// An error of the level generator, with its place and its remedy.
///
/// Lines and columns count from 1; `place` is a file's path, or a level's name where there is no file.
#[derive(thiserror::Error, ErrorDebug)]
#[non_exhaustive]
pub enum MdmcError {
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
    #[error("{place}:{line}:{column}: not UTF-8; save the level as plain ASCII text")]
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
    /// A character is not in the alphabet.
    #[error(
        "{place}:{line}:{column}: unknown tile {symbol:?}; use only the tiles {}",
        super::Tile::ALPHABET
    )]
    UnknownTile {
        /// The file or the level's name.
        place: String,
        /// The line of the character.
        line: usize,
        /// The column of the character.
        column: usize,
        /// The character.
        symbol: char,
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
    /// A directory or a list holds no levels.
    #[error("{place}: no levels; a corpus needs at least one (in a directory, a file named *.txt)")]
    NoLevels {
        /// The directory or the list.
        place: String,
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
    /// A name is not that of a known structure.
    #[error("unknown structure {name:?}; use ns0, ns1, ns2 or ns3, or offsets as (-1,0)(0,1)")]
    UnknownStructure {
        /// The name.
        name: String,
    },
    /// An offset names a cell that is not decided when its cell is sampled.
    #[error(
        "offset ({dx}, {dy}) is not decided before its cell; use cells below, or to the left in the same row"
    )]
    UndecidedOffset {
        /// Columns to the right.
        dx: i32,
        /// Rows down.
        dy: i32,
    },
    /// An offset reaches too far.
    #[error("offset ({dx}, {dy}) reaches too far; stay within {max} cells")]
    FarOffset {
        /// Columns to the right.
        dx: i32,
        /// Rows down.
        dy: i32,
        /// The largest distance in either direction.
        max: i32,
    },
    /// An offset occurs twice in a structure.
    #[error("offset ({dx}, {dy}) is repeated; name each neighbour once")]
    RepeatedOffset {
        /// Columns to the right.
        dx: i32,
        /// Rows down.
        dy: i32,
    },
    /// A structure has too many offsets.
    #[error("the structure has {count} offsets; use at most {max}")]
    TooManyOffsets {
        /// Offsets given.
        count: usize,
        /// Offsets allowed.
        max: usize,
    },
    /// A structure to fall back on sees more than the first one.
    #[error(
        "structure {structure} sees a neighbour that {first} does not; fall back on structures that see some of its neighbours"
    )]
    Fallback {
        /// The structure to fall back on.
        structure: String,
        /// The first structure.
        first: String,
    },
    /// A structure occurs twice in a list.
    #[error("structure {structure} stands twice in the list; name each once")]
    RepeatedStructure {
        /// The structure.
        structure: String,
    },
    /// The last structure of a list may have no tile for a cell.
    #[error(
        "the last structure to fall back on, {structure}, has no tile where its neighbours are new; end the list with ns0"
    )]
    LastFallback {
        /// The last structure.
        structure: String,
    },
    /// This cannot be added to the counts of tiles.
    #[error("smoothing {tiles} cannot be added to counts; use a number from 0 to {max}")]
    Smoothing {
        /// The number to be added.
        tiles: f64,
        /// The most that can be added.
        max: f64,
    },
    /// The rows cannot be divided into the bands asked for.
    #[error("{height} rows cannot be split into {splits} bands; use 1 to {height}")]
    RowSplits {
        /// Bands asked for.
        splits: usize,
        /// Rows to divide.
        height: usize,
    },
    /// The look-ahead is too deep.
    #[error("look-ahead {depth} is too deep; use at most {max}")]
    LookAhead {
        /// Cells asked for.
        depth: usize,
        /// Cells allowed.
        max: usize,
    },
    /// A level of this width cannot be generated.
    #[error("cannot generate a level {width} columns wide; use 1 to {max}")]
    Width {
        /// Columns asked for.
        width: usize,
        /// Columns allowed at the chain's height.
        max: usize,
    },
    /// A mask is not of the level's size.
    #[error(
        "the mask has {} rows of {} columns and the level {} rows of {}; give one character for each cell",
        size.0, size.1, expected.0, expected.1
    )]
    MaskShape {
        /// Rows and columns of the mask.
        size: (usize, usize),
        /// Rows and columns of the level.
        expected: (usize, usize),
    },
    /// A forbidden pattern does not fit into the level, or has no tile.
    #[error(
        "a pattern of {} rows and {} columns cannot be forbidden in a level of {} rows and {} columns; set at least one tile, and \
         no more rows and columns than the level has",
        size.0, size.1, level.0, level.1
    )]
    Pattern {
        /// Rows and columns of the pattern.
        size: (usize, usize),
        /// Rows and columns of the level.
        level: (usize, usize),
    },
    /// Two masks place different tiles in one cell.
    #[error(
        "row {row}, column {column}: two masks place different tiles here; free it in one of them"
    )]
    PlacedTwice {
        /// The row, from 0 at the top.
        row: usize,
        /// The column, from 0 at the left.
        column: usize,
    },
    /// The least number is above the largest.
    #[error("from {least} to {most} tiles cannot be had; give the smaller number first")]
    CountRange {
        /// At least.
        least: usize,
        /// At most.
        most: usize,
    },
    /// Levels have fewer rows than were asked for.
    #[error("levels of {height} rows cannot be cut to {rows}; use 1 to {height}")]
    Rows {
        /// Rows asked for.
        rows: usize,
        /// Rows there are.
        height: usize,
    },
    /// There is no such cell.
    #[error("row {row}, column {column} is outside of the level; rows and columns count from 0")]
    Cell {
        /// The row.
        row: usize,
        /// The column.
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
    /// A structure sees a column to the right, which is not there when columns come one by one.
    #[error(
        "offset ({dx}, {dy}) sees a column to the right; columns one by one need offsets to the left or below"
    )]
    RightOffset {
        /// Columns to the right.
        dx: i32,
        /// Rows down.
        dy: i32,
    },
    /// Columns cannot be looked at in groups of this size.
    #[error("n-grams of {order} columns cannot be counted; use 1 to {max}")]
    Order {
        /// Columns asked for.
        order: usize,
        /// Columns allowed.
        max: usize,
    },
    /// Sections cannot have so many columns, or be of so many kinds.
    #[error("sections cannot have {size} columns or kinds; use 1 to {max} of each")]
    Sections {
        /// Columns or kinds asked for.
        size: usize,
        /// Columns or kinds allowed.
        max: usize,
    },
}
