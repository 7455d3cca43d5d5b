//! Draws dungeons as pictures.

use super::DungeonTile;
use crate::grid::{Board, Position};
use crate::picture::{Image, Palette, PictureScale};
use figrs_reading::Mistake;

const SIDE: usize = 16;

/// The colours of the characters that stand for pixels in the pictures of a dungeon's tiles.
const PALETTE: Palette = Palette(&[
    (b'.', [24, 20, 32]),
    // The colours of the floor.
    (b'f', [94, 84, 96]),
    (b'F', [82, 72, 86]),
    (b'e', [110, 100, 110]),
    // The colours of walls.
    (b's', [58, 50, 72]),
    (b'S', [42, 36, 56]),
    (b'a', [78, 68, 92]),
    (b'k', [20, 16, 28]),
    // The colours of the gem.
    (b'c', [64, 208, 220]),
    (b'C', [28, 140, 176]),
    (b'w', [236, 255, 255]),
    // The colours of the altar.
    (b't', [190, 172, 140]),
    (b'T', [140, 122, 98]),
    (b'y', [255, 206, 84]),
    (b'o', [236, 120, 48]),
    (b'r', [168, 40, 58]),
    // The colours of stairs.
    (b'g', [122, 170, 110]),
    (b'G', [78, 122, 78]),
    // The colours of the path.
    (b'!', [255, 232, 150]),
    (b'?', [60, 40, 40]),
]);

impl Board<DungeonTile> {
    /// The scale, in pixels, of pictures of dungeons.
    pub const SCALE: PictureScale = PictureScale {
        cell: SIDE,
        borders: SIDE,
    };

    /// Draws a picture of the dungeon with 16 by 16 pixels for each cell; entrance and exit are stairs, and a line leads through the cells `way`,
    /// which may be empty or [`Board::walk`].
    ///
    /// **Errors.** An error if the picture of the dungeon has too many pixels.
    pub fn picture(&self, way: &[Position]) -> Result<Image, Mistake> {
        let size = self.size();
        let frame = SIDE / 2;
        let dark = PALETTE.index(b'k');
        let mut canvas = Self::SCALE.canvas(size, dark)?;
        let last = size.cells() - 1;
        for (index, (at, tile)) in size.positions().zip(self.cells()).enumerate() {
            let place = (at.column * SIDE + frame, at.row * SIDE + frame);
            let ground = match tile {
                DungeonTile::Wall => WALL,
                _ if index == 0 || index == last => STAIRS,
                _ => FLOOR,
            };
            canvas.art(place, ground, &PALETTE);
        }
        let middle = |at: &Position| {
            let middle = |cell: usize| (cell * SIDE + SIDE / 2 + frame).cast_signed();
            (middle(at.column), middle(at.row))
        };
        let colours = (PALETTE.index(b'?'), PALETTE.index(b'!'));
        canvas.way(way.iter().map(middle), 1, colours);
        for (at, tile) in size.positions().zip(self.cells()) {
            let place = (at.column * SIDE + frame, at.row * SIDE + frame);
            match tile {
                DungeonTile::Gem => canvas.art(place, GEM, &PALETTE),
                DungeonTile::Altar => canvas.art(place, ALTAR, &PALETTE),
                DungeonTile::Empty | DungeonTile::Wall => {}
            }
        }
        Ok(Image::new(canvas, PALETTE.colours()))
    }
}

const FLOOR: &str = include_str!("../../../art/floor.txt");
const WALL: &str = include_str!("../../../art/wall.txt");
const STAIRS: &str = include_str!("../../../art/stairs.txt");
const GEM: &str = include_str!("../../../art/gem.txt");
const ALTAR: &str = include_str!("../../../art/altar.txt");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_of_a_drawing_has_a_colour() {
        for drawing in [FLOOR, WALL, STAIRS, GEM, ALTAR] {
            let pixels = drawing.lines().flat_map(str::bytes);
            let unknown = pixels.filter(|&c| c != b'.' && PALETTE.index(c) == Palette::CLEAR);
            assert_eq!(unknown.count(), 0);
        }
    }
}
