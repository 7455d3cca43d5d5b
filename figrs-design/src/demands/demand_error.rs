//! Errors of demands on a level.

use figrs_derive::ErrorDebug;

/// Reason why a demand does not fit a level.
#[derive(Clone, thiserror::Error, ErrorDebug)]
#[non_exhaustive]
pub enum DemandError {
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
    /// A pattern is larger than the area in which it is sought, or has no tile.
    #[error(
        "a pattern of {} rows and {} columns cannot stand in {} rows and {} columns; set at least one tile, and \
         no more rows and columns than there are",
        size.0, size.1, level.0, level.1
    )]
    Pattern {
        /// Rows and columns of the pattern.
        size: (usize, usize),
        /// Rows and columns of the area in which it is sought.
        level: (usize, usize),
    },
    /// The pattern has no cell, or each of its cells accepts any tile.
    #[error("the pattern matches everywhere; give at least one cell a tile")]
    EmptyPattern,
    /// Forms of a pattern have different sizes.
    #[error(
        "a pattern has forms of {} by {} and {} by {} cells; give all of them one size, with free cells at the edge",
        first.0, first.1, other.0, other.1
    )]
    Forms {
        /// Rows and columns of the first form.
        first: (usize, usize),
        /// Rows and columns of a form of another size.
        other: (usize, usize),
    },
    /// A character of a pattern is neither a tile nor a class of the legend.
    #[error(
        "{symbol:?} in row {row}, column {column} of a pattern is no tile and stands for no class; add it to the legend, or write _ for any tile"
    )]
    PatternSymbol {
        /// The character in the text of the pattern.
        symbol: char,
        /// Row of the character, from 0.
        row: usize,
        /// Column of the character, from 0.
        column: usize,
    },
    /// A row of a pattern is longer or shorter than the first row.
    #[error(
        "row {row} of a pattern has {length} cells and the first {expected}; write one character for each cell"
    )]
    PatternRow {
        /// Row of the pattern, from 0.
        row: usize,
        /// Number of cells in the row.
        length: usize,
        /// Number of cells in the first row.
        expected: usize,
    },
    /// An area has no cells, or does not lie in the level.
    #[error(
        "{area} are not an area of a level of {} rows and {} columns; both count from 0",
        level.0, level.1
    )]
    Area {
        /// Description of the area.
        area: String,
        /// Rows and columns of the level.
        level: (usize, usize),
    },
    /// A window is wider than the area that it moves in.
    #[error("windows of {window} columns do not fit into {columns}; give 1 to {columns}")]
    Window {
        /// Number of columns of a window.
        window: usize,
        /// Number of columns of the area.
        columns: usize,
    },
    /// An area has fewer columns than sections.
    #[error("{columns} columns cannot be parted into {sections} sections; give 1 to {columns}")]
    Sections {
        /// Number of sections that the demand gives.
        sections: usize,
        /// Number of columns of the area.
        columns: usize,
    },
    /// An area is not longer than its period.
    #[error("{columns} columns cannot repeat every {period}; give 1 to one less than {columns}")]
    Period {
        /// Number of columns after which the area should repeat.
        period: usize,
        /// Number of columns of the area.
        columns: usize,
    },
    /// A list of columns is empty, or a column does not have the height of the level.
    #[error(
        "columns of {tiles} tiles cannot stand in a level of {height} rows; give at least one column, as high as the level, and no rows"
    )]
    Columns {
        /// Number of tiles of a column, or of rows of the area.
        tiles: usize,
        /// Number of rows of the level.
        height: usize,
    },
    /// The range of allowed distances is empty.
    #[error("a range of rows or columns to look in is empty; give the smaller number first")]
    Offsets,
    /// The list of alternative demands is empty.
    #[error("a choice among no demands cannot be met; give at least one")]
    NothingToChoose,
    /// The weight of a soft demand is negative or too large.
    #[error("a weight of {weight} is not from 0 to {max}")]
    Weight {
        /// The given weight.
        weight: f64,
        /// The largest allowed weight.
        max: f64,
    },
    /// Rejection sampling cannot meet this demand.
    #[error(
        "\"{demand}\" cannot be met by drawing again; pin the tiles, or condition the model instead"
    )]
    NotRejected {
        /// Description of the demand.
        demand: String,
    },
    /// The demand cannot be part of another demand.
    #[error("\"{demand}\" cannot be chosen, negated or preferred; demand it by itself")]
    NotCombined {
        /// Description of the demand.
        demand: String,
    },
    /// The demand is about the ground, but the player climbs in the levels.
    #[error(
        "\"{demand}\" is for levels that are played to the right; require ground in windows of rows instead"
    )]
    Upwards {
        /// Description of the demand.
        demand: String,
    },
    /// The sampler inside the rejection sampler draws levels of another size than the demands are for.
    #[error(
        "levels of {} rows and {} columns are drawn, and the demands are for {} and {}; give both one size",
        drawn.0, drawn.1, size.0, size.1
    )]
    OtherSize {
        /// Rows and columns of the levels that are drawn.
        drawn: (usize, usize),
        /// Rows and columns of the levels that the demands are for.
        size: (usize, usize),
    },
    /// No whole number of tiles gives a share in this range.
    #[error(
        "no whole number of {cells} cells has a share from {low} to {high}; widen the range, or give a single share"
    )]
    Share {
        /// The smallest allowed share.
        low: f64,
        /// The largest allowed share.
        high: f64,
        /// The number of cells of the level.
        cells: usize,
    },
    /// Two masks place different tiles in one cell.
    #[error(
        "row {row}, column {column}: two masks place different tiles here; free it in one of them"
    )]
    PlacedTwice {
        /// Row of the cell, from 0 at the top.
        row: usize,
        /// Column of the cell, from 0 at the left.
        column: usize,
    },
    /// The smallest allowed number exceeds the largest.
    #[error("from {least} to {most} cannot be had; give the smaller number first")]
    CountRange {
        /// The smallest allowed number.
        least: usize,
        /// The largest allowed number.
        most: usize,
    },
    /// The rules of a movement were made for other tiles or another direction of travel.
    #[error(
        "the rules of the movement {movement} are not for these levels; make them with the chain's own set of tiles, all of known meaning, and its \
         direction of travel, {travel}"
    )]
    Rules {
        /// The name of the movement.
        movement: String,
        /// The direction of travel of the model.
        travel: &'static str,
    },
    /// A route has more areas than are allowed.
    #[error("a way cannot pass {areas} areas one after another; give 1 to {most}")]
    WayPoints {
        /// The number of areas of the route.
        areas: usize,
        /// The largest allowed number of areas.
        most: usize,
    },
    /// The player starts at a cell that is outside of the level.
    #[error(
        "the movement {movement:?} starts at row {row}, column {column}, outside of the level; rows and columns count from 0"
    )]
    Start {
        /// The name of the movement.
        movement: String,
        /// The row at which the player starts.
        row: usize,
        /// The column at which the player starts.
        column: usize,
    },
    /// A cell lies outside the level.
    #[error("row {row}, column {column} is outside of the level; rows and columns count from 0")]
    Cell {
        /// The row of the cell.
        row: usize,
        /// The column of the cell.
        column: usize,
    },
}
