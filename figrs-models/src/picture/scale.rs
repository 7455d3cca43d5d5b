//! Sizes of the pictures of boards, in pixels.

use crate::grid::Size;
use figrs_reading::Mistake;

use super::{Canvas, Image};

/// Sizes in pixels for the pictures of a kind of board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureScale {
    /// Number of pixels of the side of a cell.
    pub cell: usize,
    /// Number of pixels of the borders on two opposite sides of a picture together.
    pub borders: usize,
}

impl PictureScale {
    /// Returns width and height of the picture of a board.
    pub fn pixels(self, size: Size) -> (usize, usize) {
        let pixels = |cells: usize| cells * self.cell + self.borders;
        (pixels(size.columns()), pixels(size.rows()))
    }

    /// Checks that the pictures of some boards of one size fit on a page of [`Image::sheet`]; the picture of a single board needs no page.
    ///
    /// **Errors.** The pictures do not fit on the page.
    pub fn check(self, size: Size, boards: usize) -> Result<(), Mistake> {
        let (width, height) = match boards {
            0 | 1 => self.pixels(size),
            _ => Image::sheet_pixels(boards, self.pixels(size)),
        };
        Image::check_pixels(width, height)
    }

    /// Creates a canvas of a single colour for the picture of a board.
    pub(crate) fn canvas(self, size: Size, colour: u8) -> Result<Canvas, Mistake> {
        let (width, height) = self.pixels(size);
        Image::canvas(width, height, colour)
    }
}
