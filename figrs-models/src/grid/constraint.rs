//! Constraints on the cells of a grid: automata that are folded over the elements (random variables) of the cells.

use std::sync::Arc;

use figrs_core::{Element, Model, Parents, Value};

use super::{Automaton, GridError, Size};

/// An automaton folded over the elements of the cells of a grid: its state after each cell, and the evidence that it accepts the cells.
///
/// The automaton's state is `None` as soon as no values of the remaining cells can be accepted. It is evidence that no state of the automaton is
/// `None`, so that inference excludes impossible boards early.
#[derive(Clone, Debug)]
pub struct Constraint<S> {
    states: Vec<Element<Option<S>>>,
    model: Model,
}

type States<S> = Vec<Element<Option<S>>>;

type Accepts<S> = Arc<dyn Fn(&S) -> bool + Send + Sync>;

/// Adds the evidence that no state of the automaton is `None`, and that its last state is accepted.
#[track_caller]
fn evidence<S: Value>(
    mut model: Model,
    states: &[Element<Option<S>>],
    accepts: &Accepts<S>,
) -> Model {
    for (index, state) in states.iter().enumerate() {
        model = if index + 1 < states.len() {
            model.condition(state, Option::is_some)
        } else {
            let accepts = Arc::clone(accepts);
            model.condition(state, move |state| {
                state.as_ref().is_some_and(|state| accepts(state))
            })
        };
    }
    model
}

impl<S: Value> Constraint<S> {
    /// Folds an automaton over the elements of all cells of a grid, in scan order.
    ///
    /// **Errors.** [`GridError::Invalid`] if the number of elements differs from the number of cells; [`GridError::TooLarge`] if the automaton cannot
    /// read grids of the size `size`.
    #[track_caller]
    pub fn new<C: Value>(
        size: Size,
        cells: &[Element<C>],
        automaton: impl Automaton<C, State = S>,
    ) -> Result<Self, GridError> {
        let (states, accepts) = Self::folded(size, cells, automaton)?;
        let model = evidence(Model::new(), &states, &accepts);
        Ok(Self { states, model })
    }

    /// Folds an automaton over the elements of all cells, and adds to each model of `models` the evidence that the automaton accepts the cells.
    ///
    /// **Errors.** The errors of the constructor [`new`](Self::new).
    #[track_caller]
    pub(crate) fn in_models<C: Value, const N: usize>(
        models: [Model; N],
        (size, cells): (Size, &[Element<C>]),
        automaton: impl Automaton<C, State = S>,
    ) -> Result<[Model; N], GridError> {
        let (states, accepts) = Self::folded(size, cells, automaton)?;
        Ok(models.map(|model| evidence(model, &states, &accepts)))
    }

    #[track_caller]
    fn folded<C: Value>(
        size: Size,
        cells: &[Element<C>],
        automaton: impl Automaton<C, State = S>,
    ) -> Result<(States<S>, Accepts<S>), GridError> {
        GridError::same_length("cells", size.cells(), cells.len())?;
        let size = size.within_columns(automaton.most_columns())?;
        let automaton = Arc::new(automaton);
        let mut states: Vec<Element<Option<S>>> = Vec::with_capacity(cells.len());
        for (at, cell) in size.positions().zip(cells) {
            let automaton = Arc::clone(&automaton);
            states.push(match states.last() {
                Some(state) => (state, cell).map(move |(state, cell): (&Option<S>, &C)| {
                    automaton.step(at, state.as_ref()?, cell)
                }),
                None => cell.map(move |cell| automaton.step(at, &automaton.start(), cell)),
            });
        }
        Ok((states, Arc::new(move |state| automaton.accepts(state))))
    }

    /// Returns, for each cell in scan order, the element for the state of the automaton after this cell.
    pub fn states(&self) -> &[Element<Option<S>>] {
        &self.states
    }

    /// Returns the element for the state of the automaton after the last cell.
    pub fn last(&self) -> &Element<Option<S>> {
        &self.states[self.states.len() - 1]
    }

    /// Returns the evidence that the automaton accepts the cells of the grid.
    pub fn model(&self) -> &Model {
        &self.model
    }
}
