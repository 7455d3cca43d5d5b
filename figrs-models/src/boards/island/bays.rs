//! Constraint on the number of bays of an island (cells of water with land on exactly three sides).

use std::ops::RangeInclusive;

use crate::grid::{Automaton, Position, Size};

/// Requires that the number of bays of an island is in a range; cells with the value `true` are land. A bay is a cell of water with land on exactly
/// three of its sides.
#[derive(Clone, Debug)]
pub struct Bays {
    columns: usize,
    range: RangeInclusive<u32>,
    /// The number up to which the state of the automaton counts bays; all larger numbers lead to the same state.
    enough: u32,
}

/// State of the automaton [`Bays`]: for the last cell read in each column, its sides with land; and the number of bays so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BaysState {
    /// Three bits for the last cell read in each column: [`LAND`] or, for a cell of water, the number of its sides with land so far.
    frontier: u64,
    count: u32,
}
figrs_core::value!(BaysState);

const LAND: u64 = 7;

impl Bays {
    /// Creates the constraint that the number of bays is in `range`, on a grid of size `size`.
    pub fn new(size: Size, range: RangeInclusive<u32>) -> Self {
        let all = *range.end() as usize >= size.cells();
        Self {
            columns: size.columns(),
            enough: if all { *range.start() } else { u32::MAX },
            range,
        }
    }
}

impl Automaton<bool> for Bays {
    type State = BaysState;

    fn start(&self) -> BaysState {
        BaysState::default()
    }

    fn step(&self, at: Position, state: &BaysState, cell: &bool) -> Option<BaysState> {
        let BaysState {
            mut frontier,
            mut count,
        } = *state;
        let get = |frontier: u64, column: usize| frontier >> (3 * column) & 7;
        let mut set = |column: usize, value: u64| {
            let shift = 3 * column;
            frontier = frontier & !(7 << shift) | value << shift;
        };
        // If only the cell below is still unread, water with land on at most one side cannot become a bay.
        let hopeful = |sides: u64| if sides < 2 { 0 } else { sides };
        let land = u64::from(*cell);
        let above = get(state.frontier, at.column);
        if above != LAND && above + land == 3 {
            count = (count + 1).min(self.enough);
        }
        let mut sides = u64::from(above == LAND);
        if at.column > 0 {
            let left = get(state.frontier, at.column - 1);
            if left == LAND {
                sides += 1;
            } else {
                set(at.column - 1, hopeful(left + land));
            }
        }
        let last = at.column + 1 == self.columns;
        set(
            at.column,
            match cell {
                true => LAND,
                false if last => hopeful(sides),
                false => sides,
            },
        );
        (count <= *self.range.end()).then_some(BaysState { frontier, count })
    }

    fn accepts(&self, state: &BaysState) -> bool {
        let below = (0..self.columns).filter(|column| state.frontier >> (3 * column) & 7 == 3);
        let count = state.count + below.count() as u32;
        self.range.contains(&count)
    }
}
