//! A picture as a grid of pixels.

use super::Palette;

pub(super) const MAX_PIXELS: usize = 1 << 26;

/// A colour of a pixel: red, green, blue and opacity.
pub type Rgba = [u8; 4];

/// A grid of pixels; each pixel is the index of a colour, or a colour itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Canvas<P = u8> {
    pixels: Vec<P>,
    width: usize,
}

impl<P: Copy> Canvas<P> {
    /// Creates a canvas with the colour `colour` in every pixel.
    pub fn new(width: usize, height: usize, colour: P) -> Self {
        Self {
            pixels: vec![colour; width * height],
            width,
        }
    }

    /// Creates a canvas (a grid of pixels) from its pixels, row by row.
    pub fn of_pixels(pixels: Vec<P>, width: usize) -> Self {
        Self { pixels, width }
    }

    /// Returns the number of columns of pixels of the canvas.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the number of rows of pixels of the canvas.
    pub fn height(&self) -> usize {
        self.pixels.len() / self.width
    }

    /// Returns the pixels of the canvas, row by row from the top.
    pub fn pixels(&self) -> &[P] {
        &self.pixels
    }

    /// Sets the colour of the pixel at `x` and `y`, if this pixel is inside the canvas.
    pub fn set(&mut self, x: isize, y: isize, colour: P) {
        let inside = (0..self.width.cast_signed()).contains(&x)
            && (0..self.height().cast_signed()).contains(&y);
        if inside {
            self.pixels[y as usize * self.width + x as usize] = colour;
        }
    }

    /// Fills the part of a rectangle that is inside the canvas; `x` and `y` are the position of the rectangle's upper left corner.
    pub fn fill(&mut self, (x, y): (isize, isize), (width, height): (isize, isize), colour: P) {
        for dy in 0..height {
            for dx in 0..width {
                self.set(x + dx, y + dy, colour);
            }
        }
    }

    /// Copies the part of the canvas with the given upper left corner, width and height; this part must be inside the canvas.
    #[must_use]
    pub fn cut(&self, (x, y): (usize, usize), (width, height): (usize, usize)) -> Self {
        let rows = self.pixels.chunks(self.width).skip(y).take(height);
        let pixels = rows.flat_map(|row| row[x..x + width].iter().copied());
        Self::of_pixels(pixels.collect(), width)
    }

    /// Copies the picture `other` into the canvas; at the given position, it must fit into the canvas.
    pub(super) fn paste(&mut self, (x, y): (usize, usize), other: &Self) {
        for (dy, row) in other.pixels.chunks(other.width).enumerate() {
            let start = (y + dy) * self.width + x;
            self.pixels[start..start + row.len()].copy_from_slice(row);
        }
    }

    /// Fills a circle around the pixel at `x` and `y`.
    pub fn disc(&mut self, x: isize, y: isize, radius: isize, colour: P) {
        for dy in -radius..=radius {
            for dx in -radius..=radius {
                if dx * dx + dy * dy <= radius * radius {
                    self.set(x + dx, y + dy, colour);
                }
            }
        }
    }

    /// Draws a line of discs of radius `radius` between two pixels.
    pub fn line(&mut self, from: (isize, isize), to: (isize, isize), radius: isize, colour: P) {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let steps = dx.abs().max(dy.abs()).max(1);
        for step in 0..=steps {
            let (x, y) = (from.0 + dx * step / steps, from.1 + dy * step / steps);
            self.disc(x, y, radius, colour);
        }
    }

    /// Draws a line with an outline through the pixels `points`, with a larger disc at each end.
    pub fn way(
        &mut self,
        points: impl Iterator<Item = (isize, isize)> + Clone,
        radius: isize,
        (outline, colour): (P, P),
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

impl Canvas {
    /// Draws a picture given as lines of characters, each of which stands for a pixel's colour. The upper left corner of the picture is at the pixel
    /// `x`, `y`, and all pixels of the picture must be inside the canvas. Characters that stand for transparent pixels leave the canvas unchanged.
    pub fn art(&mut self, (x, y): (usize, usize), art: &str, palette: &Palette) {
        for (dy, line) in art.lines().enumerate() {
            let start = (y + dy) * self.width + x;
            let pixels = &mut self.pixels[start..start + line.len()];
            for (pixel, character) in pixels.iter_mut().zip(line.bytes()) {
                let colour = palette.index(character);
                if colour != Palette::CLEAR {
                    *pixel = colour;
                }
            }
        }
    }
}

impl Canvas<Rgba> {
    /// Draws the picture `other`, which must fit into the canvas at the given position; pixels that are not opaque are mixed with the pixels of the
    /// canvas.
    pub fn overlay(&mut self, (x, y): (usize, usize), other: &Self) {
        for (dy, row) in other.pixels.chunks(other.width).enumerate() {
            let start = (y + dy) * self.width + x;
            for (below, &above) in self.pixels[start..].iter_mut().zip(row) {
                *below = over(*below, above);
            }
        }
    }
}

/// Mixes the colour of a pixel with the colour of the pixel below it.
///
/// The mixture of two colours is that of the operator *over* in Porter and Duff, "Compositing Digital Images", SIGGRAPH 1984.
fn over(below: Rgba, above: Rgba) -> Rgba {
    let [front, back] = [above[3], below[3]].map(u32::from);
    let behind = back * (255 - front);
    let opacity = front * 255 + behind;
    if opacity == 0 {
        return [0; 4];
    }
    let mixed = |channel: usize| {
        let [above, below] = [above[channel], below[channel]].map(u32::from);
        (above * front * 255 + below * behind + opacity / 2) / opacity
    };
    [mixed(0), mixed(1), mixed(2), (opacity + 127) / 255].map(|channel| channel as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_mixed_by_their_opacity() {
        let (red, blue) = ([200, 0, 0, 255], [0, 0, 100, 255]);
        assert_eq!(over(red, blue), blue);
        assert_eq!(over(red, [9, 9, 9, 0]), red);
        assert_eq!(over([1, 2, 3, 0], [9, 9, 9, 0]), [0; 4]);
        assert_eq!(over([0; 4], [9, 8, 7, 20]), [9, 8, 7, 20]);
        // Blue with an opacity of three fifths is drawn over opaque red.
        assert_eq!(over(red, [0, 0, 100, 153]), [80, 0, 60, 255]);
        // Both colours are half opaque: the mixture is three quarters opaque, and the upper colour makes up two thirds of it.
        assert_eq!(over([0, 90, 0, 128], [90, 0, 0, 128]), [60, 30, 0, 192]);
    }
}
