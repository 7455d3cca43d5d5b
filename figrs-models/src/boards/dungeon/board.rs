//! Boards that are dungeons, and their tiles.

use crate::grid::{Board, Position, Symbol};

impl Board<DungeonTile> {
    /// Returns the number of walls of the dungeon.
    pub fn walls(&self) -> usize {
        self.places_of(DungeonTile::Wall).count()
    }

    /// Returns the cells of a shortest walk from the entrance to the gem, then to the altar, then to the exit, with entrance and exit; `None` if
    /// there is no such walk.
    pub fn walk(&self) -> Option<Vec<Position>> {
        let tiles = self.cells();
        let find = |tile| tiles.iter().position(|t| *t == tile);
        let stops = [
            0,
            find(DungeonTile::Gem)?,
            find(DungeonTile::Altar)?,
            tiles.len() - 1,
        ];
        let is_open = |a: usize, b: usize| [a, b].iter().all(|&c| tiles[c] != DungeonTile::Wall);
        let mut walk = vec![0];
        for leg in stops.windows(2) {
            let way = self.size().shortest_way(leg[0], leg[1], is_open)?;
            walk.extend(&way[1..]);
        }
        let places = walk.into_iter().map(|cell| self.size().position(cell));
        Some(places.collect())
    }
}

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
