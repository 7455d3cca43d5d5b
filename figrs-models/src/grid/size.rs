//! The size of a grid, and places in it.

use std::fmt;

use super::GridError;

/// A cell of a grid. As text, its row and column counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// The row, from 0 at the top.
    pub row: usize,
    /// The column, from 0 at the left.
    pub column: usize,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "row {}, column {}", self.row + 1, self.column + 1)
    }
}

/// Size of a grid that automata read: its numbers of rows and columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Size {
    rows: usize,
    columns: usize,
}

impl Size {
    /// The widest grid: states hold four bits a column, and number groups of cells from 1 to 15. A grid is narrow where
    /// its states are few, so that a wide one is better turned on its side.
    pub const MAX_COLUMNS: usize = 15;
    /// The highest grid.
    pub const MAX_ROWS: usize = 1000;

    /// A grid of some rows and columns.
    ///
    /// **Errors.** [`GridError::Size`] if there are none or too many.
    pub fn new(rows: usize, columns: usize) -> Result<Self, GridError> {
        if (1..=Self::MAX_ROWS).contains(&rows) && (1..=Self::MAX_COLUMNS).contains(&columns) {
            return Ok(Self { rows, columns });
        }
        Err(GridError::Size { rows, columns })
    }

    /// Number of rows.
    pub fn rows(self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(self) -> usize {
        self.columns
    }

    /// Number of cells.
    pub fn cells(self) -> usize {
        self.rows * self.columns
    }

    /// All cells in scan order: row by row, from left to right.
    pub fn positions(self) -> impl Iterator<Item = Position> {
        (0..self.cells()).map(move |index| self.position(index))
    }

    /// The cell of an index in scan order.
    pub fn position(self, index: usize) -> Position {
        Position {
            row: index / self.columns,
            column: index % self.columns,
        }
    }

    /// Index of a cell in scan order.
    pub fn index(self, at: Position) -> usize {
        at.row * self.columns + at.column
    }

    /// Indices in scan order of the cells above, to the left, to the right and below a cell.
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

    /// True if the grid has this cell.
    pub fn contains(self, at: Position) -> bool {
        at.row < self.rows && at.column < self.columns
    }

    /// True if a cell is on the border.
    pub fn is_border(self, at: Position) -> bool {
        at.row == 0 || at.column == 0 || at.row + 1 == self.rows || at.column + 1 == self.columns
    }
}
