//! Islands as a generator of boards.

use super::{Island, Terrain};
use crate::board::{BoardError, Elements, Generator, RuledCells};
use crate::grid::{Board, Size};

/// Islands of any size are drawn by Markov chains.
impl Generator for Island {
    type Cell = Terrain;
    type Board = Board<Terrain>;

    fn size(&self) -> Size {
        self.clues.size()
    }

    fn elements(&self) -> Result<Elements<Terrain>, BoardError> {
        Ok(Island::elements(self)?)
    }

    fn board(&self, cells: Vec<Terrain>) -> Result<Board<Terrain>, BoardError> {
        Ok(Board::new(self.size(), cells)?)
    }

    /// Extrapolated from smaller islands.
    fn predicted_bytes(&self) -> Option<f64> {
        let (rows, columns) = (self.size().rows() as f64, self.size().columns() as f64);
        if let (Some(_), None, Some(land)) = (self.few(), &self.bays, &self.land) {
            let most = f64::from(*land.end());
            return Some(rows * columns * 300.0 + 4000.0 * 3.0f64.powf(most / 2.0) * most);
        }
        let land = self.land.as_ref().map_or(1.0, |_| rows * columns / 6.0);
        let bays = self
            .bays
            .as_ref()
            .map_or(1.0, |_| 0.5 * 1.62f64.powf(columns));
        Some(1.8 * rows * 3.03f64.powf(columns) * land * bays)
    }

    fn ruled_cells(&self) -> Option<RuledCells<Terrain>> {
        Some(self.ruled())
    }
}
