//! Writes a game level in several formats, with notes such as the seed.

#[cfg(feature = "png")]
use super::TileSheet;
use super::tileset::MapTiles;
use figrs_models::mdmc::{Level, TileSet};

/// Writes a game level as a picture or as a file for a level editor.
///
/// | method | format |
/// |---|---|
/// | [`png`](Self::png) | a picture, with 16 by 16 pixels a tile or the tile size of the [`sheet`](Self::sheet) |
/// | [`tmx`](Self::tmx) | an XML map of the Tiled editor |
/// | [`tiled_json`](Self::tiled_json) | a JSON map of the Tiled editor |
/// | [`ldtk_csv`](Self::ldtk_csv) | comma-separated values for an IntGrid layer of the LDtk editor |
///
/// ```
/// use figrs_models::mdmc::Corpus;
/// use figrs_design::{LevelWriter, Playability};
///
/// let corpus = Corpus::shipped();
/// let level = &corpus.levels()[0];
/// let playability = Playability::of(level);
/// let writer = LevelWriter::new(level).path(playability.path()).note("seed", "7");
/// let mut picture = Vec::new();
/// writer.png(&mut picture)?;
/// assert!(picture.starts_with(b"\x89PNG"));
/// # Ok::<(), figrs_design::OutputError>(())
/// ```
#[derive(Clone, Debug)]
pub struct LevelWriter<'a> {
    pub(super) level: &'a Level,
    pub(super) tiles: &'a TileSet,
    pub(super) path: &'a [(usize, usize)],
    pub(super) notes: Vec<(String, String)>,
    #[cfg(feature = "png")]
    pub(super) sheet: Option<&'a TileSheet>,
}

impl<'a> LevelWriter<'a> {
    /// Creates a writer for a level, without a player's path and without notes.
    pub fn new(level: &'a Level) -> Self {
        Self {
            level,
            tiles: TileSet::platformer(),
            path: &[],
            notes: Vec::new(),
            #[cfg(feature = "png")]
            sheet: None,
        }
    }

    /// Sets the tiles by which the level is numbered and drawn, instead of the [platformer](TileSet::platformer) tiles or the tiles of a sheet.
    #[must_use]
    pub fn tiles(self, tiles: &'a TileSet) -> Self {
        Self {
            tiles,
            #[cfg(feature = "png")]
            sheet: None,
            ..self
        }
    }

    /// Sets the sheet of tile pictures; the set of tiles of the sheet also determines the numbers that stand for tiles in maps.
    #[cfg(feature = "png")]
    #[must_use]
    pub fn sheet(self, sheet: &'a TileSheet) -> Self {
        Self {
            tiles: sheet.tiles(),
            sheet: Some(sheet),
            ..self
        }
    }

    pub(super) fn map_tiles(&self) -> MapTiles<'a> {
        #[cfg(feature = "png")]
        if let Some(sheet) = self.sheet {
            return MapTiles::on(sheet);
        }
        MapTiles::of(self.tiles)
    }

    /// Sets the player's path that is drawn into the level, as rows and columns of cells.
    #[must_use]
    pub fn path(mut self, path: &'a [(usize, usize)]) -> Self {
        self.path = path;
        self
    }

    /// Adds a note to the written level: a name and a value, such as the seed.
    #[must_use]
    pub fn note(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.notes.push((name.into(), value.into()));
        self
    }
}
