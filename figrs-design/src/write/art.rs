//! The built-in pixel pictures of tiles: rows of characters, one for each pixel, coloured by the palette.

use super::palette::PALETTE;
use super::tileset::SIDE;
use figrs_models::mdmc::Tile;
use figrs_models::picture::{Canvas, Palette};

pub(super) type TileSprite = [&'static [u8; SIDE]; SIDE];

pub(super) fn of_tiles(width: usize, height: usize) -> Canvas {
    Canvas::new(width * SIDE, height * SIDE, Palette::CLEAR)
}

/// Draws the picture of a tile at a row and column of tiles. Transparent pixels leave the canvas unchanged.
pub(super) fn draw_tile(canvas: &mut Canvas, row: usize, column: usize, art: &TileSprite) {
    canvas.art((column * SIDE, row * SIDE), art, &PALETTE);
}

/// Returns the picture of a tile, or `None` for air and for the border.
pub(super) fn art(tile: Tile) -> Option<&'static TileSprite> {
    Some(match tile.symbol()? {
        'X' => &EARTH,
        'S' => &BRICK,
        '?' => &QUESTION,
        'Q' => &USED,
        'E' => &CREATURE,
        '<' => &PIPE_TOP_LEFT,
        '>' => &PIPE_TOP_RIGHT,
        '[' => &PIPE_LEFT,
        ']' => &PIPE_RIGHT,
        'o' => &COIN,
        'B' => &CANNON,
        'b' => &CANNON_BODY,
        _ => return None,
    })
}

const EARTH: TileSprite = [
    b"dddddddddddddddd",
    b"ddddddddddlddddd",
    b"ddlldddddddddDdd",
    b"ddlddddddddddddd",
    b"ddddddDDdddddddd",
    b"dddddddDddddlldd",
    b"dDddddddddddlddd",
    b"dddddddddddddddd",
    b"dddddlddddDddddd",
    b"ddddlldddDDddddd",
    b"dddddddddddddddd",
    b"ddDddddddddddldd",
    b"dDDddddlddddllld",
    b"ddddddllddddddDd",
    b"dddddddddDdddddd",
    b"dddddddddddddddd",
];

/// The picture of earth with grass on top, for ground with nothing solid above it.
pub(super) const GRASS: TileSprite = [
    b"LLgLLLgLLLLgLLLg",
    b"gLgggLggLgggLggg",
    b"gggGgggggggggGgg",
    b"gGgGggGgggGggGgg",
    b"GGdGGGGdgGGGdGGG",
    b"dGddDGddGDdGdddG",
    b"dDdddddddddddDdd",
    b"dddddddddddddddd",
    b"dddddlddddDddddd",
    b"ddddlldddDDddddd",
    b"dddddddddddddddd",
    b"ddDddddddddddldd",
    b"dDDddddlddddllld",
    b"ddddddllddddddDd",
    b"dddddddddDdddddd",
    b"dddddddddddddddd",
];

const BRICK: TileSprite = [
    b"hhhhhhhmhhhhhhhm",
    b"hbbbbbBmhbbbbbBm",
    b"BBBBBBBmBBBBBBBm",
    b"mmmmmmmmmmmmmmmm",
    b"hhhmhhhhhhhmhhhh",
    b"bbBmhbbbbbBmhbbb",
    b"BBBmBBBBBBBmBBBB",
    b"mmmmmmmmmmmmmmmm",
    b"hhhhhhhmhhhhhhhm",
    b"hbbbbbBmhbbbbbBm",
    b"BBBBBBBmBBBBBBBm",
    b"mmmmmmmmmmmmmmmm",
    b"hhhmhhhhhhhmhhhh",
    b"bbBmhbbbbbBmhbbb",
    b"BBBmBBBBBBBmBBBB",
    b"mmmmmmmmmmmmmmmm",
];

const QUESTION: TileSprite = [
    b".xxxxxxxxxxxxxx.",
    b"xzzzzzzzzzzzzzzx",
    b"xzyyyyyyyyyyyyYx",
    b"xzyxyywwwwyyxyYx",
    b"xzyyywwxxwwyyyYx",
    b"xzyyywwxywwxyyYx",
    b"xzyyyyxxywwxyyYx",
    b"xzyyyyyywwxxyyYx",
    b"xzyyyyywwxxyyyYx",
    b"xzyyyyywwxyyyyYx",
    b"xzyyyyyyxxyyyyYx",
    b"xzyyyyywwyyyyyYx",
    b"xzyxyyywwxyyxyYx",
    b"xzyyyyyyxxyyyyYx",
    b"xYYYYYYYYYYYYYYx",
    b".xxxxxxxxxxxxxx.",
];

const USED: TileSprite = [
    b".mmmmmmmmmmmmmm.",
    b"muuuuuuuuuuuuuum",
    b"muqqqqqqqqqqqqQm",
    b"muqmqqqqqqqqmqQm",
    b"muqqqqqqqqqqqqQm",
    b"muqqqqqqqqqqqqQm",
    b"muqqqqqQQqqqqqQm",
    b"muqqqqQqquqqqqQm",
    b"muqqqqQqquqqqqQm",
    b"muqqqqquuqqqqqQm",
    b"muqqqqqqqqqqqqQm",
    b"muqqqqqqqqqqqqQm",
    b"muqmqqqqqqqqmqQm",
    b"muqqqqqqqqqqqqQm",
    b"mQQQQQQQQQQQQQQm",
    b".mmmmmmmmmmmmmm.",
];

const CREATURE: TileSprite = [
    b"................",
    b"................",
    b"....k......k....",
    b"....fk....kf....",
    b".....kkkkkk.....",
    b"....kvnnnvvk....",
    b"...kvnnvvvvvk...",
    b"..kvnwwvvwwvVk..",
    b"..kvwwwwwwwwVk..",
    b".kvvwwkwwkwwVVk.",
    b".kvvvwwvvwwvVVk.",
    b".kvvvvvvvvvvVVk.",
    b".kvvvkwkwkwkVVk.",
    b".kVvvvvvvvVVVVk.",
    b"..kkVVVVVVVVkk..",
    b"..kffk....kffk..",
];

const PIPE_TOP_LEFT: TileSprite = [
    b"oooooooooooooooo",
    b"oiiiiiiiiiiiiiii",
    b"oiippppppppppppp",
    b"oipiiippppppppPp",
    b"oipiiippppppppPp",
    b"oipiiippppppppPp",
    b"oipiiippppppppPp",
    b"oipiiippppppppPp",
    b"oipiiippppppppPp",
    b"oipiiippppppppPp",
    b"oippppppppppppPp",
    b"oPPPPPPPPPPPPPPP",
    b"oooooooooooooooo",
    b"..oPPPPPPPPPPPPP",
    b"..oPiiPPPPPPPPPP",
    b"..opiippppppppPp",
];

const PIPE_TOP_RIGHT: TileSprite = [
    b"oooooooooooooooo",
    b"iiiiiiiiiiiiiiio",
    b"pppppppppppppPPo",
    b"pppppPppPpPPPPPo",
    b"pppppPppPpPPPPPo",
    b"pppppPppPpPPPPPo",
    b"pppppPppPpPPPPPo",
    b"pppppPppPpPPPPPo",
    b"pppppPppPpPPPPPo",
    b"pppppPppPpPPPPPo",
    b"pppppPppPpPPPPPo",
    b"PPPPPPPPPPPPPPPo",
    b"oooooooooooooooo",
    b"PPPPPPPPPPPPPo..",
    b"PPPPPPPPPPPPPo..",
    b"ppppPppPpPPPPo..",
];

const PIPE_LEFT: TileSprite = [
    b"..opiippppppppPp",
    b"..opiippppppppPp",
    b"..opiippppppppPp",
    b"..opiippppppppPp",
    b"..opiippppppppPp",
    b"..opiippppppppPp",
    b"..opiippppppppPp",
    b"..opiippppppppPp",
    b"..opiippppppppPp",
    b"..opiippppppppPp",
    b"..opiippppppppPp",
    b"..opiippppppppPp",
    b"..opiippppppppPp",
    b"..opiippppppppPp",
    b"..opiippppppppPp",
    b"..opiippppppppPp",
];

const PIPE_RIGHT: TileSprite = [
    b"ppppPppPpPPPPo..",
    b"ppppPppPpPPPPo..",
    b"ppppPppPpPPPPo..",
    b"ppppPppPpPPPPo..",
    b"ppppPppPpPPPPo..",
    b"ppppPppPpPPPPo..",
    b"ppppPppPpPPPPo..",
    b"ppppPppPpPPPPo..",
    b"ppppPppPpPPPPo..",
    b"ppppPppPpPPPPo..",
    b"ppppPppPpPPPPo..",
    b"ppppPppPpPPPPo..",
    b"ppppPppPpPPPPo..",
    b"ppppPppPpPPPPo..",
    b"ppppPppPpPPPPo..",
    b"ppppPppPpPPPPo..",
];

const COIN: TileSprite = [
    b"................",
    b"......xxxx......",
    b".....xzzzyx.....",
    b"....xzwzyyYx....",
    b"....xzzyyyYx....",
    b"...xzzyxxyyYx...",
    b"...xzzyxzyyYx...",
    b"...xzyyxzyyYx...",
    b"...xzyyxzyyYx...",
    b"...xzyyxzyyYx...",
    b"...xzyyzzyyYx...",
    b"....xzyyyyYx....",
    b"....xyyyyYYx....",
    b".....xYYYYx.....",
    b"......xxxx......",
    b"................",
];

const CANNON: TileSprite = [
    b"..kkkkkkkkkkkk..",
    b".kaaaaaaaaasssk.",
    b"kaasssssssssSSSk",
    b"kasssskkkkssSSSk",
    b"kassskkrrkksSSSk",
    b"kasskkrwrrkkSSSk",
    b"kasskrrwwrrkSSSk",
    b"kasskrrrrrrkSSSk",
    b"kasskkrrrrkkSSSk",
    b"kassskkrrkksSSSk",
    b"kasssskkkkssSSSk",
    b"kaasssssssssSSSk",
    b".kSSSSSSSSSSSSk.",
    b"..kkkkkkkkkkkk..",
    b"...kassssssSk...",
    b"...kassssssSk...",
];

const CANNON_BODY: TileSprite = [
    b"...kassssssSk...",
    b"...kassssssSk...",
    b"..kkkkkkkkkkkk..",
    b"..kaasssssssSk..",
    b"..kasksssskSSk..",
    b"..kasssssssSSk..",
    b"..kassssssssSk..",
    b"..kassssssssSk..",
    b"..kassssssssSk..",
    b"..kassssssssSk..",
    b"..kasssssssSSk..",
    b"..kasksssskSSk..",
    b"..kaSSSSSSSSSk..",
    b"..kkkkkkkkkkkk..",
    b"...kassssssSk...",
    b"...kassssssSk...",
];

#[cfg(test)]
mod tests {
    use super::*;
    use figrs_models::mdmc::TileSet;

    #[test]
    fn every_tile_but_air_has_a_drawing_of_its_own() {
        let drawings: Vec<&TileSprite> = TileSet::platformer()
            .tiles()
            .filter_map(art)
            .chain([&GRASS])
            .collect();
        assert_eq!(drawings.len(), TileSet::platformer().tiles().count());
        for (i, one) in drawings.iter().enumerate() {
            assert!(drawings[..i].iter().all(|other| one != other));
        }
        assert!(art(Tile::EMPTY).is_none() && art(Tile::BORDER).is_none());
    }

    #[test]
    fn every_character_of_a_drawing_has_a_colour() {
        for drawing in TileSet::platformer()
            .tiles()
            .filter_map(art)
            .chain([&GRASS])
        {
            let pixels = drawing.iter().flat_map(|row| row.iter());
            let unknown = pixels.filter(|&&c| c != b'.' && PALETTE.index(c) == Palette::CLEAR);
            assert_eq!(unknown.count(), 0);
        }
    }
}
