//! A board as independent cells and rules, for Markov chains.

use super::{Colour, YinYang};
use crate::board::RuledCells;
use crate::grid::{ConnectedRule, CountRule, SquareRule};

impl YinYang {
    /// Cells and rules.
    pub(super) fn ruled(&self) -> RuledCells<Colour> {
        let size = self.clues.size();
        let choices = |at: usize| match self.clues.get(size.position(at)) {
            Some(colour) => vec![(colour, 1.0)],
            None => vec![(Colour::Black, 1.0), (Colour::White, 1.0)],
        };
        let is_black = |_: usize, colour: &Colour| *colour == Colour::Black;
        let black = self.black.clone();
        RuledCells::new(size, choices)
            .rule_if(black.map(|range| CountRule::new(range, is_black)))
            .rule(SquareRule::new(size, |colour: &Colour| {
                *colour == Colour::Black
            }))
            .rule(ConnectedRule::new(size, is_black))
            .rule(ConnectedRule::new(size, |_, colour: &Colour| {
                *colour == Colour::White
            }))
    }
}
