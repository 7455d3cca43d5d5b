//! Complete dungeons: a tile for each cell.

use super::DungeonTile;
use crate::grid::{Board, Position};

impl Board<DungeonTile> {
    /// Returns the number of walls.
    pub fn walls(&self) -> usize {
        self.places_of(DungeonTile::Wall).count()
    }

    /// Returns the cells of a shortest walk from the entrance to the gem, then to the altar, then to the exit, including both ends; `None` if there
    /// is no such walk.
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
