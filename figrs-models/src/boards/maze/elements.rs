//! A maze as a probabilistic program.

use figrs_core::{Constant, Element, Select, Value};

use super::bounded_way::BoundedWay;
use super::{PerfectMaze, Pointer, Tree, TreeState};
use crate::board::BoardElements;
use crate::grid::{Automaton, Constraint, GridError};

impl PerfectMaze {
    /// Creates the probabilistic program of the mazes.
    ///
    /// **Errors.** [`GridError::TooLarge`] if the grid is too large for automata.
    #[track_caller]
    pub fn elements(&self) -> Result<BoardElements<Pointer>, GridError> {
        let size = self.size().for_automata()?;
        let cells: Vec<Element<Pointer>> = size
            .positions()
            .map(|at| {
                if size.index(at) == 0 {
                    return Constant::new(Pointer::Root);
                }
                Select::new(self.choices(at).map(|(pointer, weight)| (weight, pointer)))
            })
            .collect();
        let rules = match self.steps {
            Some(steps) => {
                let way = BoundedWay::new(size, steps)?;
                Constraint::new(size, &cells, way)?.model().clone()
            }
            None => Constraint::new(size, &cells, Tree::new(size))?
                .model()
                .clone(),
        };
        BoardElements::new(size, cells, rules)?
            .with_clues(self.clues.iter().map(|(at, clue)| (at, clue.0)))
    }
}

impl BoardElements<Pointer> {
    /// Returns the constraint that the pointers form a tree and that `automaton` accepts the pointers; one fold evaluates both conditions.
    ///
    /// **Errors.** The errors of [`Constraint::new`].
    #[track_caller]
    pub fn and<A: Automaton<Pointer>>(
        &self,
        automaton: A,
    ) -> Result<Constraint<(TreeState, A::State)>, GridError>
    where
        A::State: Value,
    {
        Constraint::new(
            self.size(),
            self.cells(),
            Tree::new(self.size()).and(automaton),
        )
    }
}
