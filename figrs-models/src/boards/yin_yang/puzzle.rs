//! Puzzles with one solution and few clues.

use rand::Rng;
use rand::seq::SliceRandom;

use super::{Colour, ColourClues, YinYang};
use crate::board::{BoardError, Generator, MAX_CONSECUTIVE_FAILURES};
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
    /// Bounds on the colours are of the solution alone: the puzzle has no other, with those bounds or without.
    ///
    /// **Complexity.** A compilation for all boards that meet the given clues, and for each cell a sweep over the states that the clues left then leave.
    ///
    /// **Errors.** [`BoardError::NoSolution`]; [`BoardError::NoneMet`] if a million boards in a row are outside the bounds on colours; [`BoardError::Inference`] if the board is
    /// too large for the memory of a [`Frontier`](figrs_infer::Frontier).
    pub fn puzzle<R: Rng>(&self, rng: &mut R) -> Result<(ColourClues, Board<Colour>), BoardError> {
        self.puzzle_watched(rng, |_| {})
    }

    /// As [`puzzle`](Self::puzzle); calls `watch` with the number of cells that have been tried as clues.
    pub fn puzzle_watched<R: Rng>(
        &self,
        rng: &mut R,
        mut watch: impl FnMut(usize),
    ) -> Result<(ColourClues, Board<Colour>), BoardError> {
        let all = self.relaxed();
        let all = all.as_ref().unwrap_or(self);
        let elements = all.elements()?;
        let compiled = all.compiled(&elements, &self.clues)?;
        if compiled.log_evidence() == f64::NEG_INFINITY {
            return Err(self.no_solution(&elements)?);
        }
        let mut tried = 0;
        let board = loop {
            let board = elements.board(&compiled.sample(rng)?)?;
            if self.meets(&board) {
                break board;
            }
            tried += 1;
            if tried == MAX_CONSECUTIVE_FAILURES {
                return Err(BoardError::NoneMet { tried });
            }
        };
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
            let known = clues.iter().map(|(at, colour)| {
                let cell = &elements.cells()[board.size().index(at)];
                (cell, colour)
            });
            let needed = compiled.allows(known)?;
            clues.set(at, needed.then_some(colour))?;
        }
        Ok((clues, board))
    }
}
