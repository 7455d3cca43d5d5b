//! A Yin-Yang board as a probabilistic program.

use figrs_core::{Element, Uniform};

use super::{Colour, YinYang};
use crate::board::BoardElements;
use crate::grid::{Automaton, Constraint, Count, GridError, NoSquare, TwoColours};

impl YinYang {
    /// Creates the probabilistic program of the boards.
    ///
    /// **Errors.** [`GridError::TooLarge`] if the grid is too large for automata.
    #[track_caller]
    pub fn elements(&self) -> Result<BoardElements<Colour>, GridError> {
        let size = self.clues.size().for_automata()?;
        let cells: Vec<Element<Colour>> = size
            .positions()
            .map(|_| Uniform::new([Colour::Black, Colour::White]))
            .collect();
        let black = self.black.as_ref();
        let rules = TwoColours::new(size)
            .and(NoSquare::new(size))
            .and(black.map(|range| Count::within(range, size.cells())))
            .reading(|_, cell: &Colour| *cell == Colour::Black);
        let rules = Constraint::new(size, &cells, rules)?.model().clone();
        BoardElements::new(size, cells, rules)?.with_clues(self.clues.iter())
    }
}
