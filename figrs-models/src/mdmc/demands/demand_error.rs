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
    /// The rules of a movement were made for other levels.
    #[error(
        "the rules of the movement {movement} are not for these levels; make them with the chain's own set of tiles, all of known meaning, and its \
         direction of travel, {travel}"
    )]
    Rules {
        /// The name of the movement.
        movement: String,
        /// The direction of travel of the chain.
        travel: &'static str,
    },
    /// There is no such cell.
    #[error("row {row}, column {column} is outside of the level; rows and columns count from 0")]
    Cell {
        /// The row.
        row: usize,
        /// The column.
        column: usize,
    },
}
