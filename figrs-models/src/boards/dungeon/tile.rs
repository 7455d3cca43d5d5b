//! Tiles of dungeons.

use crate::grid::Symbol;

/// Content of a cell of a dungeon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DungeonTile {
    /// An empty cell, written `.`.
    Empty,
    /// A wall, written `W`.
    Wall,
    /// The gem, written `G`.
    Gem,
    /// The altar, written `A`.
    Altar,
}
figrs_core::value!(DungeonTile);

impl DungeonTile {
    /// All values of this type.
    pub const ALL: [Self; 4] = [Self::Empty, Self::Wall, Self::Gem, Self::Altar];
}

impl Symbol for DungeonTile {
    const FREE: char = '?';
    const WRITE: &'static str = "., W, G, A, or ? for a cell without a clue";

    fn symbol(self) -> char {
        match self {
            Self::Empty => '.',
            Self::Wall => 'W',
            Self::Gem => 'G',
            Self::Altar => 'A',
        }
    }

    fn from_symbol(symbol: char) -> Option<Self> {
        Self::ALL.into_iter().find(|tile| tile.symbol() == symbol)
    }
}
