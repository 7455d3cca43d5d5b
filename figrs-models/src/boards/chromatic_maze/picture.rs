//! Draws chromatic mazes as pictures.

use super::ChromaticTile;
use crate::grid::{Board, Position};
use crate::picture::{Image, PictureScale};
use figrs_reading::Mistake;

const SIDE: usize = 32;
const GAP: usize = 2;

/// The colours of pictures of chromatic mazes: the background, ink and paper; then, for each colour of the wheel, the face, the lit edge and the
/// shaded edge of a tile.
const COLOURS: [[u8; 3]; 21] = [
    [32, 30, 44],
    [24, 22, 34],
    [255, 252, 244],
    [222, 72, 72],
    [246, 130, 120],
    [164, 42, 54],
    [240, 196, 72],
    [255, 230, 140],
    [190, 140, 36],
    [98, 184, 90],
    [158, 222, 140],
    [58, 130, 66],
    [72, 188, 196],
    [146, 228, 226],
    [38, 132, 148],
    [76, 110, 206],
    [134, 164, 240],
    [46, 70, 154],
    [184, 88, 186],
    [226, 146, 222],
    [130, 52, 136],
];

impl Board<ChromaticTile> {
    /// The scale, in pixels, of pictures of chromatic mazes.
    pub const SCALE: PictureScale = PictureScale {
        cell: SIDE,
        borders: GAP,
    };

    /// Draws a picture with 32 by 32 pixels for each tile: the start is a ring, the finish a filled ring, and a line leads through the list of tiles
    /// `way`, which may be empty or [`Board::solution`].
    ///
    /// **Errors.** An error if the picture of the maze has too many pixels.
    pub fn picture(&self, way: &[Position]) -> Result<Image, Mistake> {
        let size = self.size();
        let mut canvas = Self::SCALE.canvas(size, 0)?;
        let corner = |cell: usize| (cell * SIDE + GAP).cast_signed();
        let inside = (SIDE - GAP).cast_signed();
        for (at, tile) in self.iter() {
            let (x, y) = (corner(at.column), corner(at.row));
            let face = 3 + 3 * tile.colour as u8;
            canvas.fill((x, y), (inside, inside), face + 2);
            canvas.fill((x, y), (inside - 2, inside - 2), face + 1);
            canvas.fill((x + 2, y + 2), (inside - 4, inside - 4), face);
        }
        let middle = |at: &Position| (corner(at.column) + inside / 2, corner(at.row) + inside / 2);
        let (ink, paper) = (1, 2);
        canvas.way(way.iter().map(middle), 1, (ink, paper));
        let rings = [
            (self.start(), [(10, ink), (9, paper), (6, ink), (5, paper)]),
            (self.finish(), [(10, ink), (9, paper), (6, ink), (5, ink)]),
        ];
        for (at, ring) in rings {
            let Some((x, y)) = at.as_ref().map(middle) else {
                continue;
            };
            for (radius, colour) in ring {
                canvas.disc(x, y, radius, colour);
            }
        }
        Ok(Image::new(canvas, COLOURS.to_vec()))
    }
}
