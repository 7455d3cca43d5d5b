//! Yin-Yang boards as a generator of boards.

use super::{Colour, YinYang};
use crate::board::{BoardElements, BoardError, Generator, RuledCells};
use crate::grid::{Board, Size};

/// The relaxed generator draws boards without bounds on the number of black cells, and rejection tests the bounds.
impl Generator for YinYang {
    type Cell = Colour;
    type Board = Board<Colour>;

    fn size(&self) -> Size {
        self.clues.size()
    }

    fn elements(&self) -> Result<BoardElements<Colour>, BoardError> {
        Ok(YinYang::elements(self)?)
    }

    fn board(&self, cells: Vec<Colour>) -> Result<Board<Colour>, BoardError> {
        Ok(Board::new(self.size(), cells)?)
    }

    /// Returns the memory of the states in bytes, extrapolated from smaller boards. If every row has a clue, the prediction is that for a board with
    /// one column fewer.
    fn predicted_bytes(&self) -> Option<f64> {
        let (rows, columns) = (self.size().rows() as f64, self.size().columns() as f64);
        let counts = self.black.as_ref().map_or(1.0, |_| rows * columns / 6.0);
        Some(9.0 * rows * 3.4f64.powf(columns - self.clues.len() as f64 / rows) * counts)
    }

    /// Returns the generator without bounds on the colours, if the board has at most about eleven columns; Markov chains are quicker for wider
    /// boards.
    fn relaxed(&self) -> Option<Self> {
        const MOST_BYTES: f64 = 1e8;
        self.black.as_ref()?;
        let black = None;
        let relaxed = Self {
            black,
            ..self.clone()
        };
        let bytes = relaxed.predicted_bytes();
        Some(relaxed).filter(|_| bytes.is_some_and(|bytes| bytes <= MOST_BYTES))
    }

    fn meets(&self, board: &Board<Colour>) -> bool {
        let black = || board.places_of(Colour::Black).count() as u32;
        self.black
            .as_ref()
            .is_none_or(|range| range.contains(&black()))
    }

    fn ruled_cells(&self) -> Option<RuledCells<Colour>> {
        Some(self.ruled())
    }
}
