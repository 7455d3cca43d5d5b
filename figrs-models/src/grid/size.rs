//! The size of a grid, and the positions of its cells.

use std::fmt;
use std::str::FromStr;

use super::GridError;
use figrs_reading::Mistake;

/// Size of a grid: the number of its rows and the number of its columns. The text of a size is `8` for a square grid of side 8, or `8x12` for 8 rows
/// and 12 columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Size {
    pub(super) rows: usize,
    pub(super) columns: usize,
}

impl Size {
    /// Maximum number of rows and maximum number of columns of a grid.
    pub const MAX_SIDE: usize = 4096;
    /// Maximum number of columns for automata whose states store, for each column, the number of a group of cells from 1 to 15, in four bits. An
    /// automaton has fewer states on a narrow grid than on a wide one; it is therefore best to turn a wide grid by 90 degrees.
    pub const AUTOMATON_COLUMNS: usize = 15;
    /// Maximum number of rows of a grid for automata, and maximum number of columns if the size of an automaton's states does not grow with the
    /// columns.
    pub const AUTOMATON_ROWS: usize = 1000;

    /// Returns the number of rows of the grid.
    pub fn rows(self) -> usize {
        self.rows
    }

    /// Returns the number of columns of the grid.
    pub fn columns(self) -> usize {
        self.columns
    }

    /// Returns the number of cells of the grid.
    pub fn cells(self) -> usize {
        self.rows * self.columns
    }

    /// Returns the positions of all cells in scan order: row by row, from left to right.
    pub fn positions(self) -> impl Iterator<Item = Position> {
        (0..self.cells()).map(move |index| self.position(index))
    }

    /// Returns the position of the cell with the index `index` in scan order (row by row).
    pub fn position(self, index: usize) -> Position {
        Position {
            row: index / self.columns,
            column: index % self.columns,
        }
    }

    /// Returns the index of the cell `at` in scan order (row by row).
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

    /// True if the cell `at` is inside the grid.
    pub fn contains(self, at: Position) -> bool {
        at.row < self.rows && at.column < self.columns
    }

    /// True if the cell `at` is on the border of the grid.
    pub fn is_border(self, at: Position) -> bool {
        at.row == 0 || at.column == 0 || at.row + 1 == self.rows || at.column + 1 == self.columns
    }
}

/// The position of a cell of a grid, written as its row and column, both of which start at 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// The row of the cell; the top row is row 0.
    pub row: usize,
    /// The column of the cell; the leftmost column is column 0.
    pub column: usize,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "row {}, column {}", self.row + 1, self.column + 1)
    }
}

impl Size {
    /// Creates the size of a grid with `rows` rows and `columns` columns.
    ///
    /// **Errors.** [`GridError::Invalid`] if the number of rows or columns is zero or too large.
    pub fn new(rows: usize, columns: usize) -> Result<Self, GridError> {
        Ok(Self::checked(rows, columns)?)
    }

    /// Returns the size of a game level; a level may have more rows than other boards, and its model has already checked the size.
    pub(crate) fn of_level(rows: usize, columns: usize) -> Self {
        Self { rows, columns }
    }

    pub(super) fn checked(rows: usize, columns: usize) -> Result<Self, Mistake> {
        let sides = 1..=Self::MAX_SIDE;
        if sides.contains(&rows) && sides.contains(&columns) {
            return Ok(Self { rows, columns });
        }
        Err(Mistake::value(
            format!("a grid of {rows} rows and {columns} columns"),
            format!("use 1 to {} rows and columns", Self::MAX_SIDE),
        ))
    }

    /// Returns the same size, or an error if some automata cannot read grids of this size.
    ///
    /// **Errors.** [`GridError::TooLarge`] if the grid has too many rows or columns for automata.
    pub fn for_automata(self) -> Result<Self, GridError> {
        self.within_columns(Self::AUTOMATON_COLUMNS)
    }

    pub(super) fn within_columns(self, most: usize) -> Result<Self, GridError> {
        let Self { rows, columns } = self;
        if rows <= Self::AUTOMATON_ROWS && columns <= most {
            return Ok(self);
        }
        let most_rows = Self::AUTOMATON_ROWS;
        Err(GridError::too_large(
            format!("a grid of {rows} rows and {columns} columns"),
            format!(
                "use 1 to {most_rows} rows and 1 to {most} columns (turn a wide grid on its side)"
            ),
        ))
    }
}

/// **Errors.** [`GridError::Invalid`] if the text is neither one number nor two numbers joined by `x`; the errors of [`Size::new`].
impl FromStr for Size {
    type Err = GridError;

    fn from_str(text: &str) -> Result<Self, GridError> {
        let (rows, columns) = text.split_once('x').unwrap_or((text, text));
        let side = |text: &str| text.parse().ok().filter(|&side: &usize| side > 0);
        let (Some(rows), Some(columns)) = (side(rows), side(columns)) else {
            let write = "write a side such as 8, or rows and columns such as 8x12";
            return Err(Mistake::value(write, "").into());
        };
        Self::new(rows, columns)
    }
}
