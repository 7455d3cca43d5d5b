//! Puzzles with one solution and few clues.

use figrs_infer::CompiledFrontier;
use rand::Rng;
use rand::seq::SliceRandom;

use super::{Colour, ColourClues, YinYang};
use crate::board::{BoardError, Elements, Generator, MAX_CONSECUTIVE_FAILURES};
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
        let puzzles = self.puzzles()?;
        loop {
            // It always goes on.
            if let Some(made) = puzzles.draw(rng, |_| true)? {
                return Ok(made);
            }
        }
    }

    /// Compiles the boards that [puzzles](Self::puzzle) are made of, for many of them.
    ///
    /// **Errors.** [`BoardError::NoSolution`]; [`BoardError::Inference`] if the board is too large for the memory of a [`Frontier`](figrs_infer::Frontier).
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

/// All boards that meet some clues, compiled, of which puzzles are made; see [`YinYang::puzzles`].
#[derive(Debug)]
pub struct YinYangPuzzles<'y> {
    yin_yang: &'y YinYang,
    elements: Elements<Colour>,
    compiled: CompiledFrontier,
}

impl YinYangPuzzles<'_> {
    /// A random [puzzle](YinYang::puzzle), and its solution; `goes_on` is given the number of cells that were tried as clues, none while a solution is drawn, and where it returns false there is no puzzle.
    ///
    /// **Errors.** [`BoardError::NoneMet`] if a million boards in a row are outside the bounds on colours; [`BoardError::Inference`].
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
