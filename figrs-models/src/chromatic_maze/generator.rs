//! Chromatic mazes as a generator of boards.

use super::{ChromaticBoard, ChromaticMaze, ChromaticTile};
use crate::board::{BoardError, Elements, Generator};
use crate::grid::Size;

/// Bounds on the solution can be left out, and mazes be tried against them; colours drawn at random often have a solution.
impl Generator for ChromaticMaze {
    type Cell = ChromaticTile;
    type Board = ChromaticBoard;

    fn size(&self) -> Size {
        self.size
    }

    fn elements(&self) -> Result<Elements<ChromaticTile>, BoardError> {
        let elements = ChromaticMaze::elements(self)?;
        let (cells, rules) = (elements.tiles().to_vec(), elements.model().clone());
        Ok(Elements::new(self.size, cells, rules)?)
    }

    fn board(&self, cells: Vec<ChromaticTile>) -> Result<ChromaticBoard, BoardError> {
        Ok(ChromaticBoard::from_tiles(self.size, &cells)?)
    }

    /// Extrapolated from smaller mazes.
    fn predicted_bytes(&self) -> Option<f64> {
        let (rows, columns) = (self.size.rows() as f64, self.size.columns() as f64);
        Some(match &self.steps {
            None => 5.2 * rows * 23f64.powf(columns),
            Some(_) => 0.13 * rows.powf(4.6) * 36.7f64.powf(columns),
        })
    }

    fn relaxed(&self) -> Option<Self> {
        self.steps.as_ref()?;
        let steps = None;
        Some(Self {
            steps,
            ..self.clone()
        })
    }

    fn meets(&self, board: &ChromaticBoard) -> bool {
        let steps = || Some(board.solution()?.len() as u32 - 1);
        let bounds = self.steps.as_ref();
        bounds.is_none_or(|bounds| steps().is_some_and(|steps| bounds.contains(&steps)))
    }

    fn is_often_met(&self) -> bool {
        true
    }
}
