//! Solid cells of a level, and the cells in which a player can stand.

use crate::mdmc::Level;

/// The solid cells of a level, row by row.
#[derive(Clone, Debug)]
pub(in crate::mdmc) struct Solids {
    cells: Vec<bool>,
    width: usize,
}

impl Solids {
    pub(in crate::mdmc) fn of(level: &Level) -> Self {
        Self {
            cells: level.as_array().iter().map(|tile| tile.solid()).collect(),
            width: level.width(),
        }
    }

    pub(in crate::mdmc) fn height(&self) -> usize {
        self.cells.len() / self.width
    }

    pub(in crate::mdmc) fn width(&self) -> usize {
        self.width
    }

    pub(in crate::mdmc) fn solid(&self, row: usize, column: usize) -> bool {
        self.cells[row * self.width + column]
    }

    /// True if the tile below a cell is inside the level and solid.
    pub(in crate::mdmc) fn supported(&self, row: usize, column: usize) -> bool {
        row + 1 < self.height() && self.solid(row + 1, column)
    }

    /// True if a player can stand in a cell: it is free and the tile below is solid.
    pub(in crate::mdmc) fn footing(&self, row: usize, column: usize) -> bool {
        !self.solid(row, column) && self.supported(row, column)
    }
}
