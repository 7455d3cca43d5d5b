//! Pixels of the cells of a board.

use crate::grid::Size;

use super::{Canvas, Image, ImageError};

/// Size in pixels of the pictures of a kind of board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureScale {
    /// Pixels of the side of a cell.
    pub cell: usize,
    /// Pixels of the borders on two opposite sides together.
    pub borders: usize,
}

impl PictureScale {
    /// Width and height of the picture of a board.
    pub fn pixels(self, size: Size) -> (usize, usize) {
        let pixels = |cells: usize| cells * self.cell + self.borders;
        (pixels(size.columns()), pixels(size.rows()))
    }

    /// Checks that some boards of one size fit on a page as [`Image::sheet`] makes it; a single board is a picture without a page.
    ///
    /// **Errors.** [`ImageError::TooLarge`].
    pub fn check(self, size: Size, boards: usize) -> Result<(), ImageError> {
        let (width, height) = match boards {
            0 | 1 => self.pixels(size),
            _ => Image::sheet_pixels(boards, self.pixels(size)),
        };
        Image::check_pixels(width, height)
    }

    /// A canvas of a single colour for the picture of a board.
    pub(crate) fn canvas(self, size: Size, colour: u8) -> Result<Canvas, ImageError> {
        let (width, height) = self.pixels(size);
        Image::canvas(width, height, colour)
    }
}
