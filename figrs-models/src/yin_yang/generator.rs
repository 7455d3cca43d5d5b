//! Yin-Yang boards as a generator of boards.

use super::{Board, Colour, YinYang};
use crate::board::{BoardError, Elements, Generator};
use crate::grid::Size;

impl Generator for YinYang {
    type Cell = Colour;
    type Board = Board;

    fn size(&self) -> Size {
        self.clues.size()
    }

    fn elements(&self) -> Result<Elements<Colour>, BoardError> {
        Ok(YinYang::elements(self)?.elements)
    }

    fn board(&self, cells: Vec<Colour>) -> Result<Board, BoardError> {
        Ok(Board::from_colours(self.size(), cells)?)
    }

    /// Extrapolated from smaller boards. Each clue in a row halves the states of a column or so.
    fn predicted_bytes(&self) -> Option<f64> {
        let (rows, columns) = (self.size().rows() as f64, self.size().columns() as f64);
        Some(9.0 * rows * 3.4f64.powf(columns - self.clues.len() as f64 / rows))
    }
}
