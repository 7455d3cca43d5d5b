//! Tile sheets: files with the pictures of all tiles of a set.

use std::io::{Cursor, Write};
use std::sync::Arc;

use ::png::{Decoder, DecodingError, Limits, Transformations};
use figrs_reading::{FileError, Mistake, MistakeKind};

use super::OutputError;
use super::sprites::Sprites;
use super::tileset::{MapTiles, SIDE};
use figrs_models::mdmc::{Tile, TileSet};
use figrs_models::picture::{Canvas, Rgba};

/// Pictures of the tiles of a set, cut from one picture file, the sheet.
///
/// A tile sheet is a picture in PNG with square tiles side by side, numbered from 0 row by row from the top. The legend of a tile set can give the
/// number of a tile's picture ([`TileSet::picture`]); if the legend gives no numbers, the pictures are in the order of its tiles. Tiles that have no
/// picture in the sheet are drawn as coloured squares with their letters. Where the picture of a tile is not opaque, the picture of the empty tile is
/// visible behind it.
///
/// ```no_run
/// use std::sync::Arc;
/// use figrs_models::mdmc::{Level, TileSet};
/// use figrs_design::{LevelWriter, TileSheet};
///
/// let tiles = Arc::new(TileSet::from_toml("[tiles]\n'#' = { meaning = ['solid'], picture = 7 }\n'.' = { meaning = ['passable'], picture = 0 }")?);
/// let sheet = TileSheet::from_png(&std::fs::read("castle.png")?, 24, &tiles)?;
/// let level = Level::from_text("room", "###\n#.#\n###", &tiles)?;
/// LevelWriter::new(&level).sheet(&sheet).png(std::fs::File::create("room.png")?)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct TileSheet {
    tiles: Arc<TileSet>,
    sprites: Sprites,
}

impl TileSheet {
    /// Default side length of a tile in pixels.
    pub const SIDE: usize = SIDE;
    /// The largest allowed side length of a tile in pixels.
    pub const MAX_SIDE: usize = 256;
    /// Maximum number of pixels of a tile sheet.
    pub const MAX_PIXELS: usize = 1 << 24;

    /// Cuts the picture of each tile of a set out of a PNG sheet whose tiles have `side` by `side` pixels.
    ///
    /// Tile sheets may have any colour type, with or without transparency; only the upper 8 bits of 16-bit channels are used, and only the first
    /// picture of an animation.
    ///
    /// **Errors.** [`FileError`] if the file is not a valid PNG, or if it does not suit `side` or the set of tiles. If the sheet is valid only for
    /// another value of `side`, the [setting](Mistake::setting) named in the error is `side`.
    pub fn from_png(png: &[u8], side: usize, tiles: &Arc<TileSet>) -> Result<Self, FileError> {
        if side == 0 || side > Self::MAX_SIDE {
            let problem = format!("the tiles cannot have a size of {side} by {side} pixels");
            let remedy = format!("give a side of 1 to {} pixels", Self::MAX_SIDE);
            let mistake = Mistake::new(MistakeKind::Value, problem, remedy);
            return Err(mistake.with_setting("side").of(PLACE));
        }
        let sheet = decoded(png)?;
        let (width, height) = (sheet.width(), sheet.height());
        if width < side || height < side || width % side > 0 || height % side > 0 {
            let problem = format!(
                "a sheet of {width} by {height} pixels cannot be divided into tiles of {side} by {side} pixels"
            );
            let remedy = "give the size of its tiles, or cut its edges off";
            let mistake = Mistake::new(MistakeKind::Count, problem, remedy);
            return Err(mistake.with_setting("side").of(PLACE));
        }
        let pictures = (width / side) * (height / side);
        let is_numbered = tiles.tiles().any(|tile| tiles.picture(tile).is_some());
        let number = |tile: Tile| match is_numbered {
            true => tiles.picture(tile),
            false => tiles.tiles().position(|other| other == tile),
        };
        let beyond = |tile: Tile| number(tile).is_some_and(|number| number >= pictures);
        if let Some(tile) = tiles.tiles().find(|&tile| beyond(tile)) {
            let problem = format!(
                "the tile {:?} has the picture {}, but the sheet has {pictures} pictures, counted from 0",
                tile.to_string(),
                number(tile).unwrap_or_default()
            );
            let remedy = "number the pictures in the legend, use a larger sheet, or give the size of its tiles";
            return Err(Mistake::new(MistakeKind::Unknown, problem, remedy).of(PLACE));
        }
        let cut = |tile| {
            let (row, column) = (
                number(tile)? / (width / side),
                number(tile)? % (width / side),
            );
            Some(sheet.cut((column * side, row * side), (side, side)))
        };
        Ok(Self {
            tiles: Arc::clone(tiles),
            sprites: Sprites::new(tiles, side, cut),
        })
    }

    /// Returns the set of tiles to which the pictures of the sheet belong.
    pub fn tiles(&self) -> &Arc<TileSet> {
        &self.tiles
    }

    /// Returns the side length of a tile in pixels.
    pub fn side(&self) -> usize {
        self.sprites.side()
    }

    /// Writes the tileset picture for maps in Tiled formats, as [`write_tileset`](super::write_tileset) does, with the pictures of the tile sheet.
    ///
    /// **Errors.** [`OutputError::Io`] if `out` cannot be written.
    pub fn write_tileset(&self, out: impl Write) -> Result<(), OutputError> {
        self.sprites.write_tileset(MapTiles::on(self), out)
    }

    pub(super) fn sprites(&self) -> &Sprites {
        &self.sprites
    }
}

/// The name for a tile sheet in error messages.
const PLACE: &str = "tile sheet";

/// Returns the error for a file that is not a picture in PNG, or is damaged.
fn not_png(error: &DecodingError) -> FileError {
    let error = error.to_string();
    let problem = format!("not a picture in PNG: {}", error.trim_end_matches('.'));
    let remedy = "save the sheet of tiles as PNG";
    Mistake::new(MistakeKind::Syntax, problem, remedy).of(PLACE)
}

fn decoded(png: &[u8]) -> Result<Canvas<Rgba>, FileError> {
    // The limit allows for 16 bits in each channel of each pixel, and as many bytes again for the other contents of the file.
    let bytes = TileSheet::MAX_PIXELS * 16;
    let mut decoder = Decoder::new_with_limits(Cursor::new(png), Limits { bytes });
    decoder.set_transformations(Transformations::normalize_to_color8() | Transformations::ALPHA);
    let mut reader = decoder.read_info().map_err(|error| not_png(&error))?;
    let (width, height) = (reader.info().width as usize, reader.info().height as usize);
    let is_small = width.saturating_mul(height) <= TileSheet::MAX_PIXELS;
    let size = reader.output_buffer_size().filter(|_| is_small);
    let size = size.ok_or_else(|| {
        let problem = format!("a sheet of {width} by {height} pixels is too large");
        let remedy = format!("use at most {} pixels", TileSheet::MAX_PIXELS);
        Mistake::new(MistakeKind::TooLarge, problem, remedy).of(PLACE)
    })?;
    let mut bytes = vec![0; size];
    let frame = reader.next_frame(&mut bytes);
    let frame = frame.map_err(|error| not_png(&error))?;
    bytes.truncate(frame.buffer_size());
    // These transformations leave pictures in colour with four bytes a pixel, and grey pictures with two.
    let channels = frame.color_type.samples();
    let pixel = |c: &[u8]| match *c {
        [red, green, blue, opacity] => [red, green, blue, opacity],
        [grey, .., opacity] => [grey, grey, grey, opacity],
        _ => [0; 4],
    };
    let pixels = bytes.chunks_exact(channels).map(pixel).collect();
    Ok(Canvas::of_pixels(pixels, width))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LevelWriter;
    use figrs_models::mdmc::Level;
    use figrs_models::picture::encode_colours;

    const RED: Rgba = [250, 0, 0, 255];
    const GREEN: Rgba = [0, 250, 0, 255];
    const CLEAR: Rgba = [0, 0, 0, 0];

    /// Returns a PNG sheet whose tiles have one colour each.
    fn sheet(rows: &[&[Rgba]], side: usize) -> Vec<u8> {
        let mut canvas = Canvas::new(rows[0].len() * side, rows.len() * side, CLEAR);
        for (row, colours) in (0..).zip(rows) {
            for (column, &colour) in (0..).zip(*colours) {
                let side = side.cast_signed();
                canvas.fill((column * side, row * side), (side, side), colour);
            }
        }
        png(&canvas)
    }

    fn png(canvas: &Canvas<Rgba>) -> Vec<u8> {
        let (mut file, notes) = (Vec::new(), [("", ""); 0]);
        encode_colours(&mut file, canvas, &notes).unwrap();
        file
    }

    fn set(json: &str) -> Arc<TileSet> {
        Arc::new(TileSet::from_json(json).unwrap())
    }

    fn drawn(level: &str, sheet: &TileSheet) -> Canvas<Rgba> {
        let level = Level::from_text("test", level, sheet.tiles()).unwrap();
        let mut picture = Vec::new();
        let writer = LevelWriter::new(&level).sheet(sheet);
        writer.png(&mut picture).unwrap();
        decoded(&picture).unwrap()
    }

    fn at(canvas: &Canvas<Rgba>, x: usize, y: usize) -> Rgba {
        canvas.pixels()[y * canvas.width() + x]
    }

    #[test]
    fn tiles_have_the_pictures_that_the_legend_numbers() {
        let set = set(
            r##"{"tiles": {"#": {"meaning": ["solid"], "picture": 3}, "-": {"meaning": ["empty"], "picture": 1}, "~": ["hazard"]}}"##,
        );
        let half = [0, 0, 100, 153];
        let file = sheet(&[&[CLEAR, RED], &[GREEN, half]], 20);
        let sheet = TileSheet::from_png(&file, 20, &set).unwrap();
        let picture = drawn("#-\n-~", &sheet);
        assert_eq!((picture.width(), picture.height()), (40, 40));
        // The picture of the empty tile is visible behind the pictures of other tiles.
        assert_eq!(at(&picture, 25, 5), RED);
        assert_eq!(at(&picture, 5, 5), [100, 0, 60, 255]);
        // A tile without a picture is drawn as a square over the picture of the empty tile.
        assert_eq!(at(&picture, 20, 20), RED);
        assert_ne!(at(&picture, 21, 38), RED);
        let mut tiles = Vec::new();
        sheet.write_tileset(&mut tiles).unwrap();
        let tiles = decoded(&tiles).unwrap();
        assert_eq!((tiles.width(), tiles.height()), (140, 20));
        assert_eq!((at(&tiles, 0, 0), at(&tiles, 39, 19)), (half, RED));
        assert_eq!(at(&tiles, 40, 0), CLEAR);
    }

    #[test]
    fn without_numbers_the_order_of_the_legend_counts() {
        let set = set(r##"{"tiles": {"-": ["empty"], "#": ["solid"]}}"##);
        let file = sheet(&[&[GREEN, RED]], 16);
        let sheet = TileSheet::from_png(&file, TileSheet::SIDE, &set).unwrap();
        let picture = drawn("#-", &sheet);
        assert_eq!((at(&picture, 0, 0), at(&picture, 31, 15)), (RED, GREEN));
    }

    #[test]
    fn maps_tell_the_size_of_the_tiles_and_number_what_has_a_picture() {
        let set = set(r##"{"tiles": {"-": ["empty"], "#": ["solid"]}}"##);
        let file = sheet(&[&[GREEN, RED]], 24);
        let sheet = TileSheet::from_png(&file, 24, &set).unwrap();
        let level = Level::from_text("test", "#-", &set).unwrap();
        let path = [(0, 0), (0, 1)];
        let writer = LevelWriter::new(&level).sheet(&sheet).path(&path);
        let (mut json, mut tmx, mut values) = (Vec::new(), Vec::new(), Vec::new());
        writer.tiled_json(&mut json, "t.png").unwrap();
        let map: serde_json::Value = serde_json::from_slice(&json).unwrap();
        assert_eq!(
            (&map["tilewidth"], &map["tileheight"]),
            (&24.into(), &24.into())
        );
        let tileset = &map["tilesets"][0];
        assert_eq!(
            (&tileset["tilewidth"], &tileset["imagewidth"]),
            (&24.into(), &168.into())
        );
        assert_eq!(map["layers"][0]["data"], serde_json::json!([2, 1]));
        let end = &map["layers"][1]["objects"][0]["polyline"][1];
        assert_eq!(*end, serde_json::json!({"x": 36, "y": 12}));
        writer.tmx(&mut tmx, "t.png").unwrap();
        let tmx = String::from_utf8(tmx).unwrap();
        assert!(
            tmx.contains("tilewidth=\"24\"") && tmx.contains("\n2,1\n"),
            "{tmx}"
        );
        // Exported values do not depend on the numbers of pictures: the empty tile keeps the value 0.
        writer.ldtk_csv(&mut values).unwrap();
        assert_eq!(values, b"2,0\n");
        let (writer, mut json) = (writer.tiles(&set), Vec::new());
        writer.tiled_json(&mut json, "t.png").unwrap();
        let map: serde_json::Value = serde_json::from_slice(&json).unwrap();
        assert_eq!(map["layers"][0]["data"], serde_json::json!([2, 0]));
    }

    #[test]
    fn sheets_of_greys_palettes_and_sixteen_bits_are_read() {
        use ::png::{BitDepth, ColorType};

        let set = Arc::new(TileSet::unknown(['a']));
        let encoded = |colours, depth, bytes: &[u8]| {
            let mut file = Vec::new();
            let mut encoder = ::png::Encoder::new(&mut file, 1, 1);
            encoder.set_color(colours);
            encoder.set_depth(depth);
            encoder.set_palette(vec![9, 8, 7, 1, 2, 3]);
            let mut writer = encoder.write_header().unwrap();
            writer.write_image_data(bytes).unwrap();
            writer.finish().unwrap();
            file
        };
        for (file, colour) in [
            (
                encoded(ColorType::Grayscale, BitDepth::Eight, &[77]),
                [77, 77, 77, 255],
            ),
            (
                encoded(ColorType::Grayscale, BitDepth::One, &[128]),
                [255; 4],
            ),
            (
                encoded(ColorType::GrayscaleAlpha, BitDepth::Eight, &[77, 255]),
                [77, 77, 77, 255],
            ),
            (
                encoded(ColorType::Indexed, BitDepth::Two, &[64]),
                [1, 2, 3, 255],
            ),
            (
                encoded(ColorType::Rgb, BitDepth::Sixteen, &[1, 0, 2, 0, 3, 0]),
                [1, 2, 3, 255],
            ),
        ] {
            let sheet = TileSheet::from_png(&file, 1, &set).unwrap();
            assert_eq!(at(&drawn("a", &sheet), 0, 0), colour);
        }
    }

    #[test]
    fn what_is_no_sheet_of_the_tiles_is_an_error() {
        let set = set(r##"{"tiles": {"-": ["empty"], "#": ["solid"]}}"##);
        let read = |file: &[u8], side| TileSheet::from_png(file, side, &set).unwrap_err();
        let file = sheet(&[&[GREEN, RED]], 8);
        for damaged in [b"GIF89a", &file[..60]] {
            let error = read(damaged, 8);
            assert_eq!(error.kind(), MistakeKind::Syntax, "{error}");
            assert!(
                error
                    .to_string()
                    .starts_with("tile sheet: not a picture in PNG: "),
                "{error}"
            );
        }
        for (sides, kind, problem) in [
            (
                [0, 257],
                MistakeKind::Value,
                "the tiles cannot have a size of ",
            ),
            (
                [3, 16],
                MistakeKind::Count,
                "a sheet of 16 by 8 pixels cannot be divided into tiles of ",
            ),
        ] {
            for side in sides {
                let error = read(&file, side);
                assert_eq!(error.kind(), kind, "{error}");
                assert_eq!(error.mistake.setting, Some("side"));
                assert!(error.mistake.problem.contains(problem), "{error}");
                let side = format!("{side} by {side}");
                assert!(error.mistake.problem.contains(&side), "{error}");
            }
        }
        let error = read(&sheet(&[&[RED]], 8), 8);
        assert_eq!(error.kind(), MistakeKind::Unknown);
        assert_eq!(
            error.mistake.problem,
            "the tile \"#\" has the picture 1, but the sheet has 1 pictures, counted from 0"
        );
        // The reader refuses a large picture before it decodes the pixels, because the header states the size.
        let mut large = file.clone();
        large[16..24].copy_from_slice(&[0, 0, 0x40, 0, 0, 0, 0x10, 0]);
        let checksum = checksum(&large[12..29]).to_be_bytes();
        large[29..33].copy_from_slice(&checksum);
        let error = read(&large, 8);
        assert_eq!(error.kind(), MistakeKind::TooLarge);
        assert_eq!(
            error.mistake.problem,
            "a sheet of 16384 by 4096 pixels is too large"
        );
    }

    /// Returns the checksum at the end of a PNG chunk with the bytes `bytes`.
    fn checksum(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(u32::MAX, |crc, &byte| {
            (0..8).fold(crc ^ u32::from(byte), |crc, _| {
                if crc & 1 == 1 {
                    crc >> 1 ^ 0xedb8_8320
                } else {
                    crc >> 1
                }
            })
        })
    }
}
