//! Makes Yin-Yang puzzles with one solution and few clues.

use figrs_infer::{Compiled, CompiledFrontier};
use rand::Rng;
use rand::seq::SliceRandom;

use super::{Colour, ColourClues, YinYang};
use crate::board::{BoardElements, BoardError, Generator, MAX_CONSECUTIVE_FAILURES};
use crate::grid::Board;

impl YinYang {
    /// Draws a random Yin-Yang puzzle with exactly one solution, and returns the clues and the solution.
    ///
    /// The solution of the puzzle is drawn uniformly from the boards that agree with the given clues. At first, every cell of the drawn solution is a
    /// clue. The clues of the puzzle are then visited in random order, and each is removed if the puzzle without it still has only one solution.
    /// Clues that the user has given are not removed.
    ///
    /// **Guarantee.** The puzzle has exactly one solution; without any single one of the clues that were not given, it would have several.
    ///
    /// The solution of the puzzle is within the bounds on the numbers of black and white cells; no other solution exists even outside these bounds.
    ///
    /// **Complexity.** The program of the boards that agree with the given clues is compiled once; for each cell, inference passes once through the
    /// states of the compiled program.
    ///
    /// **Errors.** [`BoardError::NoSolution`] if no board agrees with the clues; [`BoardError::NoneMet`] if a million boards in a row violate the
    /// bounds on the numbers of black and white cells; [`BoardError::Inference`] if the board is too large for the memory of the exact algorithm
    /// [`Frontier`](figrs_infer::Frontier).
    pub fn puzzle<R: Rng>(&self, rng: &mut R) -> Result<(ColourClues, Board<Colour>), BoardError> {
        let puzzles = self.puzzles()?;
        loop {
            if let Some(made) = puzzles.draw(rng, |_| true)? {
                return Ok(made);
            }
        }
    }

    /// Compiles the program of the boards that can be solutions of [puzzles](Self::puzzle), so that many puzzles can be drawn.
    ///
    /// **Errors.** [`BoardError::NoSolution`] if no board agrees with the clues; [`BoardError::Inference`] if the board is too large for the memory
    /// of the exact algorithm [`Frontier`](figrs_infer::Frontier).
    pub fn puzzles(&self) -> Result<YinYangPuzzles<'_>, BoardError> {
        let all = Self {
            black: None,
            ..self.clone()
        };
        let elements = all.elements()?;
        let compiled = all.compiled(&elements, &self.clues)?;
        if compiled.log_evidence() == f64::NEG_INFINITY {
            return Err(all.no_solution(&elements)?);
        }
        Ok(YinYangPuzzles {
            yin_yang: self,
            elements,
            compiled,
        })
    }
}

/// The compiled program of the boards that agree with the given clues, from which puzzles are drawn; see [`YinYang::puzzles`].
#[derive(Debug)]
pub struct YinYangPuzzles<'y> {
    yin_yang: &'y YinYang,
    elements: BoardElements<Colour>,
    compiled: CompiledFrontier,
}

impl YinYangPuzzles<'_> {
    /// Draws a random [puzzle](YinYang::puzzle) and its solution. The function `goes_on` receives the number of clues visited so far, or 0 while the
    /// solution is drawn; if it returns false, no puzzle is returned.
    ///
    /// **Errors.** [`BoardError::NoneMet`] if a million boards in a row violate the bounds on the numbers of black and white cells;
    /// [`BoardError::Inference`] if inference fails.
    pub fn draw<R: Rng>(
        &self,
        rng: &mut R,
        mut goes_on: impl FnMut(usize) -> bool,
    ) -> Result<Option<(ColourClues, Board<Colour>)>, BoardError> {
        let Self {
            yin_yang,
            elements,
            compiled,
        } = self;
        let mut tried = 0;
        let board = loop {
            if !goes_on(0) {
                return Ok(None);
            }
            let board = elements.board(&compiled.sample(rng)?)?;
            if yin_yang.meets(&board) {
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
            .filter(|(at, _)| yin_yang.clues.get(*at).is_none())
            .collect();
        cells.shuffle(rng);
        for (tried, (at, &colour)) in cells.into_iter().enumerate() {
            if !goes_on(tried) {
                return Ok(None);
            }
            clues.set(at, Some(colour.other()))?;
            let known = clues.iter().map(|(at, colour)| {
                let cell = &elements.cells()[board.size().index(at)];
                (cell, colour)
            });
            let needed = compiled.allows(known)?;
            clues.set(at, needed.then_some(colour))?;
        }
        Ok(Some((clues, board)))
    }
}
