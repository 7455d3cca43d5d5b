//! Draws mazes as pictures.

use super::Pointer;
use crate::grid::{Board, Position};
use crate::picture::{Image, PictureScale, gradient};
use figrs_reading::Mistake;

/// Number of pixels along the side of a room in the picture, including one wall.
const ROOM: usize = 14;
const WALL: usize = 2;
const SHADES: usize = 96;

/// The colours, in the picture of a maze, of paper, of walls, of the path's outline, and of the path.
const COLOURS: [[u8; 3]; 4] = [[250, 246, 236], [38, 34, 64], [38, 34, 64], [255, 252, 240]];
const NEAR_TO_FAR: [[u8; 3]; 5] = [
    [250, 224, 140],
    [246, 160, 96],
    [222, 92, 108],
    [132, 72, 148],
    [56, 66, 140],
];

impl Board<Pointer> {
    /// The scale, in pixels, of pictures of mazes.
    pub const SCALE: PictureScale = PictureScale {
        cell: ROOM,
        borders: WALL,
    };

    /// Draws a picture of the maze with 14 by 14 pixels for each room, coloured by its distance from the entrance; a line leads through the rooms
    /// `way`, which may be empty or [`Board::solution`].
    ///
    /// **Errors.** An error if the picture of the maze has too many pixels.
    pub fn picture(&self, way: &[Position]) -> Result<Image, Mistake> {
        let (rows, columns) = (self.size().rows(), self.size().columns());
        let [paper, wall, outline, line] = [0, 1, 2, 3];
        let mut canvas = Self::SCALE.canvas(self.size(), wall)?;
        let distances: Vec<usize> = self
            .distances()
            .into_iter()
            .map(Option::unwrap_or_default)
            .collect();
        let furthest = distances.iter().copied().max().unwrap_or(0).max(1);
        let shade = |room: usize| (COLOURS.len() + distances[room] * (SHADES - 1) / furthest) as u8;
        let corner = |cell: usize| (cell * ROOM + WALL).cast_signed();
        let inside = (ROOM - WALL).cast_signed();
        let thick = WALL.cast_signed();
        for row in 0..rows {
            for column in 0..columns {
                let (x, y) = (corner(column), corner(row));
                let colour = shade(row * columns + column);
                let open = |row_to, column_to| {
                    let to = Position {
                        row: row_to,
                        column: column_to,
                    };
                    self.is_open(Position { row, column }, to)
                };
                let right = if column + 1 < columns && open(row, column + 1) {
                    thick
                } else {
                    0
                };
                let below = if open(row + 1, column) { thick } else { 0 };
                canvas.fill((x, y), (inside + right, inside), colour);
                canvas.fill((x, y), (inside, inside + below), colour);
            }
        }
        canvas.fill((corner(0), 0), (inside, thick), paper);
        canvas.fill(
            (corner(columns - 1), corner(rows) - thick),
            (inside, thick),
            paper,
        );
        let middle = |&Position { row, column }: &Position| {
            (corner(column) + inside / 2, corner(row) + inside / 2)
        };
        canvas.way(way.iter().map(middle), 1, (outline, line));
        let shades = gradient(&NEAR_TO_FAR, SHADES);
        Ok(Image::new(
            canvas,
            COLOURS.into_iter().chain(shades).collect(),
        ))
    }
}
