//! Draws Yin-Yang boards as pictures.

use super::{Colour, ColourClues};
use crate::grid::{Board, Position, Size};
use crate::picture::{Canvas, Image, PictureScale};
use figrs_reading::Mistake;

const SIDE: usize = 26;
const FRAME: usize = SIDE / 4;
const RADIUS: isize = 11;

/// The colours of the picture: of wood, its lines and its shade; of black stones from dark to light; of white stones from light to dark; and of the
/// marks of clues.
const COLOURS: [[u8; 3]; 10] = [
    [222, 184, 122],
    [176, 136, 82],
    [150, 112, 66],
    [28, 26, 34],
    [58, 56, 68],
    [128, 128, 142],
    [226, 222, 214],
    [246, 244, 238],
    [255, 255, 255],
    [206, 70, 60],
];

impl Board<Colour> {
    /// The scale, in pixels, of pictures of Yin-Yang boards.
    pub const SCALE: PictureScale = PictureScale {
        cell: SIDE,
        borders: 2 * FRAME,
    };

    /// Draws a picture of the board with 26 by 26 pixels for each cell; the cells of `clues` get a mark.
    ///
    /// **Errors.** An error if the picture of the puzzle has too many pixels.
    pub fn picture(&self, clues: &ColourClues) -> Result<Image, Mistake> {
        let stones = self.iter().map(|(at, &colour)| (at, colour));
        picture(self.size(), stones, clues)
    }
}

impl ColourClues {
    /// Draws the clues in the style of the picture of a [`Board`], with stones only on cells with a clue.
    ///
    /// **Errors.** An error if the picture of the puzzle has too many pixels.
    pub fn picture(&self) -> Result<Image, Mistake> {
        picture(self.size(), self.iter(), &Self::none(self.size()))
    }
}

fn picture(
    size: Size,
    stones: impl Iterator<Item = (Position, Colour)>,
    marked: &ColourClues,
) -> Result<Image, Mistake> {
    let (width, height) = (size.columns() * SIDE, size.rows() * SIDE);
    let mut canvas = Board::<Colour>::SCALE.canvas(size, 0)?;
    let start = |cell: usize| (cell * SIDE + FRAME).cast_signed();
    for row in 0..=size.rows() {
        canvas.fill((start(0), start(row)), (width.cast_signed() + 1, 1), 1);
    }
    for column in 0..=size.columns() {
        canvas.fill((start(column), start(0)), (1, height.cast_signed() + 1), 1);
    }
    for (at, colour) in stones {
        let middle = (SIDE / 2).cast_signed();
        let (x, y) = (start(at.column) + middle, start(at.row) + middle);
        stone(&mut canvas, (x, y), colour);
        if marked.get(at).is_some() {
            canvas.disc(x, y, 2, 9);
        }
    }
    Ok(Image::new(canvas, COLOURS.to_vec()))
}

/// Draws a stone (the sign for the colour of a cell) lit from above, with its shadow below.
fn stone(canvas: &mut Canvas, (x, y): (isize, isize), colour: Colour) {
    let [edge, face, light] = match colour {
        Colour::Black => [3, 4, 5],
        Colour::White => [6, 7, 8],
    };
    canvas.disc(x + 1, y + 2, RADIUS, 2);
    canvas.disc(x, y, RADIUS, edge);
    canvas.disc(x - 1, y - 1, RADIUS - 2, face);
    canvas.disc(x - 4, y - 5, 2, light);
}
