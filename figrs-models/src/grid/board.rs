//! Boards, which are grids with a value in each cell.

use std::fmt;

use super::{Clues, GridError, Position, Size, Symbol};

/// A grid with a value in each cell, whether or not the values follow the rules of some puzzle. The text of a board has a line for each row, if the
/// values of its cells are [`Symbol`]s.
///
/// Each kind of board has further methods, such as one that returns the number of walls of a dungeon.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Board<C> {
    size: Size,
    cells: Vec<C>,
}

impl<C> Board<C> {
    /// Creates a board from the values `cells` of all cells, in scan order (row by row).
    ///
    /// **Errors.** [`GridError::Invalid`] if the number of values differs from the number of cells.
    pub fn new(size: Size, cells: Vec<C>) -> Result<Self, GridError> {
        GridError::same_length("cells", size.cells(), cells.len())?;
        Ok(Self { size, cells })
    }

    pub(crate) fn of(size: Size, cells: Vec<C>) -> Self {
        Self { size, cells }
    }

    /// Returns the size of the board's grid.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Returns the values of all cells of the board, in scan order (row by row).
    pub fn cells(&self) -> &[C] {
        &self.cells
    }

    /// Returns the values of all cells of the board, each with its position.
    pub fn iter(&self) -> impl Iterator<Item = (Position, &C)> {
        self.size.positions().zip(&self.cells)
    }
}

impl<C: Copy + PartialEq> Board<C> {
    /// Returns the positions of the cells whose value is `value`, in scan order (row by row).
    pub fn places_of(&self, value: C) -> impl Iterator<Item = Position> {
        let cells = self.iter();
        cells.filter_map(move |(at, other)| (*other == value).then_some(at))
    }

    /// True if the cells with a clue in `clues` have the value of their clue, and the board has the size of the grid of `clues`.
    pub fn meets(&self, clues: &Clues<C>) -> bool {
        clues.size() == self.size
            && clues
                .iter()
                .all(|(at, value)| self.cells[self.size.index(at)] == value)
    }
}

impl<C: Symbol> fmt::Display for Board<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in self.cells.chunks(self.size.columns()) {
            for cell in row {
                write!(f, "{}", cell.symbol())?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
