//! Constraint on mazes with one pointer per room: the pointers form a tree.

use super::Pointer;
use crate::grid::{Automaton, NextCell, OpenEdges, Partition, Position, Size};

/// Requires that the pointers lead from every room to the first room.
///
/// All pointers lead to the first room exactly if the passages between rooms form no cycle, because the number of passages is one less than the
/// number of rooms. A state of the automaton has the connected components of the rooms that were read last in each column, and tells which rooms
/// point to unread rooms.
///
/// **Complexity.** In each connected component of read rooms, exactly one room points to an unread room, or none if the component contains the first
/// room. After a row of 3, 4, 5 and 6 rooms has been read, the automaton has at most 11, 43, 176 and 745 states.
#[derive(Clone, Copy, Debug)]
pub struct Tree {
    size: Size,
}

/// State of the automaton [`Tree`]: the connected components of the rooms that were read last in each column, and the pointers from these rooms to
/// unread rooms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TreeState {
    partition: Partition,
    /// For each column, a bit that is set if the room read last in this column points down.
    down: u16,
    /// `true` if the room read last points to the right.
    right: bool,
}
figrs_core::value!(TreeState);

impl TreeState {
    /// True if the room above the room `at` points to `at`; the room `at` is the next one to be read.
    fn points_down(&self, at: Position) -> bool {
        self.down >> at.column & 1 == 1
    }

    /// Returns the passages that lead from the room `at`, which has the pointer `pointer`, to the room above and to the room on its left.
    pub(super) fn passages(&self, at: Position, pointer: Pointer) -> OpenEdges {
        OpenEdges {
            up: pointer == Pointer::Up || self.points_down(at),
            left: pointer == Pointer::Left || self.right,
        }
    }
}

impl Tree {
    /// Creates the constraint for mazes on a grid of size `size`.
    pub fn new(size: Size) -> Self {
        Self { size }
    }
}

impl Automaton<Pointer> for Tree {
    type State = TreeState;

    fn start(&self) -> TreeState {
        TreeState::default()
    }

    fn step(&self, at: Position, state: &TreeState, pointer: &Pointer) -> Option<TreeState> {
        if *pointer != Pointer::Root && pointer.target(self.size, at).is_none() {
            return None;
        }
        let passages = state.passages(at, *pointer);
        // Two rooms that point to each other form a cycle.
        let is_above = *pointer == Pointer::Up && state.points_down(at);
        if is_above || *pointer == Pointer::Left && state.right {
            return None;
        }
        let member = NextCell::Inside {
            up: passages.up,
            left: passages.left,
            marked: false,
        };
        let next = state.partition.extended(at.column, member);
        if next.cycle || next.lost.is_some() {
            return None;
        }
        let bit = 1 << at.column;
        Some(TreeState {
            partition: next.partition,
            down: state.down & !bit | u16::from(*pointer == Pointer::Down) << at.column,
            right: *pointer == Pointer::Right,
        })
    }

    fn accepts(&self, state: &TreeState) -> bool {
        state.partition.groups() == 1
    }
}
