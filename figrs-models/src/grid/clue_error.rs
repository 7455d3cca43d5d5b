//! Errors when clues are read.

use figrs_derive::ErrorDebug;

use super::GridError;

/// A mistake in a text of clues, with its line and column.
#[derive(Clone, PartialEq, thiserror::Error, ErrorDebug)]
#[non_exhaustive]
pub enum ClueError {
    /// A character is not a clue.
    #[error("{line}:{column}: unknown clue {symbol:?}; write {write}")]
    Symbol {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// The character.
        symbol: char,
        /// Description of the allowed characters.
        write: &'static str,
    },
    /// A row of clues is shorter or longer than the first row.
    #[error(
        "{line}:{column}: the row has {found} cells and the first row {expected}; make all rows equally long"
    )]
    Ragged {
        /// The line, from 1.
        line: usize,
        /// The column where the shorter of the two rows ends, from 1.
        column: usize,
        /// Number of cells in the first row.
        expected: usize,
        /// Number of cells in this row.
        found: usize,
    },
    /// A text has no rows of clues.
    #[error("no rows of clues; write a line for each row, of {write}")]
    Nothing {
        /// Description of the allowed characters.
        write: &'static str,
    },
    /// The text has a size that a grid cannot have.
    #[error(transparent)]
    Grid(#[from] GridError),
}
