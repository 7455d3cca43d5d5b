//! The built-in pixel pictures of tiles: rows of characters, one for each pixel, coloured by the palette.

use super::palette::PALETTE;
use super::tileset::SIDE;
use figrs_models::mdmc::Tile;
use figrs_models::picture::{Canvas, Palette};

pub(super) fn of_tiles(width: usize, height: usize) -> Canvas {
    Canvas::new(width * SIDE, height * SIDE, Palette::CLEAR)
}

/// Draws the picture of a tile at the cell in `row` and `column` of the canvas. Transparent pixels of the picture leave the canvas unchanged.
pub(super) fn draw_tile(canvas: &mut Canvas, row: usize, column: usize, art: &str) {
    canvas.art((column * SIDE, row * SIDE), art, &PALETTE);
}

/// Returns the built-in picture of a tile, or `None` for air and for the border.
pub(super) fn art(tile: Tile) -> Option<&'static str> {
    Some(match tile.symbol()? {
        'X' => EARTH,
        'S' => BRICK,
        '?' => QUESTION,
        'Q' => USED,
        'E' => CREATURE,
        '<' => PIPE_TOP_LEFT,
        '>' => PIPE_TOP_RIGHT,
        '[' => PIPE_LEFT,
        ']' => PIPE_RIGHT,
        'o' => COIN,
        'B' => CANNON,
        'b' => CANNON_BODY,
        _ => return None,
    })
}

const EARTH: &str = include_str!("../../art/earth.txt");
/// The picture of earth with grass on top, for ground with nothing solid above it.
pub(super) const GRASS: &str = include_str!("../../art/grass.txt");
const BRICK: &str = include_str!("../../art/brick.txt");
const QUESTION: &str = include_str!("../../art/question.txt");
const USED: &str = include_str!("../../art/used.txt");
const CREATURE: &str = include_str!("../../art/creature.txt");
const PIPE_TOP_LEFT: &str = include_str!("../../art/pipe_top_left.txt");
const PIPE_TOP_RIGHT: &str = include_str!("../../art/pipe_top_right.txt");
const PIPE_LEFT: &str = include_str!("../../art/pipe_left.txt");
const PIPE_RIGHT: &str = include_str!("../../art/pipe_right.txt");
const COIN: &str = include_str!("../../art/coin.txt");
const CANNON: &str = include_str!("../../art/cannon.txt");
const CANNON_BODY: &str = include_str!("../../art/cannon_body.txt");

#[cfg(test)]
mod tests {
    use super::*;
    use figrs_models::mdmc::TileSet;

    #[test]
    fn every_tile_but_air_has_a_drawing_of_its_own() {
        let drawings: Vec<&str> = TileSet::platformer()
            .tiles()
            .filter_map(art)
            .chain([GRASS])
            .collect();
        assert_eq!(drawings.len(), TileSet::platformer().tiles().count());
        for (i, one) in drawings.iter().enumerate() {
            assert!(drawings[..i].iter().all(|other| one != other));
        }
        assert!(art(Tile::EMPTY).is_none() && art(Tile::BORDER).is_none());
    }

    #[test]
    fn every_character_of_a_drawing_has_a_colour() {
        for drawing in TileSet::platformer().tiles().filter_map(art).chain([GRASS]) {
            let pixels = drawing.lines().flat_map(str::bytes);
            let unknown = pixels.filter(|&c| c != b'.' && PALETTE.index(c) == Palette::CLEAR);
            assert_eq!(unknown.count(), 0);
        }
    }
}
