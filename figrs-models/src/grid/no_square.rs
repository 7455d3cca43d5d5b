//! Constraint that no 2 by 2 square has a single colour.

use super::{Automaton, Position, Size};

/// Requires that no 2 by 2 square of the grid has four equal cells.
///
/// **Complexity.** A state of the automaton has the colours of the cells read last in each column and of one more cell; each additional column
/// doubles the number of states.
#[derive(Clone, Copy, Debug)]
pub struct NoSquare {
    size: Size,
}

/// State of the automaton [`NoSquare`]: the colours of the cells that were read last in each column, and of one more cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct NoSquareState {
    /// Bit set of the columns in which the cell read last is `true`; the first column has the lowest bit.
    frontier: u16,
    corner: bool,
}
figrs_core::value!(NoSquareState);

impl NoSquare {
    /// Creates the constraint on 2 by 2 squares for a grid of size `size`.
    pub fn new(size: Size) -> Self {
        Self { size }
    }
}

impl Automaton<bool> for NoSquare {
    type State = NoSquareState;

    fn start(&self) -> NoSquareState {
        NoSquareState::default()
    }

    fn step(&self, at: Position, state: &NoSquareState, cell: &bool) -> Option<NoSquareState> {
        let last = |column: usize| state.frontier >> column & 1 == 1;
        let is_square = at.row > 0
            && at.column > 0
            && [last(at.column), last(at.column - 1), state.corner] == [*cell; 3];
        let frontier = state.frontier & !(1 << at.column) | u16::from(*cell) << at.column;
        (!is_square).then_some(NoSquareState {
            frontier,
            corner: at.column + 1 < self.size.columns() && last(at.column),
        })
    }

    fn accepts(&self, _: &NoSquareState) -> bool {
        true
    }
}
