//! Constraint on the length of the path through a maze.

use figrs_core::value;

use super::{Pointer, Tree, TreeState};
use crate::grid::{Automaton, Distances, DistancesState, GridError, Ground, Position, Size, Walk};

/// Requires that the pointers form a tree, and that the number of steps on the path from the first room to the last is in a range.
///
/// A state of the automaton has a state of [`Tree`] and the distances of the rooms that were read last in each column, from each other and from the
/// first room.
///
/// **Complexity.** The number of states is as large as that of the automaton [`Distances`], which accepts narrow grids only.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoundedWay {
    size: Size,
    tree: Tree,
    distances: Distances,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct BoundedWayState {
    tree: TreeState,
    distances: DistancesState,
}
value!(BoundedWayState);

impl BoundedWay {
    /// Creates the constraint that the path from the first room to the last has `least` to `most` steps.
    ///
    /// **Errors.** [`GridError::TooLarge`] if the grid is too large; [`GridError::Invalid`] if the range of steps is empty.
    pub(super) fn new(size: Size, (least, most): (u32, u32)) -> Result<Self, GridError> {
        Ok(Self {
            size,
            tree: Tree::new(size),
            distances: Distances::new(size, 2, least..=most)?,
        })
    }

    /// Classifies the room `at` of a maze: the first and the last room have marks, and all other rooms are open.
    fn ground(&self, at: Position) -> Ground {
        let index = self.size.index(at);
        let ends = u8::from(index == 0) | u8::from(index + 1 == self.size.cells()) << 1;
        match ends {
            0 => Ground::Open,
            ends => Ground::Marked(ends),
        }
    }
}

impl Automaton<Pointer> for BoundedWay {
    type State = BoundedWayState;

    fn start(&self) -> BoundedWayState {
        BoundedWayState {
            tree: self.tree.start(),
            distances: self.distances.before(),
        }
    }

    fn step(
        &self,
        at: Position,
        state: &BoundedWayState,
        pointer: &Pointer,
    ) -> Option<BoundedWayState> {
        let tree = self.tree.step(at, &state.tree, pointer)?;
        let (ground, passages) = (self.ground(at), state.tree.passages(at, *pointer));
        let distances = &state.distances;
        Some(BoundedWayState {
            tree,
            distances: self
                .distances
                .walk(at.column, distances, ground, passages)?,
        })
    }

    fn accepts(&self, state: &BoundedWayState) -> bool {
        self.tree.accepts(&state.tree) && self.distances.arrives(&state.distances)
    }
}
