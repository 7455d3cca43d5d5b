//! What can go wrong with grids and what is generated on them.

use super::Size;
use crate::maze::{PerfectMaze, Pointer};

/// An error of a grid or of a generator on one, with the number and the remedy.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GridError {
    /// Automata cannot read a grid of this size.
    #[error(
        "a grid of {rows} rows and {columns} columns: use 1 to {} rows and 1 to {} columns (turn a wide grid on its side)",
        Size::MAX_ROWS, Size::MAX_COLUMNS
    )]
    Size {
        /// Rows asked for.
        rows: usize,
        /// Columns asked for.
        columns: usize,
    },
    /// A maze cannot be of this size.
    #[error(
        "a maze of {rows} rows and {columns} columns: use 1 to {} of each",
        PerfectMaze::MAX_SIDE
    )]
    MazeSize {
        /// Rows asked for.
        rows: usize,
        /// Columns asked for.
        columns: usize,
    },
    /// A direction cannot have this weight.
    #[error("the weight of pointing {direction:?} is {weight}; use a positive finite number")]
    Weight {
        /// The direction.
        direction: Pointer,
        /// Its weight.
        weight: f64,
    },
    /// There are not as many cells, rows or columns in a list as the grid has.
    #[error("{found} {what} for a grid that has {expected}; give one for each")]
    Length {
        /// What the list holds.
        what: &'static str,
        /// How many the grid has.
        expected: usize,
        /// How many there are.
        found: usize,
    },
}
