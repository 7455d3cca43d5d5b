//! The size of a grid.

use super::Position;

/// Size of a grid: its numbers of rows and columns. A size is written as `8` for a square, or as `8x12`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Size {
    pub(super) rows: usize,
    pub(super) columns: usize,
}

impl Size {
    /// Maximum number of rows, and of columns.
    pub const MAX_SIDE: usize = 4096;
    /// Maximum number of columns for automata whose states number a group of cells for each column: from 1 to 15, in four bits. An automaton has
    /// fewer states on a narrow grid than on a wide one; it is therefore best to turn a wide grid on its side.
    pub const AUTOMATON_COLUMNS: usize = 15;
    /// Maximum number of rows for automata, and maximum number of columns if the size of states does not grow with the columns.
    pub const AUTOMATON_ROWS: usize = 1000;

    /// Returns the number of rows.
    pub fn rows(self) -> usize {
        self.rows
    }

    /// Returns the number of columns.
    pub fn columns(self) -> usize {
        self.columns
    }

    /// Returns the number of cells.
    pub fn cells(self) -> usize {
        self.rows * self.columns
    }

    /// Returns all cells in scan order: row by row, from left to right.
    pub fn positions(self) -> impl Iterator<Item = Position> {
        (0..self.cells()).map(move |index| self.position(index))
    }

    /// Returns the cell with the index `index` in scan order.
    pub fn position(self, index: usize) -> Position {
        Position {
            row: index / self.columns,
            column: index % self.columns,
        }
    }

    /// Returns the index of the cell `at` in scan order.
    pub fn index(self, at: Position) -> usize {
        at.row * self.columns + at.column
    }

    pub(crate) fn beside(self, cell: usize) -> impl Iterator<Item = usize> {
        let column = cell % self.columns;
        let beside = [
            (cell >= self.columns).then(|| cell - self.columns),
            (column > 0).then(|| cell - 1),
            (column + 1 < self.columns).then(|| cell + 1),
            (cell + self.columns < self.cells()).then(|| cell + self.columns),
        ];
        beside.into_iter().flatten()
    }

    /// True if the grid has the cell `at`.
    pub fn contains(self, at: Position) -> bool {
        at.row < self.rows && at.column < self.columns
    }

    /// True if the cell `at` is on the border of the grid.
    pub fn is_border(self, at: Position) -> bool {
        at.row == 0 || at.column == 0 || at.row + 1 == self.rows || at.column + 1 == self.columns
    }
}
