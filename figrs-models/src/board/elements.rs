//! Element program of a board.

use figrs_core::{Element, Model, Value};
use figrs_infer::{Error, World};

use crate::grid::{Board, GridError, Position, Size};

/// Element program of a board: an element for each cell, the rules as evidence on them, and the cells that are known.
#[derive(Clone, Debug)]
pub struct Elements<C> {
    size: Size,
    cells: Vec<Element<C>>,
    rules: Model,
    clues: Vec<(Position, C)>,
    model: Model,
}

impl<C: Value> Elements<C> {
    /// Cells in scan order, and the evidence that they follow the rules and meet all demands.
    ///
    /// **Errors.** [`GridError::Length`] if there is not one element for each cell.
    pub fn new(size: Size, cells: Vec<Element<C>>, rules: Model) -> Result<Self, GridError> {
        GridError::same_length("cells", size, cells.len())?;
        Ok(Self {
            size,
            cells,
            model: rules.clone(),
            rules,
            clues: Vec::new(),
        })
    }

    /// With cells that are known. They are kept apart from the rules, so that those that exclude each other can be named.
    ///
    /// **Errors.** [`GridError::Outside`] if the grid has no such cell.
    pub fn with_clues(
        self,
        clues: impl IntoIterator<Item = (Position, C)>,
    ) -> Result<Self, GridError> {
        let (size, clues) = (self.size, Vec::from_iter(clues));
        match clues.iter().find(|(at, _)| !size.contains(*at)) {
            Some(&(at, _)) => Err(GridError::Outside { at, size }),
            None => Ok(Self {
                model: self.model_with(&clues),
                clues,
                ..self
            }),
        }
    }

    /// The size of the grid.
    pub fn size(&self) -> Size {
        self.size
    }

    /// The cells, in scan order.
    pub fn cells(&self) -> &[Element<C>] {
        &self.cells
    }

    /// The cells that are known.
    pub fn clues(&self) -> &[(Position, C)] {
        &self.clues
    }

    /// The evidence that the board follows the rules and meets all demands but the clues.
    pub fn rules(&self) -> &Model {
        &self.rules
    }

    /// The evidence that the board follows the rules and meets all demands and the clues.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The board of a world.
    ///
    /// **Errors.** [`Error::NotInWorld`] if the world is one of another model.
    pub fn board(&self, world: &World) -> Result<Board<C>, Error> {
        Ok(Board::of(self.size, world.values(&self.cells)?))
    }

    /// The evidence of the rules and of other clues, all of which the grid has.
    pub(crate) fn model_with(&self, clues: &[(Position, C)]) -> Model {
        clues.iter().fold(self.rules.clone(), |model, (at, value)| {
            model.observe(&self.cells[self.size.index(*at)], value.clone())
        })
    }
}
