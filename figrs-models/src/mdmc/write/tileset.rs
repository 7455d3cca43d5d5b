//! The numbers of tiles in map files.

use super::super::{Level, Tile};

/// The side of a tile, in pixels.
pub(super) const SIDE: usize = 16;
/// Tiles of one row of the picture.
pub(super) const COLUMNS: usize = 7;
/// Tiles of the picture: those of the alphabet, then ground with grass.
pub(super) const COUNT: usize = Tile::ALPHABET.len() + 1;
/// Rows of the picture.
pub(super) const ROWS: usize = COUNT.div_ceil(COLUMNS);
/// The size of the picture in pixels.
pub(super) const PIXELS: (usize, usize) = (COLUMNS * SIDE, ROWS * SIDE);
/// The number of ground with grass.
pub(super) const GRASS_NUMBER: usize = COUNT;

/// The number of a tile in map files: its place in [`Tile::ALPHABET`] counted from 1, or 0 for empty air.
pub(super) fn number(tile: Tile) -> usize {
    let place = Tile::all().position(|other| other == tile);
    match place {
        Some(place) if tile != Tile::EMPTY => place + 1,
        _ => 0,
    }
}

/// True if a tile is ground with nothing solid above it.
pub(super) fn grassy(level: &Level, row: usize, column: usize) -> bool {
    let above = row.checked_sub(1).and_then(|row| level.get(row, column));
    level.get(row, column) == Some(Tile::GROUND) && !above.is_some_and(Tile::solid)
}

/// The number of the picture that a cell of a level shows.
pub(super) fn picture(level: &Level, row: usize, column: usize) -> usize {
    if grassy(level, row, column) {
        return GRASS_NUMBER;
    }
    level.get(row, column).map_or(0, number)
}

/// For each tile of the picture its index from 0, its meaning, and `true` if it is solid.
pub(super) fn entries() -> impl Iterator<Item = (usize, &'static str, bool)> {
    let tiles = Tile::all().chain([Tile::GROUND]).enumerate();
    tiles.map(|(place, tile)| (place, tile.meaning(), tile.solid()))
}
