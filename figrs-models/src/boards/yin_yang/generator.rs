//! Yin-Yang boards as a generator of boards.

use super::{Colour, YinYang};
use crate::board::{BoardError, Elements, Generator};
use crate::grid::{Board, Size};

impl Generator for YinYang {
    type Cell = Colour;
    type Board = Board<Colour>;

    fn size(&self) -> Size {
        self.clues.size()
    }

    fn elements(&self) -> Result<Elements<Colour>, BoardError> {
        Ok(YinYang::elements(self)?)
    }

    fn board(&self, cells: Vec<Colour>) -> Result<Board<Colour>, BoardError> {
        Ok(Board::new(self.size(), cells)?)
    }

    /// Extrapolated from smaller boards. Each clue in a row halves the states of a column or so.
    fn predicted_bytes(&self) -> Option<f64> {
        let (rows, columns) = (self.size().rows() as f64, self.size().columns() as f64);
        Some(9.0 * rows * 3.4f64.powf(columns - self.clues.len() as f64 / rows))
    }
}
