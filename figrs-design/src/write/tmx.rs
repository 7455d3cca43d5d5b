//! Writes levels as XML maps of the Tiled editor.

use std::io::{self, Write};

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use super::tileset::{COLUMNS, MapTiles};
use super::{LevelWriter, OutputError};

/// Version of the map format of the Tiled editor.
pub(super) const VERSION: &str = "1.10";

/// Returns the background colour of a map: the colour of sky if the tiles have built-in pictures, and otherwise the colour of paper.
pub(super) fn background(tiles: MapTiles<'_>) -> &'static str {
    if tiles.is_drawn() {
        "#86b8f4"
    } else {
        "#f0f2f6"
    }
}

type Xml<'a> = Writer<&'a mut dyn Write>;

impl LevelWriter<'_> {
    /// Writes the level as a TMX map of the Tiled editor.
    ///
    /// The map has one layer of tiles as comma-separated numbers and, if the writer has a player's path, an object layer that shows the path as a
    /// polyline. The tileset inside the map refers to the picture file `image`, a path relative to the map; [`write_tileset`](super::write_tileset)
    /// or [`TileSheet::write_tileset`](super::TileSheet::write_tileset) writes this picture. In the map, cells with the empty tile have no tile
    /// number unless the tile sheet has a picture of the empty tile. The notes of the writer become map properties.
    ///
    /// **Errors.** [`OutputError::Invalid`] if a note contains a control character, which XML cannot hold; [`OutputError::Io`] if `out` cannot be
    /// written.
    ///
    /// # References
    ///
    /// The format of TMX maps is documented in "TMX Map Format", Tiled documentation, version 1.10.
    pub fn tmx(&self, mut out: impl Write, image: &str) -> Result<(), OutputError> {
        let control =
            |(name, value): &&(String, String)| (name.clone() + value).contains(char::is_control);
        if let Some((name, _)) = self.notes.iter().find(control) {
            return Err(OutputError::invalid(
                format!("the note {name:?} contains a control character, which TMX cannot hold"),
                "remove it",
            ));
        }
        let mut xml: Xml<'_> = Writer::new_with_indent(&mut out, b' ', 1);
        xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
        let (width, height) = (
            self.level.width().to_string(),
            self.level.height().to_string(),
        );
        let tiles = self.map_tiles();
        let side = tiles.side().to_string();
        let paths = usize::from(!self.path.is_empty());
        xml.create_element("map")
            .with_attributes([
                ("version", VERSION),
                ("orientation", "orthogonal"),
                ("renderorder", "right-down"),
                ("width", &width),
                ("height", &height),
                ("tilewidth", &side),
                ("tileheight", &side),
                ("infinite", "0"),
                ("backgroundcolor", background(tiles)),
                ("nextlayerid", &(2 + paths).to_string()),
                ("nextobjectid", &(1 + paths).to_string()),
            ])
            .write_inner_content(|xml| {
                self.properties(xml)?;
                tileset(xml, tiles, image)?;
                xml.create_element("layer")
                    .with_attributes([
                        ("id", "1"),
                        ("name", "level"),
                        ("width", &width),
                        ("height", &height),
                    ])
                    .write_inner_content(|xml| self.data(xml))?;
                self.polyline(xml)
            })?;
        out.write_all(b"\n")?;
        Ok(())
    }

    fn properties(&self, xml: &mut Xml<'_>) -> io::Result<()> {
        if self.notes.is_empty() {
            return Ok(());
        }
        xml.create_element("properties")
            .write_inner_content(|xml| {
                self.notes.iter().try_for_each(|(name, value)| {
                    let attributes = [("name", name.as_str()), ("value", value)];
                    let property = xml.create_element("property");
                    property.with_attributes(attributes).write_empty()?;
                    Ok(())
                })
            })?;
        Ok(())
    }

    fn data(&self, xml: &mut Xml<'_>) -> io::Result<()> {
        let tiles = self.map_tiles();
        let rows = (0..self.level.height()).map(|row| {
            let columns = 0..self.level.width();
            let numbers = columns.map(|column| tiles.picture(self.level, row, column));
            numbers.map(|n| n.to_string()).collect::<Vec<_>>().join(",")
        });
        let text = format!("\n{}\n", rows.collect::<Vec<_>>().join(",\n"));
        let data = xml
            .create_element("data")
            .with_attribute(("encoding", "csv"));
        data.write_text_content(BytesText::new(&text))?;
        Ok(())
    }

    fn polyline(&self, xml: &mut Xml<'_>) -> io::Result<()> {
        if self.path.is_empty() {
            return Ok(());
        }
        let points = self.path_points().map(|(x, y)| format!("{x},{y}"));
        let points = points.collect::<Vec<_>>().join(" ");
        let group = xml.create_element("objectgroup");
        group
            .with_attributes([("id", "2"), ("name", "path")])
            .write_inner_content(|xml| {
                let object = xml.create_element("object");
                object
                    .with_attributes([("id", "1"), ("x", "0"), ("y", "0")])
                    .write_inner_content(|xml| {
                        let line = xml.create_element("polyline");
                        line.with_attribute(("points", points.as_str()))
                            .write_empty()?;
                        Ok(())
                    })?;
                Ok(())
            })?;
        Ok(())
    }

    pub(super) fn path_points(&self) -> impl Iterator<Item = (usize, usize)> + Clone {
        let side = self.map_tiles().side();
        let middle = move |cell: usize| cell * side + side / 2;
        self.path
            .iter()
            .map(move |&(row, column)| (middle(column), middle(row)))
    }
}

fn tileset(xml: &mut Xml<'_>, tiles: MapTiles<'_>, image: &str) -> io::Result<()> {
    let side = tiles.side().to_string();
    xml.create_element("tileset")
        .with_attributes([
            ("firstgid", "1"),
            ("name", "tiles"),
            ("tilewidth", &side),
            ("tileheight", &side),
            ("tilecount", &tiles.count().to_string()),
            ("columns", &COLUMNS.to_string()),
        ])
        .write_inner_content(|xml| {
            let (width, height) = tiles.pixels();
            let (width, height) = (width.to_string(), height.to_string());
            xml.create_element("image")
                .with_attributes([("source", image), ("width", &width), ("height", &height)])
                .write_empty()?;
            for (place, meaning, solid) in tiles.entries() {
                xml.create_element("tile")
                    .with_attributes([
                        ("id", place.to_string().as_str()),
                        ("type", meaning.as_str()),
                    ])
                    .write_inner_content(|xml| {
                        xml.create_element("properties")
                            .write_inner_content(|xml| {
                                let value = if solid { "true" } else { "false" };
                                xml.create_element("property")
                                    .with_attributes([
                                        ("name", "solid"),
                                        ("type", "bool"),
                                        ("value", value),
                                    ])
                                    .write_empty()?;
                                Ok(())
                            })?;
                        Ok(())
                    })?;
            }
            Ok(())
        })?;
    Ok(())
}
