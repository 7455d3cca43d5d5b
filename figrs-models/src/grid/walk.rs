//! Constraints on walks over the cells of a grid.

use super::{Automaton, Position};

/// Kind of a cell for walks on a grid: wall, open or marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ground {
    /// The cell is a wall: a walk cannot enter it.
    Wall,
    /// The cell is open: a walk can enter it.
    Open,
    /// A walk can enter the cell, which has the marks whose bits are set in the contained number.
    Marked(u8),
}
figrs_core::value!(Ground);

impl Ground {
    pub(crate) fn marks(self) -> u8 {
        match self {
            Self::Marked(marks) => marks,
            Self::Wall | Self::Open => 0,
        }
    }
}

/// The neighbours of a cell, among the cells read before it, to which a step of a walk is possible.
#[derive(Clone, Copy, Debug)]
pub struct OpenEdges {
    /// `true` if a step from the cell to the cell above is possible.
    pub up: bool,
    /// `true` if a step from the cell to the cell to its left is possible.
    pub left: bool,
}

/// A constraint on walks over a grid; for each cell, it receives the neighbours to which a step is possible.
///
/// A constraint of the trait `Walk` is an [`Automaton`] if a step is possible between any two adjacent cells that are not walls.
pub trait Walk: Send + Sync + 'static {
    /// A summary of the cells read so far, which suffices to decide which values of the remaining cells are accepted.
    type State: figrs_core::Value;

    /// Returns the state of the constraint before the first cell.
    fn before(&self) -> Self::State;

    /// Returns the state of the constraint after the next cell, which is in the column `column`; `None` if no values of the remaining cells can be
    /// accepted. A neighbouring cell to which the argument `ways` allows a step is never a wall.
    fn walk(
        &self,
        column: usize,
        state: &Self::State,
        ground: Ground,
        ways: OpenEdges,
    ) -> Option<Self::State>;

    /// True if the state shows that the cell read last in the column `column` is not a wall.
    fn is_open(&self, state: &Self::State, column: usize) -> bool;

    /// True if steps between later cells no longer affect the state of the constraint.
    fn is_settled(&self, state: &Self::State) -> bool;

    /// True if the constraint on walks holds when `state` is the state after the last cell.
    fn arrives(&self, state: &Self::State) -> bool;
}

impl<W: Walk> Automaton<Ground> for W {
    type State = W::State;

    fn start(&self) -> W::State {
        self.before()
    }

    fn step(&self, at: Position, state: &W::State, cell: &Ground) -> Option<W::State> {
        let open = |column| *cell != Ground::Wall && self.is_open(state, column);
        let ways = OpenEdges {
            up: open(at.column),
            left: at.column > 0 && open(at.column - 1),
        };
        self.walk(at.column, state, *cell, ways)
    }

    fn accepts(&self, state: &W::State) -> bool {
        self.arrives(state)
    }
}
