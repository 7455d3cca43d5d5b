//! Writes levels as pictures in PNG.

use std::io::Write;

use super::art::{GRASS, art, draw_tile, of_tiles};
use super::palette::PALETTE;
use super::sprites::Sprites;
use super::tileset::{SIDE, grassy};
use super::{LevelWriter, OutputError, background};
use figrs_models::mdmc::{Level, Tile};
use figrs_models::picture::{Canvas, Rgba, encode, encode_colours, is_latin};

impl LevelWriter<'_> {
    /// Maximum number of bytes of all pixels in the picture of a level.
    const MAX_BYTES: usize = 1 << 28;

    /// Returns the maximum number of tiles in the picture of a level: 1048576 for tiles with
    /// [built-in pictures](figrs_models::mdmc::TileSet::is_platformer), and 262144 for coloured squares. With a tile sheet, the maximum is the number
    /// of tiles that together have 67108864 pixels.
    pub fn most_tiles(&self) -> usize {
        let tiles = self.map_tiles();
        // A pixel is the index of a colour in a palette (one byte), or a colour of four bytes.
        let bytes = if tiles.is_drawn() {
            1
        } else {
            size_of::<Rgba>()
        };
        Self::MAX_BYTES / (tiles.side() * tiles.side() * bytes)
    }

    /// Returns an error if a level with `height` rows and `width` columns is too large for a PNG picture.
    ///
    /// **Errors.** [`OutputError::Invalid`] if the level has more tiles than [`most_tiles`](Self::most_tiles).
    pub fn check_picture(&self, height: usize, width: usize) -> Result<(), OutputError> {
        let max = self.most_tiles();
        if height.saturating_mul(width) > max {
            return Err(OutputError::invalid(
                format!("a picture of {width} by {height} tiles is too large"),
                format!("use at most {max} tiles"),
            ));
        }
        Ok(())
    }

    /// Writes the level as a PNG picture; its notes (such as the seed) become text chunks.
    ///
    /// In the picture, a tile has 16 by 16 pixels, or the size of the tiles of the [`sheet`](Self::sheet). Without a tile sheet, tiles that have no
    /// built-in pictures are drawn as squares with their letters. As squares, solid tiles are dark with raised edges, tiles of another known meaning
    /// have the colour of that meaning on a light ground, and each tile of unknown meaning has a flat colour of its own.
    ///
    /// **Errors.** [`OutputError::Invalid`] if the level has more tiles than [`most_tiles`](Self::most_tiles), or if the name of a note is not 1 to
    /// 79 Latin-1 characters; [`OutputError::Io`] if `out` cannot be written.
    pub fn png(&self, out: impl Write) -> Result<(), OutputError> {
        let (height, width) = (self.level.height(), self.level.width());
        self.check_picture(height, width)?;
        let fits = |name: &str| (1..=79).contains(&name.chars().count()) && is_latin(name);
        if let Some((name, _)) = self.notes.iter().find(|(name, _)| !fits(name)) {
            return Err(OutputError::invalid(
                format!("the note {name:?} does not fit a PNG file"),
                "use 1 to 79 Latin-1 characters for its name",
            ));
        }
        let squares;
        let sprites = match self.sheet {
            Some(sheet) => sheet.sprites(),
            None if self.map_tiles().is_drawn() => return self.drawn(out),
            None => {
                squares = Sprites::new(self.tiles, SIDE, |_| None);
                &squares
            }
        };
        let mut canvas = sprites.level(self.level);
        self.draw_path(&mut canvas, colours(b'k', b'!'));
        Ok(encode_colours(out, &canvas, &self.notes)?)
    }

    fn drawn(&self, out: impl Write) -> Result<(), OutputError> {
        let mut canvas = of_tiles(self.level.width(), self.level.height());
        background::paint(&mut canvas);
        draw_tiles(&mut canvas, self.level);
        self.draw_path(&mut canvas, (PALETTE.index(b'w'), PALETTE.index(b'!')));
        Ok(encode(out, &canvas, &PALETTE.colours(), &self.notes, &[])?)
    }

    /// Draws the player's path as a line in two colours through the centres of its cells, with a disc at both ends. If the left and right sides of
    /// the level are joined, the line of the path continues at the other side.
    fn draw_path<P: Copy>(&self, canvas: &mut Canvas<P>, colours: (P, P)) {
        let side = self.map_tiles().side();
        let points = self.path_points();
        let points: Vec<_> = points
            .map(|(x, y)| (x.cast_signed(), y.cast_signed()))
            .collect();
        let half = self.level.width() * side / 2;
        for way in points.chunk_by(|from, to| from.0.abs_diff(to.0) <= half) {
            let radius = (side / SIDE).max(1);
            canvas.way(way.iter().copied(), radius.cast_signed(), colours);
        }
    }
}

fn colours(outline: u8, line: u8) -> (Rgba, Rgba) {
    let all = PALETTE.colours();
    let colour = |character| {
        let [red, green, blue] = all[usize::from(PALETTE.index(character))];
        [red, green, blue, 255]
    };
    (colour(outline), colour(line))
}

fn draw_tiles(canvas: &mut Canvas, level: &Level) {
    for ((row, column), &tile) in level.as_array().indexed_iter() {
        let drawing = if grassy(level, row, column) {
            Some(GRASS)
        } else {
            art(tile)
        };
        if let Some(drawing) = drawing {
            draw_tile(canvas, row, column, drawing);
        }
        if tile == Tile::GROUND {
            outline(canvas, level, row, column);
        }
    }
}

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
            canvas.set(x, y + dy, PALETTE.index(b'D'));
        }
        if free(column.checked_add(1)) {
            canvas.set(x + last - 1, y + dy, PALETTE.index(b'D'));
            canvas.set(x + last, y + dy, PALETTE.index(b'm'));
        }
    }
}
