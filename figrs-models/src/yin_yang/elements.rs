//! A board as an element program.

use figrs_core::{Element, Model, Uniform};
use figrs_infer::{Error, World};

use super::{Board, Clues, Colour, YinYang};
use crate::grid::{Automaton, Constraint, GridError, NoSquare, Size, TwoColours};

/// A board as elements: the colours of its cells, and the evidence that they follow the rules and the clues.
#[derive(Clone, Debug)]
pub struct YinYangElements {
    size: Size,
    cells: Vec<Element<Colour>>,
    rules: Model,
    model: Model,
}

impl YinYang {
    /// The element program.
    #[track_caller]
    pub fn elements(&self) -> Result<YinYangElements, GridError> {
        let size = self.clues.size();
        let cells: Vec<Element<Colour>> = size
            .positions()
            .map(|_| Uniform::new([Colour::Black, Colour::White]))
            .collect();
        let rules = TwoColours::new(size)
            .and(NoSquare::new(size))
            .reading(|_, cell: &Colour| *cell == Colour::Black);
        let rules = Constraint::new(size, &cells, rules)?.model().clone();
        let mut elements = YinYangElements {
            size,
            cells,
            model: Model::new(),
            rules,
        };
        elements.model = elements.with_clues(&self.clues);
        Ok(elements)
    }
}

impl YinYangElements {
    /// The colours of all cells, in scan order.
    pub fn cells(&self) -> &[Element<Colour>] {
        &self.cells
    }

    /// The evidence that the board follows the rules.
    pub fn rules(&self) -> &Model {
        &self.rules
    }

    /// The evidence that the board follows the rules and meets the clues it was made with.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The evidence that the board follows the rules and meets other clues.
    pub(super) fn with_clues(&self, clues: &Clues) -> Model {
        clues
            .iter()
            .fold(self.rules.clone(), |model, (at, colour)| {
                model.observe(&self.cells[self.size.index(at)], colour)
            })
    }

    /// The board of a world.
    ///
    /// **Errors.** [`Error::NotInWorld`] if the world is one of another model.
    pub fn board(&self, world: &World) -> Result<Board, Error> {
        Ok(Board::new(self.size, world.values(&self.cells)?))
    }
}
