//! Perfect mazes as a generator of boards.

use super::{Maze, PerfectMaze, Pointer};
use crate::board::{BoardError, Elements, Generator, OwnSampler};
use crate::grid::Size;

/// Boards are drawn by Wilson's algorithm where it is allowed. Bounds on the steps of the solution have no element program.
impl Generator for PerfectMaze {
    type Cell = Pointer;
    type Board = Maze;

    fn size(&self) -> Size {
        self.size
    }

    fn elements(&self) -> Result<Elements<Pointer>, BoardError> {
        if self.steps.is_some() {
            let what = "bounds on the steps of a maze";
            return Err(BoardError::NoElements { what });
        }
        let elements = PerfectMaze::elements(*self)?;
        let (cells, rules) = (elements.pointers().to_vec(), elements.model().clone());
        Ok(Elements::new(self.size, cells, rules)?)
    }

    fn board(&self, cells: Vec<Pointer>) -> Result<Maze, BoardError> {
        Ok(Maze::from_pointers(self.size, cells)?)
    }

    /// Extrapolated from smaller mazes.
    fn predicted_bytes(&self) -> Option<f64> {
        let (rows, columns) = (self.size.rows() as f64, self.size.columns() as f64);
        Some(3.9 * rows * 5.4f64.powf(columns))
    }

    fn meets(&self, maze: &Maze) -> bool {
        let steps = || maze.solution().len() as u32 - 1;
        self.steps
            .is_none_or(|(least, most)| (least..=most).contains(&steps()))
    }

    fn sampler(&self) -> Option<OwnSampler<'_, Maze>> {
        Some(OwnSampler::Independent {
            name: "wilson",
            draw: Box::new(|rng| self.sample(rng)),
            rejects: self.steps.is_some(),
        })
    }
}
