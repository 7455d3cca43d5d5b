use std::io::{self, Cursor};

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::Playability;
use crate::write::*;
use figrs_models::mdmc::{Corpus, Level, Tile, TileSet};

/// Returns a level with all tiles of the platformer set, and ground both with and without a tile above.
fn level() -> Level {
    "XS-?QE<\n>[]oBbX\nXXXXXXX".parse().unwrap()
}

fn written(write: impl FnOnce(&mut Vec<u8>) -> Result<(), OutputError>) -> Vec<u8> {
    let mut out = Vec::new();
    write(&mut out).unwrap();
    out
}

/// Decodes the tile numbers of a map to a level by the rule of the editor Tiled: 0 is no tile, and other tiles count from `firstgid` 1.
fn read_back(numbers: &[usize], width: usize) -> String {
    let symbols = numbers.iter().map(|&number| match number {
        0 => '-',
        14 => 'X',
        number => char::from(b"XS-?QE<>[]oBb"[number - 1]),
    });
    let symbols: Vec<char> = symbols.collect();
    let rows: Vec<String> = symbols
        .chunks(width)
        .map(|row| row.iter().collect())
        .collect();
    rows.join("\n")
}

fn attribute(element: &BytesStart<'_>, name: &str) -> String {
    let attribute = element.try_get_attribute(name).unwrap();
    attribute.unwrap().unescape_value().unwrap().into_owned()
}

#[test]
fn a_tmx_map_follows_the_rules_of_tiled() {
    let level = level();
    let path = [(1, 0), (0, 1)];
    let writer = LevelWriter::new(&level).path(&path).note("seed", "7 & <8>");
    let bytes = written(|out| writer.tmx(out, "tiles.png"));
    let text = String::from_utf8(bytes).unwrap();
    let mut reader = Reader::from_str(&text);
    let (mut open, mut numbers, mut seen) = (Vec::<String>::new(), Vec::new(), Vec::new());
    loop {
        let event = reader.read_event().unwrap();
        if let Event::Start(element) | Event::Empty(element) = &event {
            let name = String::from_utf8(element.name().as_ref().to_vec()).unwrap();
            match name.as_str() {
                "map" => {
                    assert_eq!(attribute(element, "orientation"), "orthogonal");
                    assert_eq!(
                        (attribute(element, "width"), attribute(element, "height")),
                        ("7".into(), "3".into())
                    );
                    assert_eq!(
                        (
                            attribute(element, "nextlayerid"),
                            attribute(element, "nextobjectid")
                        ),
                        ("3".into(), "2".into())
                    );
                }
                "tileset" => {
                    assert_eq!(
                        (
                            attribute(element, "firstgid"),
                            attribute(element, "tilecount")
                        ),
                        ("1".into(), "14".into())
                    );
                    assert_eq!(attribute(element, "columns"), "7");
                }
                "image" => assert_eq!(
                    (
                        attribute(element, "source"),
                        attribute(element, "width"),
                        attribute(element, "height")
                    ),
                    ("tiles.png".into(), "112".into(), "32".into())
                ),
                "property" if open.len() == 2 => assert_eq!(attribute(element, "value"), "7 & <8>"),
                "layer" => assert_eq!(
                    (attribute(element, "width"), attribute(element, "height")),
                    ("7".into(), "3".into())
                ),
                "data" => assert_eq!(attribute(element, "encoding"), "csv"),
                "polyline" => assert_eq!(attribute(element, "points"), "8,24 24,8"),
                _ => {}
            }
            seen.push(
                [open.as_slice(), std::slice::from_ref(&name)]
                    .concat()
                    .join("/"),
            );
            if matches!(event, Event::Start(_)) {
                open.push(name);
            }
        } else if let Event::End(_) = event {
            open.pop();
        } else if let Event::Text(text) = &event {
            if open.last().is_some_and(|name| name == "data") {
                let text = text.decode().unwrap();
                numbers = text.split(',').map(|n| n.trim().parse().unwrap()).collect();
            }
        } else if let Event::Eof = event {
            break;
        }
    }
    for place in [
        "map/properties/property",
        "map/tileset/image",
        "map/tileset/tile/properties/property",
        "map/layer/data",
        "map/objectgroup/object/polyline",
    ] {
        assert!(seen.iter().any(|seen| seen == place), "{place}");
    }
    assert_eq!(
        seen.iter()
            .filter(|seen| *seen == "map/tileset/tile")
            .count(),
        14
    );
    assert_eq!(read_back(&numbers, 7), level.to_string());
    // Ground shows grass only where nothing solid is above it.
    assert_eq!(
        (numbers[0], numbers[13], numbers[14], numbers[17]),
        (14, 1, 1, 14)
    );
}

#[test]
fn a_json_map_follows_the_rules_of_tiled() {
    let level = level();
    let path = [(1, 0), (0, 1)];
    let writer = LevelWriter::new(&level).path(&path).note("seed", "7");
    let map: serde_json::Value =
        serde_json::from_slice(&written(|out| writer.tiled_json(out, "tiles.png"))).unwrap();
    assert_eq!(
        (&map["type"], &map["infinite"]),
        (&"map".into(), &false.into())
    );
    assert_eq!(
        (&map["width"], &map["height"], &map["tilewidth"]),
        (&7.into(), &3.into(), &16.into())
    );
    assert_eq!(
        (&map["nextlayerid"], &map["nextobjectid"]),
        (&3.into(), &2.into())
    );
    assert_eq!(map["properties"][0]["value"], "7");
    let tileset = &map["tilesets"][0];
    assert_eq!(
        (&tileset["firstgid"], &tileset["tilecount"]),
        (&1.into(), &14.into())
    );
    assert_eq!(tileset["tiles"].as_array().unwrap().len(), 14);
    let solid: Vec<bool> = tileset["tiles"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tile| tile["properties"][0]["value"].as_bool().unwrap())
        .collect();
    assert_eq!(
        solid,
        TileSet::platformer()
            .tiles()
            .chain([Tile::GROUND])
            .map(Tile::solid)
            .collect::<Vec<_>>()
    );
    let data = map["layers"][0]["data"].as_array().unwrap();
    let numbers: Vec<usize> = data.iter().map(|n| n.as_u64().unwrap() as usize).collect();
    assert_eq!(read_back(&numbers, 7), level.to_string());
    assert_eq!(
        map["layers"][1]["objects"][0]["polyline"][1],
        serde_json::json!({"x": 24, "y": 8})
    );
    let plain = LevelWriter::new(&level);
    let map: serde_json::Value =
        serde_json::from_slice(&written(|out| plain.tiled_json(out, "t"))).unwrap();
    assert_eq!(map["layers"].as_array().unwrap().len(), 1);
    assert_eq!(
        (&map["nextlayerid"], &map["nextobjectid"]),
        (&2.into(), &1.into())
    );
}

#[test]
fn values_for_ldtk_are_places_in_the_alphabet() {
    let level = level();
    let text = String::from_utf8(written(|out| LevelWriter::new(&level).ldtk_csv(out))).unwrap();
    assert_eq!(text, "1,2,0,4,5,6,7\n8,9,10,11,12,13,1\n1,1,1,1,1,1,1\n");
}

type Texts = Vec<(String, String)>;

/// Decodes a PNG file to the pixels (red, green, blue and opacity), the size and the text chunks.
fn decoded(bytes: &[u8]) -> (Vec<[u8; 4]>, (u32, u32), Texts) {
    let mut decoder = ::png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(::png::Transformations::EXPAND | ::png::Transformations::ALPHA);
    let mut reader = decoder.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    reader.finish().unwrap();
    let info = reader.info();
    let latin = info.uncompressed_latin1_text.iter();
    let latin = latin.map(|text| (text.keyword.clone(), text.text.clone()));
    let unicode = info.utf8_text.iter();
    let unicode = unicode.map(|text| (text.keyword.clone(), text.get_text().unwrap()));
    let colours = pixels.chunks(4).map(|c| [c[0], c[1], c[2], c[3]]).collect();
    (
        colours,
        (info.width, info.height),
        latin.chain(unicode).collect(),
    )
}

#[test]
fn a_picture_shows_tiles_path_and_notes() {
    let level = "--\n--\n?X".parse().unwrap();
    let path = [(0, 0), (1, 1)];
    let writer = LevelWriter::new(&level)
        .note("seed", "7")
        .note("name", "é→");
    let (bare, size, texts) = decoded(&written(|out| writer.png(out)));
    assert_eq!(size, (32, 48));
    assert_eq!(
        texts,
        [("seed".into(), "7".into()), ("name".into(), "é→".into())]
    );
    let at = |pixels: &[[u8; 4]], x: usize, y: usize| pixels[y * 32 + x];
    // Grass is on the ground, and gold is beside it.
    assert_eq!(at(&bare, 16, 32), [154, 220, 92, 255]);
    assert_eq!(at(&bare, 4, 34), [250, 190, 48, 255]);
    let (shown, _, _) = decoded(&written(|out| writer.path(&path).png(out)));
    assert_eq!(at(&shown, 8, 8), [255, 72, 120, 255]);
    assert_eq!(at(&shown, 16, 16), [255, 72, 120, 255]);
    assert_eq!(at(&shown, 31, 0), at(&bare, 31, 0));
    // If the path crosses joined sides, no line is drawn in between.
    let level = "------\n------".parse().unwrap();
    let writer = LevelWriter::new(&level);
    let (bare, _, _) = decoded(&written(|out| writer.png(out)));
    let path = [(0, 1), (0, 0), (0, 5), (0, 4)];
    let (shown, _, _) = decoded(&written(|out| writer.path(&path).png(out)));
    let at = |pixels: &[[u8; 4]], x: usize| pixels[8 * 96 + x];
    assert_eq!(at(&shown, 16), at(&shown, 8));
    assert_eq!(at(&shown, 48), at(&bare, 48));
}

#[test]
fn tiles_of_other_sets_are_squares() {
    let set =
        TileSet::from_json(r##"{"tiles": {"-": ["empty"], "#": ["solid"], "~": []}}"##).unwrap();
    let level = Level::from_text("test", "-#~", &set).unwrap();
    let writer = LevelWriter::new(&level).tiles(&set);
    let (pixels, size, _) = decoded(&written(|out| writer.png(out)));
    assert_eq!(size, (48, 16));
    let at = |x: usize, y: usize| pixels[y * 48 + x];
    assert_eq!(at(8, 8), [240, 242, 246, 255]);
    let dark = |[red, green, blue, _]: [u8; 4]| red.max(green).max(blue) < 120;
    assert!(dark(at(17, 8)) && !dark(at(34, 1)));
    let path = [(0, 0), (0, 2)];
    let (shown, _, _) = decoded(&written(|out| writer.clone().path(&path).png(out)));
    assert_eq!(shown[8 * 48 + 8], [255, 72, 120, 255]);
    // The tiles of the map are those of the picture, and the empty tile is clear.
    let (tiles, size, _) = decoded(&written(|out| write_tileset(&set, out)));
    assert_eq!(size, (112, 16));
    assert_eq!((tiles[0], tiles[17]), ([0; 4], pixels[17]));
    let json = written(|out| writer.tiled_json(out, "t"));
    let map: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(map["layers"][0]["data"], serde_json::json!([0, 2, 3]));
    assert_eq!(map["tilesets"][0]["tilecount"], 3);
}

#[test]
fn the_tileset_holds_every_drawing_on_a_clear_background() {
    let (pixels, size, _) = decoded(&written(|out| write_tileset(TileSet::platformer(), out)));
    assert_eq!(size, (112, 32));
    let opaque = |place: usize| {
        let cells = (0..16).flat_map(|y| (0..16).map(move |x| (x, y)));
        let (left, top) = (place % 7 * 16, place / 7 * 16);
        cells
            .filter(|(x, y)| pixels[(top + y) * 112 + left + x][3] == 255)
            .count()
    };
    for (place, tile) in TileSet::platformer().tiles().enumerate() {
        assert_eq!(opaque(place) == 0, tile == Tile::EMPTY, "{tile}");
    }
    assert_eq!((opaque(0), opaque(13)), (256, 256));
}

#[test]
fn the_same_level_gives_the_same_bytes() {
    let corpus = Corpus::shipped();
    let level = &corpus.levels()[2];
    let playability = Playability::of(level);
    let draw = || written(|out| LevelWriter::new(level).path(playability.path()).png(out));
    assert_eq!(draw(), draw());
}

/// A writer for tests that accepts no bytes.
struct Full;

impl io::Write for Full {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::Error::other("full"))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn what_cannot_be_written_is_an_error() {
    let level = level();
    let writer = LevelWriter::new(&level);
    for result in [
        writer.png(Full),
        writer.tmx(Full, "t"),
        writer.tiled_json(Full, "t"),
        writer.ldtk_csv(Full),
        write_tileset(TileSet::platformer(), Full),
    ] {
        assert!(matches!(result, Err(OutputError::Io(_))), "{result:?}");
    }
    for name in [String::new(), "n".repeat(80), "→".to_owned()] {
        let error = writer.clone().note(&*name, "").png(Vec::new()).unwrap_err();
        assert!(matches!(&error, OutputError::Invalid { .. }), "{error}");
        assert_eq!(
            error.to_string(),
            format!(
                "the note {name:?} does not fit a PNG file; use 1 to 79 Latin-1 characters for its name"
            )
        );
    }
    let error = writer.note("a", "\u{1}").tmx(Vec::new(), "t").unwrap_err();
    assert_eq!(
        error.to_string(),
        "the note \"a\" contains a control character, which TMX cannot hold; remove it"
    );
    let wide = Level::from_array(ndarray::Array2::from_elem((2, 600_000), Tile::EMPTY)).unwrap();
    let error = LevelWriter::new(&wide).png(Vec::new()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a picture of 600000 by 2 tiles is too large; use at most 1048576 tiles"
    );
    // A colour needs four bytes for each pixel, and the pixels of a sheet count separately.
    let set = TileSet::unknown(['~']);
    let sea = Level::from_text("sea", "~", &set).unwrap();
    let writer = LevelWriter::new(&sea).tiles(&set);
    assert!(writer.check_picture(512, 512).is_ok());
    let error = writer.check_picture(512, 513).unwrap_err();
    assert!(
        error.to_string().ends_with("; use at most 262144 tiles"),
        "{error}"
    );
}
