//! A picture of palette indices.

use super::art::{Art, SIDE};
use super::palette::{CLEAR, index};

/// Rows of pixels, each the index of a colour.
#[derive(Clone, Debug)]
pub(super) struct Canvas {
    pixels: Vec<u8>,
    width: usize,
}

impl Canvas {
    /// One of nothing, `width` by `height` tiles.
    pub(super) fn of_tiles(width: usize, height: usize) -> Self {
        Self {
            pixels: vec![CLEAR; width * SIDE * height * SIDE],
            width: width * SIDE,
        }
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn height(&self) -> usize {
        self.pixels.len() / self.width
    }

    pub(super) fn pixels(&self) -> &[u8] {
        &self.pixels
    }

    /// Colours a pixel if it is inside.
    pub(super) fn set(&mut self, x: isize, y: isize, colour: u8) {
        let inside = (0..self.width.cast_signed()).contains(&x)
            && (0..self.height().cast_signed()).contains(&y);
        if inside {
            self.pixels[y as usize * self.width + x as usize] = colour;
        }
    }

    /// Draws a tile at a row and column of tiles; where it is clear, what is there stays.
    pub(super) fn tile(&mut self, row: usize, column: usize, art: &Art) {
        for (dy, line) in art.iter().enumerate() {
            let start = (row * SIDE + dy) * self.width + column * SIDE;
            let pixels = &mut self.pixels[start..start + SIDE];
            for (pixel, &character) in pixels.iter_mut().zip(*line) {
                let colour = index(character);
                if colour != CLEAR {
                    *pixel = colour;
                }
            }
        }
    }

    /// Fills a circle.
    pub(super) fn disc(&mut self, x: isize, y: isize, radius: isize, colour: u8) {
        for dy in -radius..=radius {
            for dx in -radius..=radius {
                if dx * dx + dy * dy <= radius * radius {
                    self.set(x + dx, y + dy, colour);
                }
            }
        }
    }

    /// A line of discs from one pixel to another.
    pub(super) fn line(
        &mut self,
        from: (isize, isize),
        to: (isize, isize),
        radius: isize,
        colour: u8,
    ) {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let steps = dx.abs().max(dy.abs()).max(1);
        for step in 0..=steps {
            let (x, y) = (from.0 + dx * step / steps, from.1 + dy * step / steps);
            self.disc(x, y, radius, colour);
        }
    }
}
