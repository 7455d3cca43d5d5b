//! Draws tiles as squares, for sets of tiles without built-in pictures: the colour of a square shows the meaning of the tile, and its letter
//! identifies the tile.

use font8x8::{
    BASIC_FONTS, BLOCK_FONTS, BOX_FONTS, GREEK_FONTS, HIRAGANA_FONTS, LATIN_FONTS, MISC_FONTS,
    UnicodeFonts,
};

use super::tileset::SIDE;
use figrs_models::mdmc::{Meaning, Tile, TileSet};
use figrs_models::picture::{Canvas, Rgba};

/// A colour by its hue in degrees, and its saturation and lightness in percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shade {
    hue: i32,
    saturation: i32,
    lightness: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Flat,
    /// For this shape, the coloured area is a little smaller than the square of the tile.
    Inset,
    Disc,
    /// The coloured area is a bar along the top of the tile's square.
    Platform,
    /// The coloured area is a thin bar below the top of the tile's square.
    Rope,
    /// The coloured area is a ladder of two rails with rungs.
    Rails,
    /// The coloured area is a block with points on top.
    Spikes,
}

/// The colour and shape for each meaning of tiles; if a tile has several meanings, the first of them in this list determines its colour and shape.
const KINDS: [(Meaning, Shade, Form); 15] = [
    (Meaning::Enemy, shade(285, 46, 48), Form::Disc),
    (Meaning::Shooter, shade(340, 55, 36), Form::Spikes),
    (Meaning::Hazard, shade(4, 70, 47), Form::Spikes),
    (Meaning::Start, shade(204, 72, 42), Form::Inset),
    (Meaning::Exit, shade(150, 62, 34), Form::Inset),
    (Meaning::Door, shade(28, 62, 42), Form::Inset),
    (Meaning::Reward, shade(40, 84, 46), Form::Disc),
    (Meaning::Collectable, shade(46, 92, 56), Form::Disc),
    (Meaning::Climb, shade(28, 52, 44), Form::Rails),
    (Meaning::Hang, shade(70, 38, 36), Form::Rope),
    (Meaning::Diggable, shade(22, 44, 42), Form::Flat),
    (Meaning::SolidTop, shade(120, 34, 36), Form::Platform),
    (Meaning::Solid, shade(220, 18, 31), Form::Flat),
    (Meaning::Passable, shade(214, 36, 82), Form::Inset),
    (Meaning::Outside, shade(220, 12, 12), Form::Flat),
];

const fn shade(hue: i32, saturation: i32, lightness: i32) -> Shade {
    Shade {
        hue,
        saturation,
        lightness,
    }
}

impl Shade {
    fn lighter(self, by: i32) -> Self {
        let lightness = (self.lightness + by).clamp(4, 97);
        Self { lightness, ..self }
    }

    /// Converts the colour to red, green and blue with integer arithmetic only, so that pictures are the same on every machine.
    fn colour(self) -> Rgba {
        let hue = self.hue.rem_euclid(360);
        // Chroma and the following numbers are in hundredths of a percent.
        let chroma = (100 - (2 * self.lightness - 100).abs()) * self.saturation;
        let second = chroma * (60 - (hue % 120 - 60).abs()) / 60;
        let (red, green, blue) = match hue / 60 {
            0 => (chroma, second, 0),
            1 => (second, chroma, 0),
            2 => (0, chroma, second),
            3 => (0, second, chroma),
            4 => (second, 0, chroma),
            _ => (chroma, 0, second),
        };
        let least = self.lightness * 100 - chroma / 2;
        let channel = |part: i32| ((part + least).clamp(0, 10_000) * 255 / 10_000) as u8;
        [channel(red), channel(green), channel(blue), 255]
    }
}

/// Returns the square that represents `tile`, of `side` by `side` pixels; `None` for the empty tile of the set and for tiles outside the set.
///
/// Solid tiles fill their squares and have raised edges; each tile of unknown meaning fills its square with a flat colour of its own. The squares of
/// tiles with the same meaning differ in hue.
pub(super) fn plate(set: &TileSet, tile: Tile, side: usize) -> Option<Canvas<Rgba>> {
    if set.empty() == Some(tile) {
        return None;
    }
    let kind = kind(tile);
    let alike = set.tiles().filter(|&other| self::kind(other) == kind);
    let place = alike.take_while(|&other| other != tile).count();
    let (shade, form) = look(kind, place as i32);
    let form = if tile.solid() { Form::Flat } else { form };
    let mut canvas = Canvas::new(side, side, [0; 4]);
    let mut square = Square {
        canvas: &mut canvas,
        side: side.cast_signed(),
    };
    square.paint(form, shade);
    if tile.solid() {
        square.raise(shade);
    }
    let beside = matches!(form, Form::Platform | Form::Rope | Form::Rails);
    let ink = match shade.lightness {
        _ if beside => shade.lighter(-12),
        // The most frequent tile of most levels is recognised without its letter, so its letter is faint.
        _ if kind == Some(Meaning::Solid) && place == 0 => shade.lighter(18),
        // Tiles of unknown meaning often cover whole rooms, so their letters are faint.
        0..56 if kind.is_none() => shade.lighter(28),
        _ if kind.is_none() => shade.lighter(-28),
        0..56 => shade.lighter(46),
        _ => shade.lighter(-46),
    };
    let down = matches!(form, Form::Platform | Form::Rope | Form::Spikes);
    square.letter(tile.symbol()?, if down { 7 } else { 4 }, ink.colour());
    Some(canvas)
}

/// Returns the meaning that determines the colour of a tile; `None` if no meaning of the tile has a colour.
fn kind(tile: Tile) -> Option<Meaning> {
    let mut kinds = KINDS.iter().map(|&(meaning, ..)| meaning);
    kinds.find(|&meaning| tile.is(meaning))
}

/// Returns the colour and the shape for the tile with the index `place` among the tiles with the meaning `kind`.
fn look(kind: Option<Meaning>, place: i32) -> (Shade, Form) {
    let known = KINDS.iter().find(|&&(meaning, ..)| Some(meaning) == kind);
    let Some(&(meaning, shade, form)) = known else {
        // Hues that differ by the golden angle stay apart, however many there are.
        let hue = 205 + 137 * place;
        return (
            self::shade(hue, 40, [66, 54, 76][place as usize % 3]),
            Form::Flat,
        );
    };
    let turn = if meaning == Meaning::Solid { 71 } else { 19 };
    let hue = shade.hue + turn * place;
    let shade = Shade { hue, ..shade };
    (shade.lighter([0, 7, -5][place as usize % 3]), form)
}

/// A square of pixels for the picture of a tile, in which coordinates are sixteenths of the side.
struct Square<'a> {
    canvas: &'a mut Canvas<Rgba>,
    side: isize,
}

impl Square<'_> {
    fn pixels(&self, sixteenths: isize) -> isize {
        sixteenths * self.side / SIDE.cast_signed()
    }

    fn fill(&mut self, (left, top): (isize, isize), (right, bottom): (isize, isize), colour: Rgba) {
        let (x, y) = (self.pixels(left), self.pixels(top));
        let size = (self.pixels(right) - x, self.pixels(bottom) - y);
        self.canvas.fill((x, y), size, colour);
    }

    fn paint(&mut self, form: Form, shade: Shade) {
        let (face, edge) = (shade.colour(), shade.lighter(-12).colour());
        match form {
            Form::Flat => self.fill((0, 0), (16, 16), face),
            Form::Inset => {
                self.fill((2, 1), (14, 15), face);
                self.fill((1, 2), (15, 14), face);
            }
            Form::Disc => {
                let middle = self.side / 2;
                let radius = self.pixels(7);
                self.canvas.disc(middle, middle, radius, edge);
                let radius = radius - self.pixels(1);
                self.canvas.disc(middle, middle, radius, face);
            }
            Form::Platform => {
                self.fill((0, 0), (16, 5), edge);
                self.fill((0, 0), (16, 4), face);
                self.fill((0, 0), (16, 1), shade.lighter(18).colour());
            }
            Form::Rope => self.fill((0, 2), (16, 4), face),
            Form::Rails => {
                for row in [1, 13] {
                    self.fill((1, row), (15, row + 2), face);
                }
                for column in [1, 13] {
                    self.fill((column, 0), (column + 2, 16), edge);
                }
            }
            Form::Spikes => {
                self.fill((0, 6), (16, 16), face);
                for spike in 0..4 {
                    for row in 1..6 {
                        let half = (row - 1) / 2;
                        let middle = 4 * spike + 2;
                        self.fill((middle - half, row), (middle + half + 1, row + 1), face);
                    }
                }
            }
        }
    }

    /// Lightens the upper and left edges of the tile's square, and darkens the lower and right edges.
    fn raise(&mut self, shade: Shade) {
        let (light, dark) = (shade.lighter(13).colour(), shade.lighter(-12).colour());
        self.fill((0, 15), (16, 16), dark);
        self.fill((15, 0), (16, 16), dark);
        self.fill((0, 0), (16, 1), light);
        self.fill((0, 0), (1, 16), light);
    }

    /// Writes a character into the tile's square, if the square has room for the character; writes `?` if the font lacks it.
    fn letter(&mut self, symbol: char, top: isize, colour: Rgba) {
        if self.side < 8 {
            return;
        }
        let scale = (self.side / SIDE.cast_signed()).max(1);
        let left = (self.side - 8 * scale) / 2;
        let top = self.pixels(top).min(self.side - 8 * scale);
        for (row, bits) in (0..).zip(glyph(symbol)) {
            for column in (0..8).filter(|column| bits >> column & 1 == 1) {
                let at = (left + column * scale, top + row * scale);
                self.canvas.fill(at, (scale, scale), colour);
            }
        }
    }
}

fn glyph(symbol: char) -> [u8; 8] {
    let fonts: [&dyn UnicodeFonts; 7] = [
        &BASIC_FONTS,
        &LATIN_FONTS,
        &GREEK_FONTS,
        &BOX_FONTS,
        &BLOCK_FONTS,
        &HIRAGANA_FONTS,
        &MISC_FONTS,
    ];
    let found = |symbol: char| fonts.iter().find_map(|font| font.get(symbol));
    found(symbol).or_else(|| found('?')).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use rustc_hash::FxHashSet;

    use super::*;

    const LEGEND: &str = r##"{"tiles": {"#": ["solid"], "%": ["solid"], "-": ["passable", "empty"], "H": ["hazard"], "E": ["enemy"],
        "T": ["solidtop"], "L": ["climbable"], "r": ["rope"], "G": ["collectable"], "d": ["solid", "diggable"], "D": ["door"],
        "s": ["start"], "x": ["exit"], ",": ["passable"], "~": [], "☃": []}}"##;

    #[test]
    fn tiles_look_different_whatever_their_size() {
        let set = TileSet::from_json(LEGEND).unwrap();
        for side in [1, 2, 7, 8, 16, 24, 33] {
            let plates = set.tiles().filter_map(|tile| plate(&set, tile, side));
            let plates: Vec<_> = plates.collect();
            assert_eq!(plates.len(), set.tiles().count() - 1, "{side}");
            assert!(plates.iter().all(|plate| plate.height() == side));
            let different: FxHashSet<_> = plates.iter().map(Canvas::pixels).collect();
            assert!(side < 8 || different.len() == plates.len(), "{side}");
        }
        assert!(plate(&set, set.tile('-').unwrap(), 16).is_none());
        assert!(plate(&set, Tile::BORDER, 16).is_none());
    }

    #[test]
    fn solid_and_unknown_tiles_fill_their_cells_and_the_others_do_not() {
        let set = TileSet::from_json(LEGEND).unwrap();
        for tile in set.tiles().filter(|&tile| Some(tile) != set.empty()) {
            let plate = plate(&set, tile, 16).unwrap();
            let is_full = plate.pixels().iter().all(|pixel| pixel[3] == 255);
            assert_eq!(is_full, tile.solid() || tile.is_unknown(), "{tile}");
            // Raised edges are light above and dark below.
            if is_full {
                let [first, last] = [plate.pixels()[8], plate.pixels()[15 * 16 + 8]];
                assert_eq!(first != last, tile.solid(), "{tile}");
            }
        }
    }

    #[test]
    fn many_unknown_tiles_have_colours_of_their_own() {
        let set = TileSet::unknown('a'..='z');
        let faces: FxHashSet<_> = set
            .tiles()
            .filter_map(|tile| plate(&set, tile, 16))
            .map(|plate| plate.pixels()[0])
            .collect();
        assert_eq!(faces.len(), 26);
    }

    #[test]
    fn hues_are_those_of_the_colour_wheel() {
        for (hue, colour) in [
            (0, [255, 0, 0, 255]),
            (120, [0, 255, 0, 255]),
            (240, [0, 0, 255, 255]),
            (300, [255, 0, 255, 255]),
            (420, [255, 255, 0, 255]),
        ] {
            assert_eq!(shade(hue, 100, 50).colour(), colour, "{hue}");
        }
        assert_eq!(shade(77, 0, 100).colour(), [255; 4]);
    }
}
