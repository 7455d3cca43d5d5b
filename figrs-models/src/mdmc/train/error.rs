//! Errors of the settings of training.

use figrs_derive::ErrorDebug;

/// Reason why a model of levels cannot be trained.
#[derive(Clone, thiserror::Error, ErrorDebug)]
#[non_exhaustive]
pub enum TrainingError {
    /// A number cannot be added to the counts of tiles.
    #[error("smoothing {tiles} cannot be added to counts; use a number from 0 to {max}")]
    Smoothing {
        /// The number to be added.
        tiles: f64,
        /// The largest number that can be added.
        max: f64,
    },
    /// The rows cannot be divided into this many bands.
    #[error("{height} rows cannot be split into {splits} bands; use 1 to {height}")]
    RowSplits {
        /// Bands asked for.
        splits: usize,
        /// Rows to divide.
        height: usize,
    },
    /// Levels have more configurations of tiles than fit the memory.
    #[error(
        "more than {max} configurations of tiles in {bands} bands of {height} rows, which is the most that is counted; use fewer bands of rows \
         (--row-splits 1 for one), or cut the levels to fewer rows (--rows)"
    )]
    TooManyConfigurations {
        /// Rows of the levels.
        height: usize,
        /// Bands with separate tables.
        bands: usize,
        /// Maximum number of configurations.
        max: usize,
    },
    /// Columns cannot be grouped by this number.
    #[error("n-grams of {order} columns cannot be counted; use 1 to {max}")]
    Order {
        /// Columns asked for.
        order: usize,
        /// Columns allowed.
        max: usize,
    },
    /// Styles cannot change with this probability.
    #[error("styles cannot change with probability {change}; use a number from 0 to 1")]
    Change {
        /// The probability asked for.
        change: f64,
    },
    /// Sections cannot have this many columns, or be of this many kinds.
    #[error("sections cannot have {size} columns or kinds; use 1 to {max} of each")]
    Sections {
        /// Columns or kinds asked for.
        size: usize,
        /// Columns or kinds allowed.
        max: usize,
    },
}
