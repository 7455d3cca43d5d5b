//! Pictures in PNG.

use std::io::Write;

use super::super::{Level, Tile};
use super::art::{GRASS, art};
use super::palette::{PALETTE, index};
use super::tileset::{SIDE, grassy};
use super::{LevelWriter, OutputError, background};
use crate::picture::{Canvas, encode, is_latin};

impl LevelWriter<'_> {
    /// The most tiles of a picture: 256 megabytes of pixels.
    pub const MAX_PICTURE: usize = 1 << 20;

    /// Checks that levels of this many rows and columns have pictures.
    ///
    /// An error if they have more than [`LevelWriter::MAX_PICTURE`] tiles.
    pub fn check_picture(height: usize, width: usize) -> Result<(), OutputError> {
        if height.saturating_mul(width) > Self::MAX_PICTURE {
            return Err(OutputError::TooLarge {
                width,
                height,
                max: Self::MAX_PICTURE,
            });
        }
        Ok(())
    }

    /// Writes the level as a PNG picture with 16 by 16 pixels a tile; notes become text chunks.
    ///
    /// An error if the level has more than [`LevelWriter::MAX_PICTURE`] tiles, if the name of a note is not 1 to 79 Latin-1
    /// characters, or if `out` cannot be written.
    pub fn png(&self, out: impl Write) -> Result<(), OutputError> {
        let (height, width) = (self.level.height(), self.level.width());
        Self::check_picture(height, width)?;
        let fits = |name: &str| (1..=79).contains(&name.chars().count()) && is_latin(name);
        if let Some((name, _)) = self.notes.iter().find(|(name, _)| !fits(name)) {
            return Err(OutputError::Note { name: name.clone() });
        }
        let mut canvas = Canvas::of_tiles(width, height);
        background::paint(&mut canvas);
        draw_tiles(&mut canvas, self.level);
        draw_path(&mut canvas, self.path);
        Ok(encode(out, &canvas, &PALETTE.colours(), &self.notes, &[])?)
    }
}

fn draw_tiles(canvas: &mut Canvas, level: &Level) {
    for ((row, column), &tile) in level.as_array().indexed_iter() {
        let drawing = if grassy(level, row, column) {
            Some(&GRASS)
        } else {
            art(tile)
        };
        if let Some(drawing) = drawing {
            canvas.tile(row, column, drawing);
        }
        if tile == Tile::GROUND {
            outline(canvas, level, row, column);
        }
    }
}

/// Darkens the sides of ground that stand free.
fn outline(canvas: &mut Canvas, level: &Level, row: usize, column: usize) {
    let free = |column: Option<usize>| {
        let tile = column.and_then(|column| level.get(row, column));
        tile.is_some_and(|tile| !tile.solid())
    };
    let (x, y) = ((column * SIDE).cast_signed(), (row * SIDE).cast_signed());
    let last = SIDE.cast_signed() - 1;
    let first = if grassy(level, row, column) { 4 } else { 0 };
    for dy in first..=last {
        if free(column.checked_sub(1)) {
            canvas.set(x, y + dy, index(b'D'));
        }
        if free(column.checked_add(1)) {
            canvas.set(x + last - 1, y + dy, index(b'D'));
            canvas.set(x + last, y + dy, index(b'm'));
        }
    }
}

/// A line through the middles of the cells, with a disc at both ends.
fn draw_path(canvas: &mut Canvas, path: &[(usize, usize)]) {
    let middle = |&(row, column): &(usize, usize)| {
        let middle = |cell: usize| (cell * SIDE + SIDE / 2).cast_signed();
        (middle(column), middle(row))
    };
    let way = path.iter().map(middle);
    canvas.way(way, 1, (index(b'w'), index(b'!')));
}
