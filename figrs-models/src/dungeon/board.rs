//! Maps of dungeons: a tile for each cell.

use std::fmt;

use super::Tile;
use crate::grid::{GridError, Position, Size, Symbol};

/// A dungeon with a tile in every cell; as text, a line for each row of the characters of [`Tile`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DungeonMap {
    size: Size,
    tiles: Vec<Tile>,
}

impl DungeonMap {
    /// Tiles of all cells in scan order.
    pub(crate) fn new(size: Size, tiles: Vec<Tile>) -> Self {
        Self { size, tiles }
    }

    /// Tiles of all cells in scan order, whether or not they follow the rules.
    ///
    /// **Errors.** [`GridError::Length`].
    pub fn from_tiles(size: Size, tiles: Vec<Tile>) -> Result<Self, GridError> {
        GridError::same_length("tiles", size, tiles.len())?;
        Ok(Self::new(size, tiles))
    }

    /// The size of the grid.
    pub fn size(&self) -> Size {
        self.size
    }

    /// The tiles of all cells, in scan order.
    pub fn tiles(&self) -> &[Tile] {
        &self.tiles
    }

    /// Number of walls.
    pub fn walls(&self) -> usize {
        self.tiles
            .iter()
            .filter(|tile| **tile == Tile::Wall)
            .count()
    }

    /// The cells of a shortest walk from the entrance to the gem, to the altar, to the exit, both included; `None` if there
    /// is none.
    pub fn walk(&self) -> Option<Vec<Position>> {
        let find = |tile| self.tiles.iter().position(|t| *t == tile);
        let stops = [
            0,
            find(Tile::Gem)?,
            find(Tile::Altar)?,
            self.tiles.len() - 1,
        ];
        let is_open = |a: usize, b: usize| [a, b].iter().all(|&c| self.tiles[c] != Tile::Wall);
        let mut walk = vec![0];
        for leg in stops.windows(2) {
            let way = self.size.shortest_way(leg[0], leg[1], is_open)?;
            walk.extend(&way[1..]);
        }
        Some(
            walk.into_iter()
                .map(|cell| self.size.position(cell))
                .collect(),
        )
    }
}

impl fmt::Display for DungeonMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in self.tiles.chunks(self.size.columns()) {
            for tile in row {
                write!(f, "{}", tile.symbol())?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
