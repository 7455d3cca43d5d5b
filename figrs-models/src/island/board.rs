//! Maps of islands: land or water for each cell.

use std::fmt;

use super::Terrain;
use crate::grid::{GridError, Size, Symbol};

/// An island; as text, a line for each row, `#` for land and `.` for water.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IslandMap {
    columns: usize,
    cells: Vec<Terrain>,
}

impl IslandMap {
    /// Cells in scan order.
    pub(super) fn new(columns: usize, cells: Vec<Terrain>) -> Self {
        Self { columns, cells }
    }

    /// A map from all cells of a grid in scan order, whether or not they follow the rules.
    ///
    /// **Errors.** [`GridError::Length`].
    pub fn from_cells(size: Size, cells: Vec<Terrain>) -> Result<Self, GridError> {
        GridError::same_length("cells", size, cells.len())?;
        Ok(Self::new(size.columns(), cells))
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Terrain of each cell, in scan order.
    pub fn cells(&self) -> &[Terrain] {
        &self.cells
    }

    /// Number of cells of land.
    pub fn land(&self) -> usize {
        let cells = self.cells.iter();
        cells.filter(|cell| **cell == Terrain::Land).count()
    }

    /// Number of bays: cells of water with land on exactly three sides. The border is water.
    pub fn bays(&self) -> usize {
        let is_land = |cell: usize| usize::from(self.cells[cell] == Terrain::Land);
        let inside = self.columns..self.cells.len() - self.columns;
        let bays = inside.filter(|&cell| {
            let column = cell % self.columns;
            column > 0
                && column + 1 < self.columns
                && self.cells[cell] == Terrain::Water
                && [cell - self.columns, cell - 1, cell + 1, cell + self.columns]
                    .map(is_land)
                    .iter()
                    .sum::<usize>()
                    == 3
        });
        bays.count()
    }
}

impl fmt::Display for IslandMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in self.cells.chunks(self.columns) {
            for cell in row {
                write!(f, "{}", cell.symbol())?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
