//! Writer of a level in several formats, with notes beside it.

use super::super::{Level, TileSet};

/// Writes a level as a picture or for a level editor.
///
/// | method | format |
/// |---|---|
/// | [`png`](Self::png) | a picture, 16 by 16 pixels a tile |
/// | [`tmx`](Self::tmx) | an XML map of the Tiled editor |
/// | [`tiled_json`](Self::tiled_json) | a JSON map of the Tiled editor |
/// | [`ldtk_csv`](Self::ldtk_csv) | comma-separated values for an IntGrid layer of the LDtk editor |
///
/// ```
/// use figrs_models::mdmc::{Corpus, LevelWriter, Playability};
///
/// let corpus = Corpus::shipped();
/// let level = &corpus.levels()[0];
/// let playability = Playability::of(level);
/// let writer = LevelWriter::new(level).path(playability.path()).note("seed", "7");
/// let mut picture = Vec::new();
/// writer.png(&mut picture)?;
/// assert!(picture.starts_with(b"\x89PNG"));
/// # Ok::<(), figrs_models::mdmc::OutputError>(())
/// ```
#[derive(Clone, Debug)]
pub struct LevelWriter<'a> {
    pub(super) level: &'a Level,
    pub(super) tiles: &'a TileSet,
    pub(super) path: &'a [(usize, usize)],
    pub(super) notes: Vec<(String, String)>,
}

impl<'a> LevelWriter<'a> {
    /// A level without a path and without notes.
    pub fn new(level: &'a Level) -> Self {
        Self {
            level,
            tiles: TileSet::platformer(),
            path: &[],
            notes: Vec::new(),
        }
    }

    /// Numbers and draws the tiles of a set, in place of the [platformer](TileSet::platformer).
    #[must_use]
    pub fn tiles(mut self, tiles: &'a TileSet) -> Self {
        self.tiles = tiles;
        self
    }

    /// Shows the way of a player, as rows and columns of cells.
    #[must_use]
    pub fn path(mut self, path: &'a [(usize, usize)]) -> Self {
        self.path = path;
        self
    }

    /// Adds a name and a value, such as the seed, that formats with room for it keep.
    #[must_use]
    pub fn note(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.notes.push((name.into(), value.into()));
        self
    }
}
