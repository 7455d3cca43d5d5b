//! A picture of palette indices.

use super::Palette;

/// The most pixels of a picture.
pub(super) const MAX_PIXELS: usize = 1 << 26;

/// Rows of pixels, each the index of a colour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Canvas {
    pixels: Vec<u8>,
    width: usize,
}

impl Canvas {
    /// One of a single colour.
    pub(crate) fn new(width: usize, height: usize, colour: u8) -> Self {
        Self {
            pixels: vec![colour; width * height],
            width,
        }
    }

    pub(crate) fn width(&self) -> usize {
        self.width
    }

    pub(crate) fn height(&self) -> usize {
        self.pixels.len() / self.width
    }

    pub(crate) fn pixels(&self) -> &[u8] {
        &self.pixels
    }

    /// Colours a pixel if it is inside.
    pub(crate) fn set(&mut self, x: isize, y: isize, colour: u8) {
        let inside = (0..self.width.cast_signed()).contains(&x)
            && (0..self.height().cast_signed()).contains(&y);
        if inside {
            self.pixels[y as usize * self.width + x as usize] = colour;
        }
    }

    /// Fills the part of a rectangle that is inside.
    pub(crate) fn fill(
        &mut self,
        (x, y): (isize, isize),
        (width, height): (isize, isize),
        colour: u8,
    ) {
        for dy in 0..height {
            for dx in 0..width {
                self.set(x + dx, y + dy, colour);
            }
        }
    }

    /// Draws rows of characters by their colours, with the corner at a pixel; all pixels must be inside. Clear characters
    /// leave the canvas as it is.
    pub(crate) fn art<const N: usize>(
        &mut self,
        (x, y): (usize, usize),
        art: &[&[u8; N]],
        palette: &Palette,
    ) {
        for (dy, line) in art.iter().enumerate() {
            let start = (y + dy) * self.width + x;
            let pixels = &mut self.pixels[start..start + N];
            for (pixel, &character) in pixels.iter_mut().zip(*line) {
                let colour = palette.index(character);
                if colour != Palette::CLEAR {
                    *pixel = colour;
                }
            }
        }
    }

    /// Copies a picture to a place with room for it.
    pub(super) fn paste(&mut self, (x, y): (usize, usize), other: &Self) {
        for (dy, row) in other.pixels.chunks(other.width).enumerate() {
            let start = (y + dy) * self.width + x;
            self.pixels[start..start + row.len()].copy_from_slice(row);
        }
    }

    /// Fills a circle.
    pub(crate) fn disc(&mut self, x: isize, y: isize, radius: isize, colour: u8) {
        for dy in -radius..=radius {
            for dx in -radius..=radius {
                if dx * dx + dy * dy <= radius * radius {
                    self.set(x + dx, y + dy, colour);
                }
            }
        }
    }

    /// A line of discs from one pixel to another.
    pub(crate) fn line(
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

    /// A line through some pixels, with larger discs at both ends, in an outline.
    pub(crate) fn way(
        &mut self,
        points: impl Iterator<Item = (isize, isize)> + Clone,
        radius: isize,
        (outline, colour): (u8, u8),
    ) {
        for (radius, colour) in [(radius + 1, outline), (radius, colour)] {
            for (from, to) in points.clone().zip(points.clone().skip(1)) {
                self.line(from, to, radius, colour);
            }
            for (x, y) in points.clone().take(1).chain(points.clone().last()) {
                self.disc(x, y, radius + 3, colour);
            }
        }
    }
}
