//! Constraint that few cells are connected, among them a given cell, on grids of any width.

use std::ops::RangeInclusive;

use super::connected::joining;
use super::partition::NextCell;
use super::{Automaton, Partition, Position, Size};

/// Requires that the cells with the value `true` are connected, side by side or one above the other, that a given cell is among them, and that there
/// are at most 16 of them.
///
/// The constraint accepts the boards that [`Connected`](super::Connected) and [`Count`](super::Count) accept and that contain the given cell. The
/// automaton rejects a board as soon as the allowed number of additional `true` cells is too small to connect all groups of connected cells. Two
/// neighbouring groups of connected cells need one additional cell for each column between them, unless a group encloses this column. If the given
/// cell has not been read yet, connecting it to the groups needs at least one additional cell for each column between it and the groups, and for each
/// row below them.
///
/// **Complexity.** The number of states of the automaton does not grow with the grid, because all groups of connected cells that can still grow are
/// within 16 columns. Each additional cell that may be `true` multiplies the number of the automaton's states by two and a half.
#[derive(Clone, Debug)]
pub struct ConnectedAround {
    cell: Position,
    least: u32,
    most: u32,
}

/// State of the automaton [`ConnectedAround`]: the groups of connected cells among the cells that were read last in each column, and the number of
/// `true` cells so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ConnectedAroundState {
    /// The first column that has a cell of a group of connected cells. The partition into groups numbers its columns from the column `first`.
    first: u16,
    partition: Partition,
    count: u32,
}
figrs_core::value!(ConnectedAroundState);

impl ConnectedAround {
    /// Maximum number of cells with the value `true`.
    pub const MAX_CELLS: u32 = 16;

    /// Creates the constraint that `cell` is among the connected cells and that the number of these cells is in the range `cells`; `None` if the
    /// range exceeds [`Self::MAX_CELLS`].
    pub fn new(cell: Position, cells: &RangeInclusive<u32>) -> Option<Self> {
        let (least, most) = (*cells.start(), *cells.end());
        (most <= Self::MAX_CELLS).then_some(Self { cell, least, most })
    }

    /// Returns the least number of additional cells that connect all groups of `true` cells; `None` if the groups can no longer be connected.
    fn missing(&self, at: Position, state: &ConnectedAroundState) -> Option<u32> {
        let is_ahead = (self.cell.row, self.cell.column) > (at.row, at.column);
        if state.partition.is_empty() {
            return (state.count == 0 || !is_ahead).then_some(u32::from(is_ahead));
        }
        let group = |column: usize| state.partition.group(column);
        let (mut between, mut last) = (0, 0);
        for column in 0..Self::MAX_CELLS as usize {
            if group(column) == 0 {
                continue;
            }
            between += column.saturating_sub(last + 1);
            let mut same = (column..Self::MAX_CELLS as usize).rev();
            let reach = same.find(|&other| group(other) == group(column));
            last = last.max(reach.unwrap_or(column));
        }
        if !is_ahead {
            return Some(between as u32);
        }
        let first = usize::from(state.first);
        let aside =
            first.saturating_sub(self.cell.column) + self.cell.column.saturating_sub(first + last);
        let below = self.cell.row - at.row;
        Some((aside + between.max(below)) as u32)
    }
}

impl Automaton<bool> for ConnectedAround {
    type State = ConnectedAroundState;

    fn start(&self) -> ConnectedAroundState {
        ConnectedAroundState::default()
    }

    fn step(
        &self,
        at: Position,
        state: &ConnectedAroundState,
        cell: &bool,
    ) -> Option<ConnectedAroundState> {
        if at == self.cell && !cell {
            return None;
        }
        let mut next = *state;
        next.count += u32::from(*cell);
        if *cell {
            if state.partition.is_empty() {
                if state.count > 0 {
                    return None;
                }
                next.first = at.column as u16;
            }
            // Groups that are too far apart would need more cells than are allowed.
            let before = usize::from(next.first).saturating_sub(at.column);
            next.partition = next.partition.moved(before, Self::MAX_CELLS as usize)?;
            next.first -= before as u16;
        }
        let place = at.column.checked_sub(usize::from(next.first));
        match place.filter(|&place| place < Self::MAX_CELLS as usize) {
            Some(column) => {
                let member = if *cell {
                    joining(next.partition, Position { column, ..at }, false)
                } else {
                    NextCell::Outside
                };
                let read = next.partition.extended(column, member);
                if read.lost.is_some() && !read.partition.is_empty() {
                    return None;
                }
                next.partition = read.partition;
            }
            None if *cell => return None,
            None => {}
        }
        let (partition, empty) = next.partition.without_first_columns();
        next.partition = partition;
        next.first = if partition.is_empty() {
            0
        } else {
            next.first + empty as u16
        };
        let missing = self.missing(at, &next)?;
        (next.count + missing <= self.most).then_some(next)
    }

    fn accepts(&self, state: &ConnectedAroundState) -> bool {
        state.partition.groups() <= 1 && (self.least..=self.most).contains(&state.count)
    }

    fn most_columns(&self) -> usize {
        Size::AUTOMATON_ROWS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::{Connected, Count};

    fn accepts<A: Automaton<bool>>(automaton: &A, size: Size, cells: u32) -> bool {
        let mut state = automaton.start();
        for (index, at) in size.positions().enumerate() {
            match automaton.step(at, &state, &(cells >> index & 1 == 1)) {
                Some(next) => state = next,
                None => return false,
            }
        }
        automaton.accepts(&state)
    }

    /// The automaton must accept exactly the boards that `Connected` and `Count` accept and that contain the given cell. The test compares the
    /// automaton `ConnectedAround` with `Connected` and `Count` on all boards of small grids, for all given cells and several ranges.
    #[test]
    fn it_accepts_connected_cells_around_one() {
        for (rows, columns) in [(1, 7), (7, 1), (3, 4), (4, 3), (2, 6)] {
            let size = Size::new(rows, columns).unwrap();
            for range in [1..=1, 1..=3, 2..=5, 4..=8, 0..=14] {
                let both = Connected.and(Count::between(*range.start(), *range.end()));
                let known: Vec<u32> = (0..1u32 << size.cells())
                    .filter(|&cells| accepts(&both, size, cells))
                    .collect();
                for (index, at) in size.positions().enumerate() {
                    let around = ConnectedAround::new(at, &range).unwrap();
                    let found =
                        (0..1u32 << size.cells()).filter(|&cells| accepts(&around, size, cells));
                    let with = known
                        .iter()
                        .copied()
                        .filter(|cells| cells >> index & 1 == 1);
                    assert!(found.eq(with), "{rows} by {columns}, {range:?}, {at}");
                }
            }
        }
        let at = Position { row: 0, column: 0 };
        assert!(ConnectedAround::new(at, &(1..=17)).is_none());
    }
}
