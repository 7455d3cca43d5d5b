//! Constraint on a grid with two colours: the cells of each colour are connected.

use super::{Automaton, Connected, ConnectedState, Position, Size};

/// Requires that the cells with the value `true` are connected, that the cells with the value `false` are connected, and that both values occur.
///
/// The constraint accepts the boards that two [`Connected`] automata, one for each colour, accept; but it rejects boards earlier. Let `a`, `b`, `a'`
/// and `b'` be four groups of connected cells among the cells read last in each column, in this order and with alternating colours. If no other group
/// encloses four groups `a`, `b`, `a'` and `b'` of alternating colours, later cells cannot connect both `a` with `a'` and `b` with `b'`.
#[derive(Clone, Copy, Debug)]
pub struct TwoColours {
    size: Size,
}

impl TwoColours {
    /// Creates the constraint on the two colours for a grid of size `size`.
    pub fn new(size: Size) -> Self {
        Self { size }
    }

    /// True if four groups of connected cells that no other group encloses have alternating colours. If groups have alternating colours, later cells
    /// that connect the first group with the third separate the second group from the fourth.
    fn is_crossed(self, (yes, no): &(ConnectedState, ConnectedState)) -> bool {
        let columns = self.size.columns();
        let group = |column| (yes.partition().group(column), no.partition().group(column));
        let (mut alternations, mut colour, mut column) = (0, None, 0);
        while column < columns {
            let here = group(column);
            // Groups do not cross, so this group encloses all cells before its last cell.
            let last = (column..columns).rev().find(|&other| group(other) == here);
            column = last.unwrap_or(column) + 1;
            let is_yes = here.0 > 0;
            if here != (0, 0) && colour != Some(is_yes) {
                colour = Some(is_yes);
                alternations += 1;
            }
        }
        alternations > 3
    }
}

impl Automaton<bool> for TwoColours {
    type State = (ConnectedState, ConnectedState);

    fn start(&self) -> Self::State {
        let start = Automaton::<bool>::start(&Connected);
        (start, start)
    }

    fn step(&self, at: Position, state: &Self::State, cell: &bool) -> Option<Self::State> {
        let yes = Connected.step(at, &state.0, cell)?;
        let no = Connected.step(at, &state.1, &!cell)?;
        let next = (yes, no);
        (!self.is_crossed(&next)).then_some(next)
    }

    fn accepts(&self, state: &Self::State) -> bool {
        Connected.accepts(&state.0) && Connected.accepts(&state.1)
    }
}
