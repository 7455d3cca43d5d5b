//! Perfect mazes as a generator of boards.

use super::matrix_tree::MatrixTree;
use super::{PerfectMaze, Pointer};
use crate::board::{BoardElements, BoardError, Generator, OwnAnswers, OwnSampler, RuledCells};
use crate::grid::{Board, GridError, Size};
use figrs_reading::Mistake;

/// The generator's own sampler is Wilson's algorithm; rejection tests the bounds on the solution. With such bounds, only grids of up to six columns
/// have a probabilistic program.
impl Generator for PerfectMaze {
    type Cell = Pointer;
    type Board = Board<Pointer>;

    fn size(&self) -> Size {
        PerfectMaze::size(self)
    }

    fn elements(&self) -> Result<BoardElements<Pointer>, BoardError> {
        Ok(PerfectMaze::elements(self)?)
    }

    fn board(&self, cells: Vec<Pointer>) -> Result<Board<Pointer>, BoardError> {
        let maze = Board::new(self.clues.size(), cells)?;
        match maze.distances().iter().position(Option::is_none) {
            Some(room) => {
                let room = maze.size().position(room);
                let problem = format!("the room at {room} does not lead to the first one");
                let remedy = "point every room to one beside it that does";
                Err(GridError::from(Mistake::value(problem, remedy)).into())
            }
            None => Ok(maze),
        }
    }

    fn predicted_bytes(&self) -> Option<f64> {
        let (rows, columns) = (
            self.clues.size().rows() as f64,
            self.clues.size().columns() as f64,
        );
        Some(match self.steps {
            None => 3.9 * rows * 5.4f64.powf(columns),
            Some(_) => 0.0031 * rows.powf(4.5) * 17f64.powf(columns),
        })
    }

    fn meets(&self, maze: &Board<Pointer>) -> bool {
        let steps = || Some(maze.solution()?.len() as u32 - 1);
        self.steps.is_none_or(|(least, most)| {
            steps().is_some_and(|steps| (least..=most).contains(&steps))
        })
    }

    fn answers(&self) -> Option<Box<dyn OwnAnswers<Pointer, Board<Pointer>> + '_>> {
        let has_answers = self.steps.is_none() && self.clues.is_empty();
        has_answers.then(|| Box::new(MatrixTree(self.clone())) as Box<_>)
    }

    fn ruled_cells(&self) -> Option<RuledCells<Pointer>> {
        Some(self.ruled())
    }

    fn sampler(&self) -> Option<OwnSampler<'_, Board<Pointer>>> {
        Some(OwnSampler {
            name: "wilson",
            draw: Box::new(|rng| Ok(Some(self.sample(rng)))),
            tries: self.steps.is_some().then_some(u64::MAX),
        })
    }
}
