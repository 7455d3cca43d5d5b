//! A board as an element program.

use figrs_core::{Element, Model, Uniform};
use figrs_infer::{Error, World};

use super::{Board, Colour, YinYang};
use crate::board::Elements;
use crate::grid::{Automaton, Constraint, GridError, NoSquare, TwoColours};

/// A board as elements: the colours of its cells, and the evidence that they follow the rules and the clues.
#[derive(Clone, Debug)]
pub struct YinYangElements {
    pub(super) elements: Elements<Colour>,
    model: Model,
}

impl YinYang {
    /// The element program.
    ///
    /// **Errors.** [`GridError::TooLargeForAutomata`].
    #[track_caller]
    pub fn elements(&self) -> Result<YinYangElements, GridError> {
        let size = self.clues.size().for_automata()?;
        let cells: Vec<Element<Colour>> = size
            .positions()
            .map(|_| Uniform::new([Colour::Black, Colour::White]))
            .collect();
        let rules = TwoColours::new(size)
            .and(NoSquare::new(size))
            .reading(|_, cell: &Colour| *cell == Colour::Black);
        let rules = Constraint::new(size, &cells, rules)?.model().clone();
        let elements = Elements::new(size, cells, rules)?;
        let elements = elements.with_clues(self.clues.iter())?;
        Ok(YinYangElements {
            model: elements.model(),
            elements,
        })
    }
}

impl YinYangElements {
    /// The colours of all cells, in scan order.
    pub fn cells(&self) -> &[Element<Colour>] {
        self.elements.cells()
    }

    /// The evidence that the board follows the rules.
    pub fn rules(&self) -> &Model {
        self.elements.rules()
    }

    /// The evidence that the board follows the rules and meets the clues it was made with.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The board of a world.
    ///
    /// **Errors.** [`Error::NotInWorld`] if the world is one of another model.
    pub fn board(&self, world: &World) -> Result<Board, Error> {
        Ok(Board::new(
            self.elements.size(),
            world.values(self.cells())?,
        ))
    }
}
