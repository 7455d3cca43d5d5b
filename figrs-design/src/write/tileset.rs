//! Numbers the tiles of a set, so that map files can refer to the tiles.

#[cfg(feature = "png")]
use super::TileSheet;
use figrs_models::mdmc::{Level, Tile, TileSet};

/// The side length of a tile, in pixels.
pub(super) const SIDE: usize = 16;
/// Number of tiles in each row of the tileset picture.
pub(super) const COLUMNS: usize = 7;

/// The tiles to which map files refer: the tiles of the set, numbered in order from 1, and then ground with grass on top, if the set has built-in
/// pictures.
#[derive(Clone, Copy, Debug)]
pub(super) struct MapTiles<'a> {
    set: &'a TileSet,
    side: usize,
    /// The empty tile of the set, if it has no picture.
    blank: Option<Tile>,
    is_drawn: bool,
}

impl<'a> MapTiles<'a> {
    pub(super) fn of(set: &'a TileSet) -> Self {
        Self {
            set,
            side: SIDE,
            blank: set.empty(),
            is_drawn: set.is_platformer(),
        }
    }

    #[cfg(feature = "png")]
    pub(super) fn on(sheet: &'a TileSheet) -> Self {
        let set = sheet.tiles();
        Self {
            set,
            side: sheet.side(),
            blank: set.empty().filter(|&tile| !sheet.sprites().has(tile)),
            is_drawn: false,
        }
    }

    /// True if the tiles have built-in pictures and are not drawn as squares.
    pub(super) fn is_drawn(self) -> bool {
        self.is_drawn
    }

    pub(super) fn side(self) -> usize {
        self.side
    }

    pub(super) fn tiles(self) -> impl Iterator<Item = Tile> + 'a {
        let grass = self.is_drawn.then_some(Tile::GROUND);
        self.set.tiles().chain(grass)
    }

    pub(super) fn count(self) -> usize {
        self.tiles().count()
    }

    pub(super) fn rows(self) -> usize {
        self.count().div_ceil(COLUMNS)
    }

    pub(super) fn pixels(self) -> (usize, usize) {
        (COLUMNS * self.side, self.rows() * self.side)
    }

    /// Returns the value of `tile` in map files: its index in the set counted from 1, or 0 for the empty tile.
    pub(super) fn number(self, tile: Tile) -> usize {
        self.place_but(tile, self.set.empty())
    }

    /// Returns the number of the tile, within the tileset picture, that a cell of `level` shows in map files.
    pub(super) fn picture(self, level: &Level, row: usize, column: usize) -> usize {
        if self.is_drawn && grassy(level, row, column) {
            return self.count();
        }
        let tile = level.get(row, column);
        tile.map_or(0, |tile| self.place_but(tile, self.blank))
    }

    fn place_but(self, tile: Tile, other: Option<Tile>) -> usize {
        let place = self.set.tiles().position(|own| own == tile);
        let place = place.filter(|_| Some(tile) != other);
        place.map_or(0, |place| place + 1)
    }

    /// Returns, for each tile of the tileset picture, its index from 0, its description, and `true` if the tile is solid.
    pub(super) fn entries(self) -> impl Iterator<Item = (usize, String, bool)> {
        let tiles = self.tiles().enumerate();
        tiles.map(move |(place, tile)| (place, self.set.description(tile), tile.solid()))
    }
}

/// True if the tile in `row` and `column` is ground with nothing solid above it, which is drawn with grass.
pub(super) fn grassy(level: &Level, row: usize, column: usize) -> bool {
    let above = row.checked_sub(1).and_then(|row| level.get(row, column));
    level.get(row, column) == Some(Tile::GROUND) && !above.is_some_and(Tile::solid)
}
