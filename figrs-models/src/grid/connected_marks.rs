//! Constraint on a grid: the marked cells are connected by walks over cells that are not walls.

use super::Partition;
use super::partition::NextCell;
use super::walk::{Ground, OpenEdges, Walk};

/// Requires that each mark is in exactly one cell, and that walks over cells that are not walls connect all marked cells.
#[derive(Clone, Copy, Debug)]
pub struct ConnectedMarks {
    marks: u8,
}

/// State of the automaton [`ConnectedMarks`]: the connected groups of open cells and the marks read so far, until all marked cells are connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConnectedMarksState {
    /// Some marks have not been read, or the marked cells are not known to be connected.
    Searching {
        /// The open cells (no walls) among the cells that were read last in each column, as a partition into connected groups.
        partition: Partition,
        /// Bit set of the marks that have been read.
        seen: u8,
    },
    /// All marked cells have been read and are connected.
    Found,
}
figrs_core::value!(ConnectedMarksState);

impl ConnectedMarks {
    /// Creates the constraint for the marks in the bit set `marks`, which must be connected.
    pub fn new(marks: u8) -> Self {
        Self { marks }
    }
}

impl Walk for ConnectedMarks {
    type State = ConnectedMarksState;

    fn before(&self) -> ConnectedMarksState {
        if self.marks == 0 {
            return ConnectedMarksState::Found;
        }
        ConnectedMarksState::Searching {
            partition: Partition::default(),
            seen: 0,
        }
    }

    fn walk(
        &self,
        column: usize,
        state: &ConnectedMarksState,
        ground: Ground,
        ways: OpenEdges,
    ) -> Option<ConnectedMarksState> {
        let marks = ground.marks();
        let &ConnectedMarksState::Searching { partition, seen } = state else {
            return (marks == 0).then_some(ConnectedMarksState::Found);
        };
        if marks & !self.marks != 0 || marks & seen != 0 {
            return None;
        }
        let seen = seen | marks;
        let member = if ground == Ground::Wall {
            NextCell::Outside
        } else {
            NextCell::Inside {
                up: ways.up,
                left: ways.left,
                marked: marks > 0,
            }
        };
        let next = partition.extended(column, member);
        // A marked group without cells on the frontier can never be connected with later marks.
        if next.lost == Some(true) {
            return None;
        }
        if seen == self.marks && next.partition.marked() == 1 {
            return Some(ConnectedMarksState::Found);
        }
        Some(ConnectedMarksState::Searching {
            partition: next.partition,
            seen,
        })
    }

    fn is_open(&self, state: &ConnectedMarksState, column: usize) -> bool {
        matches!(state, ConnectedMarksState::Searching { partition, .. } if partition.group(column) > 0)
    }

    fn is_settled(&self, state: &ConnectedMarksState) -> bool {
        *state == ConnectedMarksState::Found
    }

    fn arrives(&self, state: &ConnectedMarksState) -> bool {
        *state == ConnectedMarksState::Found
    }
}
