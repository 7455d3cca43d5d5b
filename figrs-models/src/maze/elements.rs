//! A maze as an element program.

use figrs_core::{Constant, Element, Model, Select, Value};
use figrs_infer::{Error, World};

use super::{Maze, PerfectMaze, Pointer, Tree, TreeState};
use crate::grid::{Automaton, Constraint, GridError, Size};

/// A maze as elements: the pointer of each room, and the evidence that the pointers form a tree.
#[derive(Clone, Debug)]
pub struct MazeElements {
    size: Size,
    pointers: Vec<Element<Pointer>>,
    constraint: Constraint<TreeState>,
}

impl PerfectMaze {
    /// The element program.
    ///
    /// **Errors.** [`GridError::TooLargeForAutomata`].
    #[track_caller]
    pub fn elements(self) -> Result<MazeElements, GridError> {
        let size = self.size.for_automata()?;
        let pointers: Vec<Element<Pointer>> = size
            .positions()
            .map(|at| {
                let place = (at.row, at.column);
                if place == (0, 0) {
                    return Constant::new(Pointer::Root);
                }
                Select::new(
                    self.choices(place)
                        .map(|(pointer, weight)| (weight, pointer)),
                )
            })
            .collect();
        let constraint = Constraint::new(size, &pointers, Tree::new(size))?;
        Ok(MazeElements {
            size,
            pointers,
            constraint,
        })
    }
}

impl MazeElements {
    /// The size of the grid.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Pointers of all rooms, in scan order.
    pub fn pointers(&self) -> &[Element<Pointer>] {
        &self.pointers
    }

    /// The evidence that the maze is perfect.
    pub fn model(&self) -> &Model {
        self.constraint.model()
    }

    /// The maze with another constraint on its pointers as well; one fold reads both.
    ///
    /// **Errors.** Those of [`Constraint::new`].
    #[track_caller]
    pub fn and<A: Automaton<Pointer>>(
        &self,
        automaton: A,
    ) -> Result<Constraint<(TreeState, A::State)>, GridError>
    where
        A::State: Value,
    {
        Constraint::new(
            self.size,
            &self.pointers,
            Tree::new(self.size).and(automaton),
        )
    }

    /// The maze of a world.
    ///
    /// **Errors.** [`Error::NotInWorld`] if the world is one of another model.
    pub fn maze(&self, world: &World) -> Result<Maze, Error> {
        let pointers = world.values(&self.pointers)?;
        Ok(Maze::new(self.size.rows(), self.size.columns(), pointers))
    }
}
