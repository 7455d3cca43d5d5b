//! The probabilistic program of a board.

use figrs_core::{Element, Model, Value};
use figrs_infer::{Error, World};

use crate::grid::{Automaton, Board, Constraint, GridError, Position, Size};

/// The probabilistic program of a board: an element (random variable) for each cell, the rules as evidence on these elements, and the clues.
#[derive(Clone, Debug)]
pub struct BoardElements<C> {
    size: Size,
    cells: Vec<Element<C>>,
    rules: Model,
    clues: Vec<(Position, C)>,
    /// Cells with a clue that allows several values, each with an element that is true if the cell agrees with its clue.
    conditions: Vec<(Position, Element<bool>)>,
    model: Model,
}

impl<C: Value> BoardElements<C> {
    /// Creates a program from an element (random variable) for each cell, in scan order (row by row), and from the evidence that the cells follow the
    /// rules and meet all demands.
    ///
    /// **Errors.** [`GridError::Invalid`] if the number of elements differs from the number of cells.
    pub fn new(size: Size, cells: Vec<Element<C>>, rules: Model) -> Result<Self, GridError> {
        GridError::same_length("cells", size.cells(), cells.len())?;
        Ok(Self {
            size,
            cells,
            model: rules.clone(),
            rules,
            clues: Vec::new(),
            conditions: Vec::new(),
        })
    }

    /// Adds clues, each of which is a cell with a known value. Clues are stored apart from the rules, so that contradictory clues can be found.
    ///
    /// **Errors.** [`GridError::Invalid`] if a clue is outside the grid.
    pub fn with_clues(
        self,
        clues: impl IntoIterator<Item = (Position, C)>,
    ) -> Result<Self, GridError> {
        let (size, clues) = (self.size, Vec::from_iter(clues));
        for &(at, _) in &clues {
            GridError::inside(at, size)?;
        }
        Ok(Self {
            model: self.model_with(&clues),
            clues,
            ..self
        })
    }

    /// Adds to the rules the evidence that an automaton accepts the values of the cells.
    ///
    /// **Errors.** [`GridError::TooLarge`] if the automaton cannot read grids of the board's size.
    #[track_caller]
    pub fn with_rule(self, automaton: impl Automaton<C>) -> Result<Self, GridError> {
        let (models, cells) = ([self.rules, self.model], (self.size, &*self.cells));
        let [rules, model] = Constraint::in_models(models, cells, automaton)?;
        Ok(Self {
            rules,
            model,
            ..self
        })
    }

    /// Adds clues that allow several values, each as an element that is true if the cell agrees with its clue.
    ///
    /// **Errors.** The errors of the method [`with_clues`](Self::with_clues).
    pub(crate) fn with_conditions(
        self,
        conditions: impl IntoIterator<Item = (Position, Element<bool>)>,
    ) -> Result<Self, GridError> {
        let (size, conditions) = (self.size, Vec::from_iter(conditions));
        for &(at, _) in &conditions {
            GridError::inside(at, size)?;
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

    /// Returns the cells of all clues: first the cells with known values, then the cells whose clues allow several values.
    pub(crate) fn clue_cells(&self) -> Vec<Position> {
        let values = self.clues.iter().map(|(at, _)| *at);
        let conditions = self.conditions.iter().map(|(at, _)| *at);
        values.chain(conditions).collect()
    }

    /// Returns the evidence of the rules and of the clues with the indices `clues` in the list [`clue_cells`](Self::clue_cells).
    pub(crate) fn model_of(&self, clues: &[usize]) -> Model {
        let known = self.clues.len();
        let values = clues.iter().filter_map(|&clue| self.clues.get(clue));
        let model = self.model_with(&values.cloned().collect::<Vec<_>>());
        let conditions = clues.iter().filter_map(|&clue| clue.checked_sub(known));
        conditions.fold(model, |model, condition| {
            model.observe(&self.conditions[condition].1, true)
        })
    }

    /// Returns the size of the board's grid.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Returns the elements of the cells, in scan order (row by row).
    pub fn cells(&self) -> &[Element<C>] {
        &self.cells
    }

    /// Returns the clues that are cells with known values.
    pub fn clues(&self) -> &[(Position, C)] {
        &self.clues
    }

    /// Returns the evidence that the board follows the rules and meets all demands of the user, without the clues.
    pub fn rules(&self) -> &Model {
        &self.rules
    }

    /// Returns the evidence that the board follows the rules, meets all demands of the user and agrees with the clues.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Returns the board that belongs to a world (an assignment of values to the elements).
    ///
    /// **Errors.** [`Error::UnknownElement`] if the world belongs to another model.
    pub fn board(&self, world: &World) -> Result<Board<C>, Error> {
        Ok(Board::of(self.size, world.values(&self.cells)?))
    }

    pub(crate) fn model_with(&self, clues: &[(Position, C)]) -> Model {
        clues.iter().fold(self.rules.clone(), |model, (at, value)| {
            model.observe(&self.cells[self.size.index(*at)], value.clone())
        })
    }
}
