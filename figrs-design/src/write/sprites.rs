//! Pictures of the tiles of a set, in full colour.

use std::io::Write;

use rustc_hash::FxHashMap;

use super::OutputError;
use super::plates::plate;
use super::tileset::{COLUMNS, MapTiles};
use figrs_models::mdmc::{Level, Tile, TileSet};
use figrs_models::picture::{Canvas, Rgba, encode_colours};

/// The colour behind tiles that do not fill their cells in a picture.
pub(super) const PAPER: Rgba = [240, 242, 246, 255];
/// The colour of the dots that mark the corners of cells; the dots lie behind the tiles.
const DOT: Rgba = [212, 218, 228, 255];

/// The pictures of the tiles of a set, all of one size; some tiles may have no picture.
#[derive(Clone, Debug)]
pub(super) struct Sprites {
    side: usize,
    pictures: FxHashMap<Tile, Canvas<Rgba>>,
    /// The empty tile, if it has a picture; its picture is drawn behind all other tiles.
    backdrop: Option<Tile>,
}

impl Sprites {
    /// Creates a picture for each tile of `set`: the picture that `picture` returns or, if it returns none, a coloured square.
    pub(super) fn new(
        set: &TileSet,
        side: usize,
        picture: impl Fn(Tile) -> Option<Canvas<Rgba>>,
    ) -> Self {
        let of = |tile| Some((tile, picture(tile).or_else(|| plate(set, tile, side))?));
        let pictures: FxHashMap<_, _> = set.tiles().filter_map(of).collect();
        let backdrop = set.empty().filter(|tile| pictures.contains_key(tile));
        Self {
            side,
            pictures,
            backdrop,
        }
    }

    pub(super) fn side(&self) -> usize {
        self.side
    }

    pub(super) fn has(&self, tile: Tile) -> bool {
        self.pictures.contains_key(&tile)
    }

    pub(super) fn level(&self, level: &Level) -> Canvas<Rgba> {
        let (width, height) = (level.width() * self.side, level.height() * self.side);
        let mut canvas = Canvas::new(width, height, PAPER);
        for (row, column) in ndarray::indices(level.as_array().dim()) {
            let (x, y) = (column * self.side, row * self.side);
            canvas.set(x.cast_signed(), y.cast_signed(), DOT);
        }
        for ((row, column), &tile) in level.as_array().indexed_iter() {
            for tile in self.backdrop.into_iter().chain([tile]) {
                self.draw(&mut canvas, (row, column), tile);
            }
        }
        canvas
    }

    /// Writes the tileset picture for map files: one picture that contains all tiles to which maps refer, on a transparent background.
    pub(super) fn write_tileset(
        &self,
        tiles: MapTiles<'_>,
        out: impl Write,
    ) -> Result<(), OutputError> {
        let (width, height) = tiles.pixels();
        let mut canvas = Canvas::new(width, height, [0; 4]);
        for (place, tile) in tiles.tiles().enumerate() {
            self.draw(&mut canvas, (place / COLUMNS, place % COLUMNS), tile);
        }
        let notes: [(&str, &str); 0] = [];
        Ok(encode_colours(out, &canvas, &notes)?)
    }

    fn draw(&self, canvas: &mut Canvas<Rgba>, (row, column): (usize, usize), tile: Tile) {
        if let Some(picture) = self.pictures.get(&tile) {
            canvas.overlay((column * self.side, row * self.side), picture);
        }
    }
}
