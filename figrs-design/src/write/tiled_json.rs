//! Writes levels as JSON maps of the Tiled editor.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::tileset::{COLUMNS, MapTiles};
use super::tmx::{VERSION, background};
use super::{LevelWriter, OutputError};

impl LevelWriter<'_> {
    /// Writes the level as a JSON map of the Tiled editor, with the same content as [`LevelWriter::tmx`].
    ///
    /// **Errors.** [`OutputError::Io`] if `out` cannot be written.
    ///
    /// # References
    ///
    /// The format of JSON maps is documented in "JSON Map Format", Tiled documentation, version 1.10.
    pub fn tiled_json(&self, mut out: impl Write, image: &str) -> Result<(), OutputError> {
        let (height, width) = (self.level.height(), self.level.width());
        let cells = (0..height).flat_map(|row| (0..width).map(move |column| (row, column)));
        let tiles = self.map_tiles();
        let data: Vec<usize> = cells
            .map(|(row, column)| tiles.picture(self.level, row, column))
            .collect();
        let mut layers = vec![json!({
            "id": 1, "name": "level", "type": "tilelayer", "visible": true, "opacity": 1,
            "x": 0, "y": 0, "width": width, "height": height, "data": data,
        })];
        if !self.path.is_empty() {
            layers.push(self.path_layer());
        }
        let notes = self.notes.iter();
        let notes =
            notes.map(|(name, value)| json!({"name": name, "type": "string", "value": value}));
        let map = json!({
            "type": "map", "version": VERSION, "orientation": "orthogonal", "renderorder": "right-down",
            "width": width, "height": height, "tilewidth": tiles.side(), "tileheight": tiles.side(),
            "infinite": false, "compressionlevel": -1, "backgroundcolor": background(tiles),
            "nextlayerid": layers.len() + 1, "nextobjectid": layers.len(),
            "properties": notes.collect::<Vec<_>>(),
            "tilesets": [tileset(tiles, image)],
            "layers": layers,
        });
        serde_json::to_writer(&mut out, &map).map_err(io::Error::from)?;
        out.write_all(b"\n")?;
        Ok(())
    }

    fn path_layer(&self) -> Value {
        let points = self.path_points().map(|(x, y)| json!({"x": x, "y": y}));
        json!({
            "id": 2, "name": "path", "type": "objectgroup", "visible": true, "opacity": 1, "draworder": "topdown",
            "x": 0, "y": 0,
            "objects": [{
                "id": 1, "name": "", "type": "", "visible": true, "rotation": 0, "x": 0, "y": 0, "width": 0, "height": 0,
                "polyline": points.collect::<Vec<_>>(),
            }],
        })
    }
}

fn tileset(set: MapTiles<'_>, image: &str) -> Value {
    let (width, height) = set.pixels();
    let tiles = set.entries().map(|(place, meaning, solid)| {
        json!({
            "id": place, "type": meaning,
            "properties": [{"name": "solid", "type": "bool", "value": solid}],
        })
    });
    json!({
        "firstgid": 1, "name": "tiles", "image": image, "imagewidth": width, "imageheight": height,
        "tilewidth": set.side(), "tileheight": set.side(), "tilecount": set.count(), "columns": COLUMNS, "margin": 0, "spacing": 0,
        "tiles": tiles.collect::<Vec<_>>(),
    })
}
