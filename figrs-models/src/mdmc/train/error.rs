//! Errors in the settings of training.

use figrs_derive::ErrorDebug;

/// Reason why a model of levels cannot be trained.
#[derive(Clone, thiserror::Error, ErrorDebug)]
#[non_exhaustive]
pub enum TrainingError {
    /// The number for additive smoothing is out of range.
    #[error("smoothing {tiles} cannot be added to counts; use a number from 0 to {max}")]
    Smoothing {
        /// The number that would be added to the counts.
        tiles: f64,
        /// The largest number that can be added.
        max: f64,
    },
    /// The rows cannot be divided into this many bands of rows.
    #[error("{height} rows cannot be split into {splits} bands; use 1 to {height}")]
    RowSplits {
        /// The given number of bands.
        splits: usize,
        /// Number of rows to divide.
        height: usize,
    },
    /// Levels have more configurations of tiles than fit into memory.
    #[error(
        "more than {max} configurations of tiles in {bands} bands of {height} rows, which is the most that is counted; use fewer bands of rows \
         (--row-splits 1 for one), or cut the levels to fewer rows (--rows)"
    )]
    TooManyConfigurations {
        /// Number of rows of the levels.
        height: usize,
        /// Number of bands of rows with separate tables.
        bands: usize,
        /// Maximum number of configurations.
        max: usize,
    },
    /// A part of the training levels, of which a model counts the tiles separately, has only tiles that are outside.
    #[error(
        "a band of rows, a kind of columns or all columns have only tiles that are outside; use fewer bands (--row-splits 1 for one), or the Markov chain"
    )]
    Outside,
    /// The order of n-grams is out of range.
    #[error("n-grams of {order} columns cannot be counted; use 1 to {max}")]
    Order {
        /// The given order, in columns.
        order: usize,
        /// Maximum order, in columns.
        max: usize,
    },
    /// The probability that the style changes is out of range.
    #[error("styles cannot change with probability {change}; use a number from 0 to 1")]
    Change {
        /// The given probability.
        change: f64,
    },
    /// The number of columns of a section, or the number of kinds of sections, is out of range.
    #[error("sections cannot have {size} columns or kinds; use 1 to {max} of each")]
    Sections {
        /// The given number of columns or kinds.
        size: usize,
        /// Maximum number of columns or kinds.
        max: usize,
    },
}
