//! Levels as files in the formats of editors and pictures.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use figrs_design::{LevelWriter, Playability, TileSheet};
use figrs_models::mdmc::Level;
use serde_json::{Value as Json, json};

use super::request::{FileFormat, LevelRequest};
use super::shown;
use super::training::Trained;
use crate::problem::{Problem, wrong};

/// Name of the picture of the tiles that maps refer to.
const TILES: &str = "level-tiles.png";

/// Returns a level as a file in the requested format: the name of the file, its media type, and its bytes in base64. Pictures and maps contain the
/// rows of the level as a note, from which the level can be read again.
pub(super) fn file(
    request: &LevelRequest,
    level: &Level,
    trained: &Trained,
) -> Result<Json, Problem> {
    let format = request
        .format
        .ok_or_else(|| Problem::wrong("export: format is missing".to_owned()))?;
    let upright = trained.upright(level);
    let sheet = sheet(request, trained)?;
    let found = shown(request, trained)?.map(|route| Playability::along(&upright, &route));
    let way = found.as_ref().map_or(&[][..], Playability::path);
    let rows = upright.to_string();
    let writer = LevelWriter::new(&upright);
    let writer = match &sheet {
        Some(sheet) => writer.sheet(sheet),
        None => writer.tiles(trained.chain.tile_set()),
    };
    let writer = writer
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

/// Returns the pictures of tiles in the request's tile sheet, if the request has one.
///
/// **Errors.** The base64 text is invalid, or the picture is not a sheet of the tiles.
pub(super) fn sheet(
    request: &LevelRequest,
    trained: &Trained,
) -> Result<Option<TileSheet>, Problem> {
    let Some(text) = &request.texts.tile_sheet else {
        if request.texts.tile_size.is_some() {
            return Err(Problem::wrong("tile_size needs tile_sheet".to_owned()));
        }
        return Ok(None);
    };
    let png = STANDARD.decode(text);
    let png = png.map_err(|error| Problem::wrong(format!("tile_sheet: not base64: {error}")))?;
    let side = request.texts.tile_size.unwrap_or(TileSheet::SIDE);
    let sheet = TileSheet::from_png(&png, side, trained.chain.tile_set());
    let sheet = sheet.map_err(|error| {
        let field = match error.mistake.setting {
            Some("side") => " (tile_size)",
            _ => "",
        };
        Problem::wrong(format!("tile_sheet: {}{field}", error.mistake))
    })?;
    Ok(Some(sheet))
}
