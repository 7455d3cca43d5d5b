//! Constraint that the cells of a colour contain no cycle.

use super::connected::joining;
use super::partition::NextCell;
use super::{Automaton, Partition, Position};

/// Requires that the cells with the value `true`, each connected with its neighbours, form no cycle: every connected group is a tree.
///
/// **Complexity.** The automaton's states are the partitions of the cells of one row into connected groups, as for [`Connected`](super::Connected).
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
