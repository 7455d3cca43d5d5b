//! Pointers of rooms.

use crate::grid::{Position, Size};

/// Pointer of a room of a maze to an adjacent room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pointer {
    /// The room has no pointer; this is the case of the first room.
    Root,
    /// A pointer to the room above.
    Up,
    /// A pointer to the room below.
    Down,
    /// A pointer to the room to the left.
    Left,
    /// A pointer to the room to the right.
    Right,
}
figrs_core::value!(Pointer);

impl Pointer {
    /// All four directions of pointers, in the order of [`DirectionWeights`](super::DirectionWeights).
    pub const DIRECTIONS: [Self; 4] = [Self::Up, Self::Down, Self::Left, Self::Right];

    /// True if the pointer leads to the room on the left or right.
    pub fn is_horizontal(self) -> bool {
        matches!(self, Self::Left | Self::Right)
    }

    pub(super) fn opposite(self) -> Self {
        match self {
            Self::Root => Self::Root,
            Self::Up => Self::Down,
            Self::Down => Self::Up,
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }

    /// Returns the room to which the pointer leads from the room in `row` and `column` of a grid of size `size`; `None` if the pointer leads to no
    /// room.
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

    /// Returns the index of the room to which the pointer leads from the room with the index `room`, in a grid of `columns` columns; `room` itself if
    /// the pointer leads to no room.
    pub(super) fn room(self, room: usize, columns: usize) -> usize {
        match self {
            Self::Root => room,
            Self::Up => room - columns,
            Self::Down => room + columns,
            Self::Left => room - 1,
            Self::Right => room + 1,
        }
    }

    /// Returns the pointer from one room to an adjacent room, given by their indices `from` and `to` in a grid of `columns` columns.
    pub(super) fn between(from: usize, to: usize, columns: usize) -> Self {
        match (from < to, from.abs_diff(to) == columns) {
            // In a grid of one column all rooms are one above the other.
            (true, true) => Self::Down,
            (false, true) => Self::Up,
            (true, false) => Self::Right,
            (false, false) => Self::Left,
        }
    }
}
