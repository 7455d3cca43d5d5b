//! Boards, which are grids with a value in each cell.

use std::fmt;

use super::{Clues, GridError, Position, Size, Symbol};

/// A grid with a value in each cell, whether or not the values follow the rules of some puzzle. The text of a board whose values are [`Symbol`]s has
/// a line for each row.
///
/// Each kind of board has further methods, such as a count of the walls of a dungeon.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Board<C> {
    size: Size,
    cells: Vec<C>,
}

impl<C> Board<C> {
    /// Creates a board from the values `cells` of all cells, in scan order.
    ///
    /// **Errors.** [`GridError::Invalid`] if the number of values is not the number of cells.
    pub fn new(size: Size, cells: Vec<C>) -> Result<Self, GridError> {
        GridError::same_length("cells", size.cells(), cells.len())?;
        Ok(Self { size, cells })
    }

    pub(crate) fn of(size: Size, cells: Vec<C>) -> Self {
        Self { size, cells }
    }

    /// Returns the size of the grid.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Returns the values of all cells, in scan order.
    pub fn cells(&self) -> &[C] {
        &self.cells
    }

    /// Returns the values of all cells with their positions.
    pub fn iter(&self) -> impl Iterator<Item = (Position, &C)> {
        self.size.positions().zip(&self.cells)
    }
}

impl<C: Copy + PartialEq> Board<C> {
    /// Returns the positions of the cells whose value is `value`, in scan order.
    pub fn places_of(&self, value: C) -> impl Iterator<Item = Position> {
        let cells = self.iter();
        cells.filter_map(move |(at, other)| (*other == value).then_some(at))
    }

    /// True if the board has the values of `clues`, on a grid of the same size.
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
