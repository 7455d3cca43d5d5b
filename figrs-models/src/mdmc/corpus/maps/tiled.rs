//! Reads XML maps and tilesets of the Tiled editor.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use figrs_reading::{FileError, LineIndex};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::map::{Map, MapLevel, Tileset, chosen, words};
use super::map_mistakes;

/// The bits of a tile number that state whether and how the tile is flipped.
const FLIPS: u32 = 0xf000_0000;

#[derive(Default)]
struct Layer {
    name: String,
    size: (usize, usize),
    encoding: Option<String>,
    compression: Option<String>,
    text: String,
    /// The tile numbers of the cells, if the Tiled file has an XML element for each cell.
    numbers: Vec<u32>,
}

/// Reads the layer `wanted` of a Tiled map (or, if `wanted` is `None`, the first layer). In a Tiled map, a flipped tile is read as the same tile
/// without the flip.
///
/// **Errors.** An error if the text is not a valid Tiled map, or if the map has no such layer. The function `map` does not read tilesets that are
/// stored in files of their own.
pub(super) fn map(text: &str, wanted: Option<&str>) -> Result<Map, FileError> {
    let contents = contents(text, "map")?;
    let (layer, others) = chosen(&contents.layers, |layer| &layer.name, wanted)?;
    let mut tilesets = contents.tilesets;
    tilesets.sort_by_key(|set| set.first);
    Ok(Map {
        levels: vec![MapLevel::new(
            None,
            &layer.name,
            &layer.numbers()?,
            layer.size,
        )?],
        tilesets,
        layer: layer.name.clone(),
        others,
    })
}

/// Reads the text of a Tiled tileset file.
///
/// **Errors.** An error if the text of the tileset is not XML.
pub(super) fn tileset(text: &str) -> Result<Tileset, FileError> {
    let mut sets = contents(text, "tileset")?.tilesets;
    Ok(sets.pop().unwrap_or_default())
}

impl Layer {
    fn numbers(&self) -> Result<Vec<u32>, FileError> {
        let unread = |encoding: &str| map_mistakes::unread_encoding(&self.name, encoding);
        let wrong = |text: &str| map_mistakes::no_number(&self.name, text);
        let encoding = self.encoding.as_deref();
        if let Some(compression) = self.compression.as_deref().filter(|name| !name.is_empty()) {
            let encoding = encoding.unwrap_or("XML");
            return Err(unread(&format!("{encoding} with {compression}")));
        }
        let numbers = match encoding {
            None => self.numbers.clone(),
            Some("csv") => {
                let cells = self.text.trim().trim_end_matches(',').split(',');
                let number = |cell: &str| cell.trim().parse().map_err(|_| wrong(cell.trim()));
                cells.map(number).collect::<Result<_, _>>()?
            }
            Some("base64") => {
                let bytes = STANDARD.decode(self.text.trim());
                let bytes =
                    bytes.map_err(|error| unread(&format!("base64 with a mistake ({error})")))?;
                let cells = bytes.chunks_exact(4);
                let number = |cell: &[u8]| u32::from_le_bytes([cell[0], cell[1], cell[2], cell[3]]);
                cells.map(number).collect()
            }
            Some(other) => return Err(unread(other)),
        };
        Ok(numbers.into_iter().map(|number| number & !FLIPS).collect())
    }
}

#[derive(Default)]
struct Contents {
    layers: Vec<Layer>,
    tilesets: Vec<Tileset>,
}

fn contents(text: &str, root: &str) -> Result<Contents, FileError> {
    let document = text.trim_start_matches('\u{feff}');
    let mut reader = Reader::from_str(document);
    reader.config_mut().expand_empty_elements = true;
    let wrong = |at: u64, reason: String| {
        let (line, column) = LineIndex::new(document).at((at as usize).min(document.len()));
        map_mistakes::not_xml((line, column), &reason)
    };
    let mut contents = Contents::default();
    let mut open: Vec<String> = Vec::new();
    // Index in its tileset of the tile whose XML element is open.
    let mut tile = 0;
    loop {
        let event = reader.read_event();
        let at = reader.error_position().max(reader.buffer_position());
        match event.map_err(|error| wrong(at, error.to_string()))? {
            Event::Start(start) => {
                let get = |name: &str| {
                    attribute(&start, name).map_err(|error| wrong(at, error.to_string()))
                };
                let number = |name: &str| -> Result<u32, FileError> {
                    let text = get(name)?.unwrap_or_default();
                    let reason = || format!("{name}={text:?} is not a number");
                    text.parse().map_err(|_| wrong(at, reason()))
                };
                let name = String::from_utf8_lossy(start.local_name().into_inner()).into_owned();
                if open.is_empty() && name != root {
                    return Err(wrong(at, format!("<{name}>, where <{root}> begins one")));
                }
                let (layer, set) = (contents.layers.last_mut(), contents.tilesets.last_mut());
                match (open.last().map_or("", String::as_str), name.as_str()) {
                    (_, "map") if get("infinite")?.as_deref() == Some("1") => {
                        return Err(map_mistakes::infinite());
                    }
                    ("data", "chunk") => return Err(map_mistakes::infinite()),
                    ("map" | "", "tileset") => contents.tilesets.push(Tileset {
                        first: if open.is_empty() {
                            1
                        } else {
                            number("firstgid")?
                        },
                        source: get("source")?,
                        ..Tileset::default()
                    }),
                    ("map" | "group", "layer") => contents.layers.push(Layer {
                        name: get("name")?.unwrap_or_default(),
                        size: (number("height")? as usize, number("width")? as usize),
                        ..Layer::default()
                    }),
                    ("layer", "data") => {
                        if let Some(layer) = layer {
                            layer.encoding = get("encoding")?;
                            layer.compression = get("compression")?;
                        }
                    }
                    ("data", "tile") => {
                        let own = get("gid")?.map_or(Ok(0), |_| number("gid"))?;
                        if let Some(layer) = layer {
                            layer.numbers.push(own);
                        }
                    }
                    ("tileset", "tile") => {
                        tile = number("id")?;
                        let of_class = get("class")?.or(get("type")?);
                        if let (Some(set), Some(class)) = (set, of_class) {
                            set.words.insert(tile, words(&class, &[',']));
                        }
                    }
                    ("properties", "property")
                        if open
                            .iter()
                            .rev()
                            .nth(1)
                            .is_some_and(|above| above == "tile")
                            && get("name")?.as_deref() == Some("solid")
                            && get("value")?.as_deref() == Some("true") =>
                    {
                        if let Some(set) = set {
                            let words = set.words.entry(tile).or_default();
                            words.push("solid".to_owned());
                        }
                    }
                    _ => {}
                }
                open.push(name);
            }
            Event::End(_) => drop(open.pop()),
            Event::Text(text) if open.last().is_some_and(|name| name == "data") => {
                let text = text.decode();
                let text = text.map_err(|error| wrong(at, error.to_string()))?;
                if let Some(layer) = contents.layers.last_mut() {
                    layer.text.push_str(&text);
                }
            }
            Event::Eof if open.is_empty() && !contents.tilesets.is_empty() => return Ok(contents),
            Event::Eof if open.is_empty() && !contents.layers.is_empty() => return Ok(contents),
            Event::Eof => {
                let name = open.last().map_or(root, String::as_str);
                return Err(wrong(at, format!("it ends without </{name}>")));
            }
            _ => {}
        }
    }
}

fn attribute(start: &BytesStart<'_>, name: &str) -> Result<Option<String>, quick_xml::Error> {
    let attribute = start.try_get_attribute(name)?;
    let value = attribute
        .map(|attribute| attribute.unescape_value())
        .transpose()?;
    Ok(value.map(std::borrow::Cow::into_owned))
}
