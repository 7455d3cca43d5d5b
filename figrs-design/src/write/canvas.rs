//! Pictures composed of tiles.

use super::art::TileSprite;
use super::palette::{CLEAR, PALETTE};
use super::tileset::SIDE;
use figrs_models::picture::Canvas;

/// Creates a clear canvas of `width` by `height` tiles.
pub(super) fn of_tiles(width: usize, height: usize) -> Canvas {
    Canvas::new(width * SIDE, height * SIDE, CLEAR)
}

/// Draws a tile at a row and column of tiles; where the tile is clear, the canvas stays unchanged.
pub(super) fn draw_tile(canvas: &mut Canvas, row: usize, column: usize, art: &TileSprite) {
    canvas.art((column * SIDE, row * SIDE), art, &PALETTE);
}
