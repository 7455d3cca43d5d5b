//! Pictures of boards, and pages of several pictures.

use figrs_reading::{Mistake, MistakeKind};
use std::io::{self, Write};

use super::canvas::MAX_PIXELS;
use super::{Canvas, encode};

/// A picture of at most 256 colours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    canvas: Canvas,
    colours: Vec<[u8; 3]>,
}

impl Image {
    /// Maximum number of pixels of a picture.
    pub const MAX_PIXELS: usize = MAX_PIXELS;
    /// Number of pixels of the margins between the pictures of a page, and around them.
    const MARGIN: usize = 12;

    pub(crate) fn new(canvas: Canvas, colours: Vec<[u8; 3]>) -> Self {
        Self { canvas, colours }
    }

    pub(crate) fn canvas(width: usize, height: usize, colour: u8) -> Result<Canvas, Mistake> {
        Self::check_pixels(width, height)?;
        Ok(Canvas::new(width, height, colour))
    }

    pub(super) fn check_pixels(width: usize, height: usize) -> Result<(), Mistake> {
        if width.saturating_mul(height) > Self::MAX_PIXELS {
            return Err(too_large(width, height));
        }
        Ok(())
    }

    fn columns(pictures: usize) -> usize {
        let columns = pictures.isqrt();
        columns + usize::from(columns * columns < pictures)
    }

    /// Returns the first column (or row) of pixels that belongs to the pictures in column (or row) `number` of a page; each picture has `side`
    /// columns (or rows) of pixels.
    fn before(number: usize, side: usize) -> usize {
        Self::MARGIN + number * (side + Self::MARGIN)
    }

    pub(super) fn sheet_pixels(pictures: usize, (width, height): (usize, usize)) -> (usize, usize) {
        let columns = Self::columns(pictures);
        let rows = pictures.div_ceil(columns);
        (Self::before(columns, width), Self::before(rows, height))
    }

    /// Returns the number of pixels in a row of the picture.
    pub fn width(&self) -> usize {
        self.canvas.width()
    }

    /// Returns the number of rows of pixels of the picture.
    pub fn height(&self) -> usize {
        self.canvas.height()
    }

    /// Returns the colour of the pixel at `x` and `y` as red, green and blue; `None` for a pixel outside the picture.
    pub fn pixel(&self, x: usize, y: usize) -> Option<[u8; 3]> {
        let inside = x < self.width() && y < self.height();
        let index = inside.then(|| self.canvas.pixels()[y * self.width() + x])?;
        self.colours.get(usize::from(index)).copied()
    }

    /// Creates a page that shows the pictures `pictures`, which must have the same colours, with as many columns of pictures as rows, or one column
    /// more. The margins of the page have the first colour of the pictures.
    ///
    /// **Errors.** An error if there are no pictures, if their colours differ, or if the page has too many pixels.
    pub fn sheet(pictures: &[Self]) -> Result<Self, Mistake> {
        let first = pictures.first().ok_or_else(|| {
            Mistake::new(
                MistakeKind::Missing,
                "a page without pictures",
                "give at least one",
            )
        })?;
        let other = pictures.iter().position(|p| p.colours != first.colours);
        if let Some(other) = other {
            let problem = format!("picture {} has other colours than the first one", other + 1);
            let remedy = "put boards of one kind on a page";
            return Err(Mistake::new(MistakeKind::Contradiction, problem, remedy));
        }
        let columns = Self::columns(pictures.len());
        let largest = |side: fn(&Self) -> usize| pictures.iter().map(side).max().unwrap_or(0);
        let (width, height) = (largest(Self::width), largest(Self::height));
        let (all_columns, all_rows) = Self::sheet_pixels(pictures.len(), (width, height));
        let mut canvas = Self::canvas(all_columns, all_rows, 0)?;
        for (number, picture) in pictures.iter().enumerate() {
            let at = (
                Self::before(number % columns, width),
                Self::before(number / columns, height),
            );
            canvas.paste(at, &picture.canvas);
        }
        Ok(Self::new(canvas, first.colours.clone()))
    }

    /// Writes the picture as PNG. The pairs `notes` of a name and a text become text chunks of the PNG file; names have 1 to 79 Latin-1 characters.
    pub fn write_png(&self, out: impl Write, notes: &[(&str, &str)]) -> io::Result<()> {
        encode(out, &self.canvas, &self.colours, notes, &[])
    }
}

/// Returns the error for a picture with more pixels than the memory of a small machine can hold.
pub(super) fn too_large(width: usize, height: usize) -> Mistake {
    let problem = format!("a picture of {width} by {height} pixels is too large");
    let most = Image::MAX_PIXELS;
    let remedy = format!("use fewer or smaller boards, of at most {most} pixels together");
    Mistake::new(MistakeKind::TooLarge, problem, remedy)
}
