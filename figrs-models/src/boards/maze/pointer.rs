//! Pointers of rooms.

use crate::grid::{Position, Size};

/// Pointer of a room of a maze to one beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pointer {
    /// Nowhere: the first room.
    Root,
    /// To the room above.
    Up,
    /// To the room below.
    Down,
    /// To the room to the left.
    Left,
    /// To the room to the right.
    Right,
}
figrs_core::value!(Pointer);

impl Pointer {
    /// All directions, in the order of [`DirectionWeights`](super::DirectionWeights).
    pub const DIRECTIONS: [Self; 4] = [Self::Up, Self::Down, Self::Left, Self::Right];

    /// True if it points to the left or right.
    pub fn is_horizontal(self) -> bool {
        matches!(self, Self::Left | Self::Right)
    }

    /// The room that a room of a grid of this size points to, if there is one.
    pub fn target(self, size: Size, Position { row, column }: Position) -> Option<Position> {
        let (row, column) = match self {
            Self::Root => return None,
            Self::Up => (row.checked_sub(1)?, column),
            Self::Down => (row + 1, column),
            Self::Left => (row, column.checked_sub(1)?),
            Self::Right => (row, column + 1),
        };
        let target = Position { row, column };
        size.contains(target).then_some(target)
    }
}
