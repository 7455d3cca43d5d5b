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
    /// Cells with other knowledge than a value, each with an element that is true if the cell agrees with it.
    conditions: Vec<(Position, Element<bool>)>,
    model: Model,
}

impl<C: Value> Elements<C> {
    /// Creates a program from cells in scan order, and the evidence that they follow the rules and meet all demands.
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
            conditions: Vec::new(),
        })
    }

    /// Adds known cells. They are kept apart from the rules, so that those that exclude each other can be named.
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

    /// Adds further clues, each by an element that is true if the cell agrees with the clue. They are also kept apart from the rules.
    ///
    /// **Errors.** As [`with_clues`](Self::with_clues).
    pub(crate) fn with_conditions(
        self,
        conditions: impl IntoIterator<Item = (Position, Element<bool>)>,
    ) -> Result<Self, GridError> {
        let (size, conditions) = (self.size, Vec::from_iter(conditions));
        if let Some(&(at, _)) = conditions.iter().find(|(at, _)| !size.contains(*at)) {
            return Err(GridError::Outside { at, size });
        }
        let model = self.model.clone();
        let met =
            |model: Model, (_, is_met): &(Position, Element<bool>)| model.observe(is_met, true);
        let model = conditions.iter().fold(model, met);
        Ok(Self {
            conditions,
            model,
            ..self
        })
    }

    /// The cells of all clues: those of known values, then those of conditions.
    pub(crate) fn clue_cells(&self) -> Vec<Position> {
        let values = self.clues.iter().map(|(at, _)| *at);
        let conditions = self.conditions.iter().map(|(at, _)| *at);
        values.chain(conditions).collect()
    }

    /// The evidence of the rules and of some clues, by their places in [`clue_cells`](Self::clue_cells).
    pub(crate) fn model_of(&self, clues: &[usize]) -> Model {
        let known = self.clues.len();
        let values = clues.iter().filter_map(|&clue| self.clues.get(clue));
        let model = self.model_with(&values.cloned().collect::<Vec<_>>());
        let conditions = clues.iter().filter_map(|&clue| clue.checked_sub(known));
        conditions.fold(model, |model, condition| {
            model.observe(&self.conditions[condition].1, true)
        })
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

    /// The evidence that the board follows the rules and meets all demands except the clues.
    pub fn rules(&self) -> &Model {
        &self.rules
    }

    /// The evidence that the board follows the rules and meets all demands and the clues.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The board of a world.
    ///
    /// **Errors.** [`Error::NotInWorld`] if the world is of another model.
    pub fn board(&self, world: &World) -> Result<Board<C>, Error> {
        Ok(Board::of(self.size, world.values(&self.cells)?))
    }

    /// The evidence of the rules and of other clues, whose cells must be in the grid.
    pub(crate) fn model_with(&self, clues: &[(Position, C)]) -> Model {
        clues.iter().fold(self.rules.clone(), |model, (at, value)| {
            model.observe(&self.cells[self.size.index(*at)], value.clone())
        })
    }
}
