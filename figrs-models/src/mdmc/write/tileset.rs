//! The numbers of tiles in map files.

use super::super::{Level, Tile, TileSet};

/// The side of a tile, in pixels.
pub(super) const SIDE: usize = 16;
/// Tiles of one row of the picture.
pub(super) const COLUMNS: usize = 7;

/// The tiles of a set as map files number them: those of the set in order, from 1, then ground with grass where figrs draws the set.
#[derive(Clone, Copy, Debug)]
pub(super) struct MapTiles<'a> {
    set: &'a TileSet,
}

impl<'a> MapTiles<'a> {
    pub(super) fn of(set: &'a TileSet) -> Self {
        Self { set }
    }

    /// Tiles of the picture.
    pub(super) fn count(self) -> usize {
        self.set.tiles().count() + usize::from(self.set.is_platformer())
    }

    /// Rows of the picture.
    pub(super) fn rows(self) -> usize {
        self.count().div_ceil(COLUMNS)
    }

    /// The size of the picture in pixels.
    pub(super) fn pixels(self) -> (usize, usize) {
        (COLUMNS * SIDE, self.rows() * SIDE)
    }

    /// The number of a tile in map files: its place in the set counted from 1, or 0 for the empty tile.
    pub(super) fn number(self, tile: Tile) -> usize {
        let place = self.set.tiles().position(|other| other == tile);
        match place {
            Some(place) if Some(tile) != self.set.empty() => place + 1,
            _ => 0,
        }
    }

    /// The number of the picture that a cell of a level shows.
    pub(super) fn picture(self, level: &Level, row: usize, column: usize) -> usize {
        if self.set.is_platformer() && grassy(level, row, column) {
            return self.count();
        }
        level.get(row, column).map_or(0, |tile| self.number(tile))
    }

    /// For each tile of the picture its index from 0, its description, and `true` if it is solid.
    pub(super) fn entries(self) -> impl Iterator<Item = (usize, String, bool)> {
        let grass = self.set.is_platformer().then_some(Tile::GROUND);
        let tiles = self.set.tiles().chain(grass).enumerate();
        tiles.map(move |(place, tile)| (place, self.set.description(tile), tile.solid()))
    }
}

/// True if a tile is ground with nothing solid above it.
pub(super) fn grassy(level: &Level, row: usize, column: usize) -> bool {
    let above = row.checked_sub(1).and_then(|row| level.get(row, column));
    level.get(row, column) == Some(Tile::GROUND) && !above.is_some_and(Tile::solid)
}
