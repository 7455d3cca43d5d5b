//! Marked cells can be reached from one another.

use super::connected::joining;
use super::partition::Member;
use super::{Automaton, Partition, Position};

/// What a cell is to one who walks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ground {
    /// Cannot be walked on.
    Wall,
    /// Can be walked on.
    Open,
    /// Can be walked on and holds this many of the marks, at least one.
    Marked(u8),
}

/// There are this many marks, and each can be reached from each by walking over open cells.
#[derive(Clone, Copy, Debug)]
pub struct Joined {
    marks: u8,
}

/// What [`Joined`] remembers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JoinedState {
    /// Not all marks were seen, or not all are known to be joined.
    Searching {
        /// The open cells of the frontier.
        partition: Partition,
        /// How many marks were seen.
        seen: u8,
    },
    /// All marks are joined.
    Found,
}
figrs_core::value!(JoinedState, Ground);

impl Joined {
    /// With this many marks in all.
    pub fn new(marks: u8) -> Self {
        Self { marks }
    }
}

impl Automaton<Ground> for Joined {
    type State = JoinedState;

    fn start(&self) -> JoinedState {
        if self.marks == 0 {
            return JoinedState::Found;
        }
        JoinedState::Searching {
            partition: Partition::default(),
            seen: 0,
        }
    }

    fn step(&self, at: Position, state: &JoinedState, cell: &Ground) -> Option<JoinedState> {
        let marks = match cell {
            Ground::Marked(marks) => *marks,
            Ground::Wall | Ground::Open => 0,
        };
        let &JoinedState::Searching { partition, seen } = state else {
            return (marks == 0).then_some(JoinedState::Found);
        };
        let seen = seen.saturating_add(marks);
        let member = if *cell == Ground::Wall {
            Member::Outside
        } else {
            joining(partition, at, marks > 0)
        };
        let next = partition.extended(at.column, member);
        // A marked group that is left behind is not joined with the marks still to come.
        if seen > self.marks || next.lost == Some(true) {
            return None;
        }
        if seen == self.marks && next.partition.marked() == 1 {
            return Some(JoinedState::Found);
        }
        Some(JoinedState::Searching {
            partition: next.partition,
            seen,
        })
    }

    fn accepts(&self, state: &JoinedState) -> bool {
        *state == JoinedState::Found
    }
}
