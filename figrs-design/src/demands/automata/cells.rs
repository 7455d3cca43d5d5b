//! Automaton for the demand (a requirement on a game level) that the tiles of a rectangle belong to given classes.

use std::ops::Range;

use ndarray::Array2;

use super::Automaton;
use figrs_models::mdmc::{Tile, TileClass};

/// Automaton that accepts levels in which each tile of a rectangle belongs to the class given for its cell. The automaton for the tiles of a
/// rectangle has only one state.
#[derive(Debug)]
pub(in crate::demands) struct Cells {
    pub(in crate::demands) classes: Array2<TileClass>,
    pub(in crate::demands) corner: (usize, usize),
}

impl Cells {
    fn class(&self, row: usize, column: usize) -> Option<&TileClass> {
        let (top, left) = self.corner;
        let cell = (row.checked_sub(top)?, column.checked_sub(left)?);
        self.classes.get(cell).filter(|class| !class.is_any())
    }
}

impl Automaton for Cells {
    fn span(&self) -> Range<usize> {
        self.corner.1..self.corner.1 + self.classes.ncols()
    }

    fn phase(&self, column: usize) -> Vec<usize> {
        vec![column]
    }

    fn reads(&self, row: usize, column: usize) -> bool {
        self.class(row, column).is_some()
    }

    fn read(&self, (row, column): (usize, usize), _state: &mut Vec<u32>, tile: Tile) -> bool {
        let class = self.class(row, column);
        class.is_none_or(|class| class.contains(tile))
    }
}
