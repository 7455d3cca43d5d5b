//! Solutions of a puzzle, and clues that exclude each other.

use figrs_infer::CompiledFrontier;

use super::elements::YinYangElements;
use super::{Board, Clues, YinYang};
use crate::grid::{GridError, Position};

/// A solution of a puzzle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// A board that follows the rules and meets the clues.
    pub board: Board,
    /// `true` if it is the only one.
    pub is_unique: bool,
}

impl YinYang {
    pub(super) fn compiled(
        &self,
        elements: &YinYangElements,
        clues: &Clues,
    ) -> Result<CompiledFrontier, GridError> {
        let model = elements.with_clues(clues);
        Ok(self.frontier.compile(&model, elements.cells())?)
    }

    /// True if some board follows the rules and meets the clues.
    pub(super) fn is_possible(
        &self,
        elements: &YinYangElements,
        clues: &Clues,
    ) -> Result<bool, GridError> {
        Ok(self.compiled(elements, clues)?.log_evidence() > f64::NEG_INFINITY)
    }

    /// Solves the puzzle and decides whether it has one solution only, exactly.
    ///
    /// **Errors.** [`GridError::NoSolution`] names clues that exclude each other; [`GridError::Inference`] if the board is too
    /// large for the memory of a [`Frontier`](figrs_infer::Frontier).
    pub fn solve(&self) -> Result<Solution, GridError> {
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

    /// Clues that no board meets together, though without any one of them there is a board that meets the others; none
    /// if the puzzle has a solution, or if no board follows the rules at all.
    ///
    /// **Guarantee.** Exact. Each clue is left out in turn, and kept if the rest has a solution.
    ///
    /// **Complexity.** A compilation for each clue.
    ///
    /// **Errors.** [`GridError::Inference`] if the board is too large for the budgets.
    pub fn conflict(&self) -> Result<Vec<Position>, GridError> {
        self.conflict_of(&self.elements()?)
    }

    fn conflict_of(&self, elements: &YinYangElements) -> Result<Vec<Position>, GridError> {
        let mut clues = self.clues.clone();
        if self.is_possible(elements, &clues)? {
            return Ok(Vec::new());
        }
        for (at, colour) in self.clues.iter() {
            clues.set(at, None)?;
            if self.is_possible(elements, &clues)? {
                clues.set(at, Some(colour))?;
            }
        }
        Ok(clues.iter().map(|(at, _)| at).collect())
    }

    pub(super) fn no_solution(&self, elements: &YinYangElements) -> Result<GridError, GridError> {
        Ok(GridError::NoSolution {
            size: self.clues.size(),
            clues: self.conflict_of(elements)?,
        })
    }
}
