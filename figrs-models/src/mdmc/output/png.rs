//! Pictures in PNG.

use std::io::{self, Write};

use ::png::{BitDepth, ColorType, Encoder, EncodingError};

use super::super::{Level, Tile};
use super::art::{GRASS, SIDE, art};
use super::background;
use super::canvas::Canvas;
use super::palette::{colours, index};
use super::{LevelWriter, OutputError};

impl LevelWriter<'_> {
    /// The most tiles of a picture: 256 megabytes of pixels.
    pub const MAX_PICTURE: usize = 1 << 20;

    /// Writes the level as a PNG picture with 16 by 16 pixels a tile; notes become text chunks.
    ///
    /// An error if the level has more than [`LevelWriter::MAX_PICTURE`] tiles, if the name of a note is not 1 to 79 Latin-1
    /// characters, or if `out` cannot be written.
    pub fn png(&self, out: impl Write) -> Result<(), OutputError> {
        let (height, width) = (self.level.height(), self.level.width());
        if height * width > Self::MAX_PICTURE {
            return Err(OutputError::TooLarge {
                width,
                height,
                max: Self::MAX_PICTURE,
            });
        }
        let fits = |name: &str| (1..=79).contains(&name.chars().count()) && latin(name);
        if let Some((name, _)) = self.notes.iter().find(|(name, _)| !fits(name)) {
            return Err(OutputError::Note { name: name.clone() });
        }
        let mut canvas = Canvas::of_tiles(width, height);
        background::paint(&mut canvas);
        draw_tiles(&mut canvas, self.level);
        draw_path(&mut canvas, self.path);
        encode(out, &canvas, &self.notes, &[])
    }
}

/// Whether a text can stand in an uncompressed text chunk.
fn latin(text: &str) -> bool {
    text.chars().all(|c| ('\u{20}'..='\u{ff}').contains(&c))
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

/// Whether a tile is ground with nothing solid above it.
pub(super) fn grassy(level: &Level, row: usize, column: usize) -> bool {
    let above = row.checked_sub(1).and_then(|row| level.get(row, column));
    level.get(row, column) == Some(Tile::GROUND) && !above.is_some_and(Tile::solid)
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
    for (radius, colour) in [(2, b'w'), (1, b'!')] {
        for two in path.windows(2) {
            canvas.line(middle(&two[0]), middle(&two[1]), radius, index(colour));
        }
        for (x, y) in path.first().into_iter().chain(path.last()).map(middle) {
            canvas.disc(x, y, radius + 3, index(colour));
        }
    }
}

/// Writes a canvas; colours up to the length of `transparency` are as opaque as it says, from 0 to 255.
pub(super) fn encode(
    out: impl Write,
    canvas: &Canvas,
    notes: &[(String, String)],
    transparency: &[u8],
) -> Result<(), OutputError> {
    let io = |error: EncodingError| match error {
        EncodingError::IoError(error) => OutputError::Io(error),
        other => OutputError::Io(io::Error::other(other)),
    };
    let mut encoder = Encoder::new(out, canvas.width() as u32, canvas.height() as u32);
    encoder.set_color(ColorType::Indexed);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_palette(colours());
    if !transparency.is_empty() {
        encoder.set_trns(transparency.to_vec());
    }
    for (name, value) in notes {
        let (name, value) = (name.clone(), value.clone());
        let added = if latin(&value) {
            encoder.add_text_chunk(name, value)
        } else {
            encoder.add_itxt_chunk(name, value)
        };
        added.map_err(io)?;
    }
    let mut writer = encoder.write_header().map_err(io)?;
    writer.write_image_data(canvas.pixels()).map_err(io)?;
    writer.finish().map_err(io)
}
