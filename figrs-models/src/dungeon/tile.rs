//! What a cell of a dungeon is.

/// What a cell of a dungeon is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tile {
    /// Nothing, written `.`.
    Empty,
    /// A wall, written `W`.
    Wall,
    /// The gem, written `G`.
    Gem,
    /// The altar, written `A`.
    Altar,
}
figrs_core::value!(Tile);

impl Tile {
    /// All tiles.
    pub const ALL: [Self; 4] = [Self::Empty, Self::Wall, Self::Gem, Self::Altar];

    /// The character it is written as.
    pub fn symbol(self) -> char {
        match self {
            Self::Empty => '.',
            Self::Wall => 'W',
            Self::Gem => 'G',
            Self::Altar => 'A',
        }
    }
}
