//! Constraints on walks.

use super::{Automaton, Position};

/// Ground of a cell for walks: wall, open or marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ground {
    /// Cannot be walked on.
    Wall,
    /// Can be walked on.
    Open,
    /// Can be walked on and has the marks whose bits are set.
    Marked(u8),
}
figrs_core::value!(Ground);

impl Ground {
    /// The marks of the cell.
    pub(crate) fn marks(self) -> u8 {
        match self {
            Self::Marked(marks) => marks,
            Self::Wall | Self::Open => 0,
        }
    }
}

/// Steps from a cell to the neighbours read before it.
#[derive(Clone, Copy, Debug)]
pub struct OpenEdges {
    /// `true` if one can step to the cell above.
    pub up: bool,
    /// `true` if one can step to the cell to the left.
    pub left: bool,
}

/// A constraint on walks that gets the pairs of cells between which one can step.
///
/// It is an [`Automaton`] if one can step between any two cells side by side that are not walls.
pub trait Walk: Send + Sync + 'static {
    /// Summary of the cells read so far, sufficient for all continuations.
    type State: figrs_core::Value;

    /// Returns the state before the first cell.
    fn before(&self) -> Self::State;

    /// Returns the state after the next cell of a column; `None` if no continuation can be accepted. A neighbour that
    /// `ways` leads to is not a wall.
    fn walk(
        &self,
        column: usize,
        state: &Self::State,
        ground: Ground,
        ways: OpenEdges,
    ) -> Option<Self::State>;

    /// True if the last cell read of a column is known not to be a wall.
    fn is_open(&self, state: &Self::State, column: usize) -> bool;

    /// True if steps between later cells no longer matter.
    fn is_settled(&self, state: &Self::State) -> bool;

    /// True if the constraint holds with this state after the last cell.
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
