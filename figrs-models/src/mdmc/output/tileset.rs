//! The numbers of tiles in map files, and the picture that they refer to.

use std::io::Write;

use super::super::{Level, Tile};
use super::OutputError;
use super::art::{GRASS, SIDE, art};
use super::palette::{CLEAR, PALETTE};
use super::png::grassy;
use crate::picture::{Canvas, encode};

/// Tiles of one row of the picture.
pub(super) const COLUMNS: usize = 7;
/// Tiles of the picture: those of the alphabet, then ground with grass.
pub(super) const COUNT: usize = Tile::ALPHABET.len() + 1;
/// Rows of the picture.
pub(super) const ROWS: usize = COUNT.div_ceil(COLUMNS);
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

/// The number of the picture that a cell of a level shows.
pub(super) fn picture(level: &Level, row: usize, column: usize) -> usize {
    if grassy(level, row, column) {
        return GRASS_NUMBER;
    }
    level.get(row, column).map_or(0, number)
}

/// What a tile of the picture is, and whether it is solid, by its place from 0.
pub(super) fn entries() -> impl Iterator<Item = (usize, &'static str, bool)> {
    let tiles = Tile::all().chain([Tile::GROUND]).enumerate();
    tiles.map(|(place, tile)| (place, tile.meaning(), tile.solid()))
}

/// Writes the picture of all tiles that maps in Tiled formats refer to, as PNG with a clear background.
///
/// Seven tiles of 16 by 16 pixels a row: those of [`Tile::ALPHABET`] in order, then ground with grass on top.
///
/// **Errors.** [`OutputError::Io`].
pub fn write_tileset(out: impl Write) -> Result<(), OutputError> {
    let mut canvas = Canvas::of_tiles(COLUMNS, ROWS);
    let drawings = Tile::all().map(art).chain([Some(&GRASS)]).enumerate();
    for (place, drawing) in drawings {
        if let Some(drawing) = drawing {
            canvas.tile(place / COLUMNS, place % COLUMNS, drawing);
        }
    }
    let mut transparency = [255; CLEAR as usize + 1];
    transparency[usize::from(CLEAR)] = 0;
    let notes: [(&str, &str); 0] = [];
    Ok(encode(
        out,
        &canvas,
        &PALETTE.colours(),
        &notes,
        &transparency,
    )?)
}

/// The size of the picture in pixels.
pub(super) const PIXELS: (usize, usize) = (COLUMNS * SIDE, ROWS * SIDE);
