//! Puzzles with one solution and few clues.

use rand::Rng;
use rand::seq::SliceRandom;

use super::{Colour, ColourClues, YinYang};
use crate::board::BoardError;
use crate::grid::Board;

impl YinYang {
    /// A random puzzle that has one solution, and that solution.
    ///
    /// The solution is drawn uniformly from the boards that meet the clues given. All its cells are clues at first; in random
    /// order each is taken away, unless there is a board then that differs in it. The clues given stay.
    ///
    /// **Guarantee.** The puzzle has no other solution, and without any one of the clues that were not given it has; there may be puzzles
    /// of the same solution with fewer.
    ///
    /// **Complexity.** A compilation for all boards that meet the given clues, and one for each cell.
    ///
    /// **Errors.** [`BoardError::NoSolution`]; [`BoardError::Inference`] if the board is too large for the memory of a
    /// [`Frontier`](figrs_infer::Frontier).
    pub fn puzzle<R: Rng>(&self, rng: &mut R) -> Result<(ColourClues, Board<Colour>), BoardError> {
        self.puzzle_watched(rng, |_| {})
    }

    /// As [`puzzle`](Self::puzzle); calls `watch` with the number of cells that have been tried as clues.
    pub fn puzzle_watched<R: Rng>(
        &self,
        rng: &mut R,
        mut watch: impl FnMut(usize),
    ) -> Result<(ColourClues, Board<Colour>), BoardError> {
        let elements = self.elements()?;
        let compiled = self.compiled(&elements, &self.clues)?;
        if compiled.log_evidence() == f64::NEG_INFINITY {
            return Err(self.no_solution(&elements)?);
        }
        let board = elements.board(&compiled.sample(rng)?)?;
        let mut clues = ColourClues::none(board.size());
        for (at, &colour) in board.iter() {
            clues.set(at, Some(colour))?;
        }
        let mut cells: Vec<_> = board
            .iter()
            .filter(|(at, _)| self.clues.get(*at).is_none())
            .collect();
        cells.shuffle(rng);
        for (tried, (at, &colour)) in cells.into_iter().enumerate() {
            watch(tried);
            clues.set(at, Some(colour.other()))?;
            let others = self.compiled(&elements, &clues)?;
            let needed = others.log_evidence() > f64::NEG_INFINITY;
            clues.set(at, needed.then_some(colour))?;
        }
        Ok((clues, board))
    }
}
