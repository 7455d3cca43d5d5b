//! Writes the tileset picture (the pictures of all tiles) to which map files refer.

use std::io::Write;

use super::OutputError;
use super::art::{GRASS, art, draw_tile, of_tiles};
use super::palette::PALETTE;
use super::sprites::Sprites;
use super::tileset::{COLUMNS, MapTiles};
use figrs_models::mdmc::TileSet;
use figrs_models::picture::encode;

/// Writes one picture of all tiles of a set for maps in Tiled formats, as PNG with a transparent background.
///
/// The tileset picture has seven tiles of 16 by 16 pixels in each row: the tiles of the set in order, then ground with grass on top if the set has
/// built-in pictures. In the tileset picture, tiles without built-in pictures are coloured squares with their letters. For a tile sheet, the method
/// [`TileSheet::write_tileset`](super::TileSheet::write_tileset) writes the tileset picture instead.
///
/// **Errors.** [`OutputError::Io`] if `out` cannot be written.
pub fn write_tileset(tiles: &TileSet, out: impl Write) -> Result<(), OutputError> {
    let map = MapTiles::of(tiles);
    if !map.is_drawn() {
        let sprites = Sprites::new(tiles, map.side(), |_| None);
        return sprites.write_tileset(map, out);
    }
    let mut canvas = of_tiles(COLUMNS, map.rows());
    let drawings = tiles.tiles().map(art).chain([Some(GRASS)]).enumerate();
    for (place, drawing) in drawings {
        if let Some(drawing) = drawing {
            draw_tile(&mut canvas, place / COLUMNS, place % COLUMNS, drawing);
        }
    }
    let notes: [(&str, &str); 0] = [];
    Ok(encode(
        out,
        &canvas,
        &PALETTE.colours(),
        &notes,
        // The first colour of the palette is transparent.
        &[0],
    )?)
}
