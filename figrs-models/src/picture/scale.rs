//! Sizes, in pixels, of the pictures of boards.

use crate::grid::Size;
use figrs_reading::Mistake;

use super::{Canvas, Image};

/// Sizes, in pixels, of the pictures of boards of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureScale {
    /// Number of pixels of each side of a cell in the picture of a board.
    pub cell: usize,
    /// Total number of pixels of the two borders on opposite sides of a board's picture.
    pub borders: usize,
}

impl PictureScale {
    /// Returns the width and height, in pixels, of the picture of a board of size `size`.
    pub fn pixels(self, size: Size) -> (usize, usize) {
        let pixels = |cells: usize| cells * self.cell + self.borders;
        (pixels(size.columns()), pixels(size.rows()))
    }

    /// Checks that the pictures of `boards` boards of size `size` fit on a page made by [`Image::sheet`]; the picture of a single board needs no
    /// page.
    ///
    /// **Errors.** An error if the pictures, or the single picture, have too many pixels.
    pub fn check(self, size: Size, boards: usize) -> Result<(), Mistake> {
        let (width, height) = match boards {
            0 | 1 => self.pixels(size),
            _ => Image::sheet_pixels(boards, self.pixels(size)),
        };
        Image::check_pixels(width, height)
    }

    pub(crate) fn canvas(self, size: Size, colour: u8) -> Result<Canvas, Mistake> {
        let (width, height) = self.pixels(size);
        Image::canvas(width, height, colour)
    }
}
