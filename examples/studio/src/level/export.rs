//! Levels as files.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use figrs_models::mdmc::{Level, LevelWriter, Playability};
use serde_json::{Value as Json, json};

use super::request::{FileFormat, LevelRequest};
use super::training::Trained;
use crate::problem::{Problem, wrong};

/// Name of the picture of the tiles that maps refer to.
const TILES: &str = "level-tiles.png";

/// A level as a file in the format of a request: its name, its media type, and its bytes in base64. Pictures and maps hold the rows as a note, so that they
/// can be read back.
pub(super) fn file(
    request: &LevelRequest,
    level: &Level,
    trained: &Trained,
) -> Result<Json, Problem> {
    let format = request
        .format
        .ok_or_else(|| Problem::wrong("export: format is missing".to_owned()))?;
    let upright = trained.upright(level);
    let rules = request.show_path.then(|| trained.rules()).transpose()?;
    let found = rules.map(|rules| Playability::under(&upright, &rules));
    let way = found.as_ref().map_or(&[][..], Playability::path);
    let rows = upright.to_string();
    let writer = LevelWriter::new(&upright)
        .tiles(trained.chain.tile_set())
        .path(way)
        .note("Software", concat!("figrs ", env!("CARGO_PKG_VERSION")));
    let mut bytes = Vec::new();
    let (name, kind) = match format {
        FileFormat::Png => {
            writer.note("rows", rows).png(&mut bytes).map_err(wrong)?;
            ("level.png", "image/png")
        }
        FileFormat::Tmx => {
            writer.tmx(&mut bytes, TILES).map_err(wrong)?;
            ("level.tmx", "application/xml")
        }
        FileFormat::TiledJson => {
            writer.tiled_json(&mut bytes, TILES).map_err(wrong)?;
            ("level.tmj", "application/json")
        }
        FileFormat::LdtkCsv => {
            writer.ldtk_csv(&mut bytes).map_err(wrong)?;
            ("level.csv", "text/csv")
        }
    };
    Ok(json!({"name": name, "type": kind, "base64": STANDARD.encode(bytes)}))
}
