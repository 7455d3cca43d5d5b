//! Fuzzes the reader of sheets of tile pictures.

use std::sync::Arc;

use figrs::design::{LevelWriter, TileSheet};
use figrs::models::mdmc::{Level, TileSet};

/// Reads a sheet of tile pictures, whose side is the first byte, and draws a level with these pictures.
///
/// # Panics
///
/// Panics if the drawn picture cannot be read as a sheet.
pub fn tile_sheet(data: &[u8]) {
    let Some((&side, png)) = data.split_first() else {
        return;
    };
    let tiles = Arc::new(TileSet::unknown("-X".chars()));
    let Ok(sheet) = TileSheet::from_png(png, side.into(), &tiles) else {
        return;
    };
    let level = Level::from_text("level", "-X", &tiles).expect("two tiles");
    let (mut picture, mut tileset) = (Vec::new(), Vec::new());
    let writer = LevelWriter::new(&level).sheet(&sheet);
    writer.png(&mut picture).expect("a small picture");
    sheet.write_tileset(&mut tileset).expect("a small picture");
    for drawn in [picture, tileset] {
        TileSheet::from_png(&drawn, side.into(), &tiles).expect("what was written");
    }
}
