//! Solves Yin-Yang puzzles, and finds clues that contradict each other.

use figrs_infer::{Compiled, CompiledFrontier};

use super::{Colour, ColourClues, YinYang};
use crate::board::{BoardElements, BoardError, no_solution};
use crate::grid::{Board, Position};

/// A solution of a puzzle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// A board that follows the rules of the puzzle and agrees with the clues.
    pub board: Board<Colour>,
    /// `true` if no other board is a solution of the puzzle.
    pub is_unique: bool,
}

impl YinYang {
    pub(super) fn compiled(
        &self,
        elements: &BoardElements<Colour>,
        clues: &ColourClues,
    ) -> Result<CompiledFrontier, BoardError> {
        let clues: Vec<_> = clues.iter().collect();
        let model = elements.model_with(&clues);
        Ok(self.frontier.compile(&model, elements.cells())?)
    }

    /// Solves the Yin-Yang puzzle, and decides whether it has more than one solution.
    ///
    /// **Errors.** [`BoardError::NoSolution`] with clues that contradict each other, if there is no solution; [`BoardError::Inference`] if the board
    /// is too large for the memory of the exact algorithm [`Frontier`](figrs_infer::Frontier).
    pub fn solve(&self) -> Result<Solution, BoardError> {
        let elements = self.elements()?;
        let compiled = self.compiled(&elements, &self.clues)?;
        if compiled.log_evidence() == f64::NEG_INFINITY {
            return Err(self.no_solution(&elements)?);
        }
        Ok(Solution {
            board: elements.board(&compiled.most_probable()?)?,
            is_unique: compiled.count()? == 1u32.into(),
        })
    }

    /// Returns a minimal set of contradictory clues: if any one of these clues is left out, some board agrees with the others. Returns an empty list
    /// if the puzzle has a solution, or if no board follows the rules even without clues.
    ///
    /// **Guarantee.** No board agrees with all returned clues. The search for contradictory clues leaves out each clue in turn, and puts it back if
    /// the remaining clues have a solution, or if it cannot decide whether they have one. If the search cannot decide about a clue, the set of
    /// contradictory clues may not be minimal; [`solve`](Self::solve) then sets `is_minimal` of [`BoardError::NoSolution`] to false.
    ///
    /// **Complexity.** The model of the boards is compiled once for each clue.
    ///
    /// **Errors.** [`BoardError::Inference`] if the board is too large for the limits of the exact algorithm.
    pub fn conflict(&self) -> Result<Vec<Position>, BoardError> {
        match self.solve() {
            Err(BoardError::NoSolution { clues, .. }) => Ok(clues),
            solved => solved.map(|_| Vec::new()),
        }
    }

    pub(super) fn no_solution(
        &self,
        elements: &BoardElements<Colour>,
    ) -> Result<BoardError, BoardError> {
        no_solution(elements, &self.frontier, |_, _| true)
    }
}
