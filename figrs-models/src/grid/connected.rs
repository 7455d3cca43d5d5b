//! Constraints on a grid: the cells of one colour are connected, with or without cycles.

use super::partition::NextCell;
use super::{Automaton, Partition, Position};

/// Requires that the cells with the value `true` are connected, side by side or one above the other, and that at least one cell has this value.
///
/// **Complexity.** A state of the automaton is a partition of the cells of one row into connected groups; each additional column makes the number of
/// states about three times as large.
#[derive(Clone, Copy, Debug)]
pub struct Connected;

/// State of the automaton [`Connected`]: the groups of connected cells among the cells that were read last in each column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ConnectedState {
    partition: Partition,
    /// `true` if at least one of the cells read so far has the value `true`. If `any` is true but the cell read last in every column is `false`, no
    /// later cell may be `true`.
    any: bool,
}
figrs_core::value!(ConnectedState);

impl ConnectedState {
    pub(super) fn partition(&self) -> Partition {
        self.partition
    }
}

/// Returns the cell at the position `at` as an input of the partition: it joins the groups of the cell above it and of the cell to its left.
pub(super) fn joining(partition: Partition, at: Position, marked: bool) -> NextCell {
    NextCell::Inside {
        up: partition.group(at.column) > 0,
        left: at.column > 0 && partition.group(at.column - 1) > 0,
        marked,
    }
}

impl Automaton<bool> for Connected {
    type State = ConnectedState;

    fn start(&self) -> ConnectedState {
        ConnectedState::default()
    }

    fn step(&self, at: Position, state: &ConnectedState, cell: &bool) -> Option<ConnectedState> {
        if *cell && state.any && state.partition.is_empty() {
            return None;
        }
        let member = if *cell {
            joining(state.partition, at, false)
        } else {
            NextCell::Outside
        };
        let next = state.partition.extended(at.column, member);
        if next.lost.is_some() && !next.partition.is_empty() {
            return None;
        }
        Some(ConnectedState {
            partition: next.partition,
            any: state.any || *cell,
        })
    }

    fn accepts(&self, state: &ConnectedState) -> bool {
        state.any && state.partition.groups() <= 1
    }
}

/// Requires that the cells with the value `true`, each connected with its neighbours, form no cycle: every connected group is a tree.
///
/// **Complexity.** A state of the automaton is a partition of the cells of one row into connected groups, as for [`Connected`](super::Connected).
#[derive(Clone, Copy, Debug)]
pub struct Acyclic;

impl Automaton<bool> for Acyclic {
    type State = Partition;

    fn start(&self) -> Partition {
        Partition::default()
    }

    fn step(&self, at: Position, state: &Partition, cell: &bool) -> Option<Partition> {
        let member = if *cell {
            joining(*state, at, false)
        } else {
            NextCell::Outside
        };
        let next = state.extended(at.column, member);
        (!next.cycle).then_some(next.partition)
    }

    fn accepts(&self, _: &Partition) -> bool {
        true
    }
}
