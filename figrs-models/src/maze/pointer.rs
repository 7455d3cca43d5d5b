//! Pointers of rooms.

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
    /// All directions, in the order of [`Weights`](super::Weights).
    pub const DIRECTIONS: [Self; 4] = [Self::Up, Self::Down, Self::Left, Self::Right];

    /// True if it points to the left or right.
    pub fn is_horizontal(self) -> bool {
        matches!(self, Self::Left | Self::Right)
    }

    /// The room that a room of a grid of this size points to, if there is one.
    pub fn target(
        self,
        (rows, columns): (usize, usize),
        (row, column): (usize, usize),
    ) -> Option<(usize, usize)> {
        match self {
            Self::Root => None,
            Self::Up => Some((row.checked_sub(1)?, column)),
            Self::Down => (row + 1 < rows).then_some((row + 1, column)),
            Self::Left => Some((row, column.checked_sub(1)?)),
            Self::Right => (column + 1 < columns).then_some((row, column + 1)),
        }
    }
}
