//! Constraint that marked cells can be reached from one another.

use super::Partition;
use super::partition::NextCell;
use super::walk::{Ground, OpenEdges, Walk};

/// Each of some marks is in one cell, and each can be reached from every other by walking over cells that are not walls.
#[derive(Clone, Copy, Debug)]
pub struct ConnectedMarks {
    marks: u8,
}

/// State of [`ConnectedMarks`]: the open groups of the frontier and the marks seen, until all marks are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConnectedMarksState {
    /// Not all marks were seen, or not all are known to be joined.
    Searching {
        /// The open cells of the frontier.
        partition: Partition,
        /// The marks that were seen.
        seen: u8,
    },
    /// All marks are joined.
    Found,
}
figrs_core::value!(ConnectedMarksState);

impl ConnectedMarks {
    /// Creates the constraint for the marks whose bits are set.
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
        // A marked group that leaves the frontier cannot be joined with later marks.
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
