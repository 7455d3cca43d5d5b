//! Islands as a generator of boards.

use super::{Island, Terrain};
use crate::board::{BoardElements, BoardError, Generator, RuledCells};
use crate::grid::{Board, Size};

/// Markov chains draw islands of any size.
impl Generator for Island {
    type Cell = Terrain;
    type Board = Board<Terrain>;

    fn size(&self) -> Size {
        self.clues.size()
    }

    fn elements(&self) -> Result<BoardElements<Terrain>, BoardError> {
        Ok(Island::elements(self)?)
    }

    fn board(&self, cells: Vec<Terrain>) -> Result<Board<Terrain>, BoardError> {
        Ok(Board::new(self.size(), cells)?)
    }

    fn predicted_bytes(&self) -> Option<f64> {
        let (rows, columns) = (self.size().rows() as f64, self.size().columns() as f64);
        let land = self.land.as_ref().map_or(1.0, |_| rows * columns / 6.0);
        let bays = self
            .bays
            .as_ref()
            .map_or(1.0, |_| 0.5 * 1.62f64.powf(columns));
        let bytes = 1.8 * rows * 3.03f64.powf(columns) * land * bays;
        // The prediction for few cells of land was measured on boards of 100 by 100 cells with at most 4, 8 and 10 cells of land.
        let most = self.few().and(self.land.as_ref());
        let few = most.map(|land| {
            40.0 * rows * columns + 4740.0 * 2.55f64.powf(f64::from(*land.end())) * bays
        });
        Some(few.map_or(bytes, |few| few.min(bytes)))
    }

    fn ruled_cells(&self) -> Option<RuledCells<Terrain>> {
        Some(self.ruled())
    }
}
