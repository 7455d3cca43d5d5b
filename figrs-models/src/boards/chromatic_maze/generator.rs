//! A generator of boards that are chromatic mazes (grids of coloured tiles).

use super::{ChromaticMaze, ChromaticTile, Endpoint, Hue, RelativeTile};
use crate::board::{BoardElements, BoardError, Generator, RuledCells};
use crate::grid::{Board, GridError, Size};
use figrs_reading::{Mistake, MistakeKind};

/// The relaxed generator draws chromatic mazes without bounds on the length of the solution, and rejection tests the bounds; mazes with randomly
/// drawn colours often have a solution.
impl Generator for ChromaticMaze {
    type Cell = RelativeTile;
    type Board = Board<ChromaticTile>;

    fn size(&self) -> Size {
        self.clues.size()
    }

    fn elements(&self) -> Result<BoardElements<RelativeTile>, BoardError> {
        let elements = ChromaticMaze::elements(self)?;
        let (cells, rules) = (elements.cells().to_vec(), elements.rules().clone());
        let clues = elements.clues().iter().cloned();
        Ok(BoardElements::new(elements.size(), cells, rules)?.with_conditions(clues)?)
    }

    fn board(&self, cells: Vec<RelativeTile>) -> Result<Board<ChromaticTile>, BoardError> {
        Ok(absolute(self.clues.size(), &cells)?)
    }

    /// Returns the predicted memory in bytes of the states of exact inference, extrapolated from smaller mazes. If clues state colours, the states of
    /// exact inference contain the colour of each tile.
    fn predicted_bytes(&self) -> Option<f64> {
        let size = self.clues.size();
        let (rows, columns) = (size.rows() as f64, size.columns() as f64);
        let has_colours = self.clues.iter().any(|(_, clue)| clue.hue().is_some());
        let colours = if has_colours { Hue::WHEEL.len() } else { 1 };
        let bytes = match &self.steps {
            None => 5.2 * rows * 23f64.powf(columns),
            Some(_) => 0.13 * rows.powf(4.6) * 36.7f64.powf(columns),
        };
        Some(colours as f64 * bytes)
    }

    fn relaxed(&self) -> Option<Self> {
        self.steps.as_ref()?;
        let steps = None;
        Some(Self {
            steps,
            ..self.clone()
        })
    }

    fn meets(&self, board: &Board<ChromaticTile>) -> bool {
        let steps = || Some(board.solution()?.len() as u32 - 1);
        let bounds = self.steps.as_ref();
        bounds.is_none_or(|bounds| steps().is_some_and(|steps| bounds.contains(&steps)))
    }

    fn is_often_met(&self) -> bool {
        true
    }

    fn ruled_cells(&self) -> Option<RuledCells<RelativeTile>> {
        Some(self.ruled())
    }
}

/// Converts relative tiles (colours relative to the tile before) to a board.
///
/// **Errors.** An error if the number of tiles differs from the number of cells of the grid, or if the path does not have exactly two ends.
pub(super) fn absolute(
    size: Size,
    tiles: &[RelativeTile],
) -> Result<Board<ChromaticTile>, GridError> {
    let ends = tiles.iter().filter(|tile| tile.is_end()).count();
    let start_first = tiles.first().is_some_and(|tile| tile.start_first);
    let (mut colour, mut next) = (Hue::WHEEL[0], start_first);
    let cells = tiles.iter().map(|tile| {
        colour = colour.turned(tile.turn);
        let end = tile.is_end().then(|| {
            let is_start = std::mem::replace(&mut next, !start_first);
            if is_start {
                Endpoint::Start
            } else {
                Endpoint::Finish
            }
        });
        ChromaticTile { colour, end }
    });
    let board = Board::new(size, cells.collect())?;
    if ends != 2 {
        return Err(Mistake::new(
            MistakeKind::Count,
            format!("the path of the chromatic maze has {ends} ends"),
            "give the tiles of one path; a path has two ends",
        )
        .into());
    }
    Ok(board)
}
