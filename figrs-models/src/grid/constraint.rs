//! Constraints: automata folded over the elements of the cells.

use std::sync::Arc;

use figrs_core::{Element, Model, Parents, Value};

use super::{Automaton, GridError, Size};

/// An automaton folded over the elements of the cells of a grid: its state after each cell, and the evidence that it accepts the cells.
///
/// The state is `None` from the first cell on after which no continuation can be accepted. The evidence on each state excludes
/// `None`, so that expansion leaves such states out and samplers end such worlds early.
#[derive(Clone, Debug)]
pub struct Constraint<S> {
    states: Vec<Element<Option<S>>>,
    model: Model,
}

impl<S: Value> Constraint<S> {
    /// Folds an automaton over the elements of all cells of a grid, in scan order.
    ///
    /// **Errors.** [`GridError::Length`] if there is not one element for each cell; [`GridError::TooLargeForAutomata`].
    #[track_caller]
    pub fn new<C: Value>(
        size: Size,
        cells: &[Element<C>],
        automaton: impl Automaton<C, State = S>,
    ) -> Result<Self, GridError> {
        GridError::same_length("cells", size, cells.len())?;
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
        let mut model = Model::new();
        for (index, state) in states.iter().enumerate() {
            model = if index + 1 < states.len() {
                model.condition(state, Option::is_some)
            } else {
                let automaton = Arc::clone(&automaton);
                model.condition(state, move |state| {
                    state.as_ref().is_some_and(|state| automaton.accepts(state))
                })
            };
        }
        Ok(Self { states, model })
    }

    /// Returns the state after each cell, in scan order.
    pub fn states(&self) -> &[Element<Option<S>>] {
        &self.states
    }

    /// Returns the state after the last cell.
    pub fn last(&self) -> &Element<Option<S>> {
        &self.states[self.states.len() - 1]
    }

    /// Returns the evidence that the automaton accepts the cells.
    pub fn model(&self) -> &Model {
        &self.model
    }
}
