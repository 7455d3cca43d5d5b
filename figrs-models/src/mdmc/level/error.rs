//! Errors of reading and writing levels, and errors of the sizes and tiles of levels.

use figrs_derive::ErrorDebug;
use figrs_reading::{FileError, Mistake, MistakeKind};

use crate::mdmc::{Tile, TileSet};

/// Reason why a file or text is not a level, or why levels cannot form a corpus of training levels.
#[derive(Clone, PartialEq, thiserror::Error, ErrorDebug)]
#[non_exhaustive]
pub enum LevelError {
    /// A level, a map, a legend (a file with the meanings of tiles) or a folder cannot be read or written, or has a mistake. The field `place` of the
    /// error is the path of the file, or the name of the level if there is no file.
    #[error(transparent)]
    File(#[from] FileError),
    /// The levels cannot form a corpus of training levels, or cannot be used as requested.
    #[error(transparent)]
    Levels(#[from] Mistake),
}

impl LevelError {
    /// Returns the kind of the mistake in the error, for programs that treat kinds of mistakes differently.
    pub fn kind(&self) -> MistakeKind {
        match self {
            Self::File(error) => error.kind(),
            Self::Levels(mistake) => mistake.kind,
        }
    }
}

impl LevelError {
    /// Returns the error for a column that has more or fewer tiles than the level has rows.
    #[doc(hidden)]
    pub fn wrong_column(height: usize, expected: usize) -> Self {
        let problem = format!("the column has {height} tiles");
        let remedy = format!("give one for each of the {expected} rows");
        Mistake::new(MistakeKind::Count, problem, remedy).into()
    }
}

pub(crate) fn empty_level(place: &str) -> LevelError {
    let remedy = "write one row of tiles a line";
    let mistake = Mistake::new(MistakeKind::Missing, "the level is empty", remedy);
    mistake.of(place).into()
}

pub(crate) fn no_levels(place: impl Into<String>) -> LevelError {
    let remedy = "give at least one (in a directory, a file named *.txt, *.tmx, *.ldtk or *.csv)";
    Mistake::new(MistakeKind::Missing, "no levels", remedy)
        .of(place)
        .into()
}

pub(crate) fn too_many_tiles(count: usize) -> LevelError {
    let max = TileSet::MAX_TILES;
    Mistake::new(
        MistakeKind::TooLarge,
        format!("{count} different characters: a set of tiles has at most {max} tiles"),
        "train on fewer games at once",
    )
    .into()
}

pub(crate) fn wrong_rows(rows: usize, height: usize) -> LevelError {
    Mistake::new(
        MistakeKind::Value,
        format!("levels of {height} rows cannot be cut to {rows}"),
        format!("use 1 to {height}"),
    )
    .into()
}

pub(crate) fn foreign_tile(place: &str, tile: Tile, set: &TileSet) -> LevelError {
    let known = set.symbols();
    let problem = format!(
        "the tile {:?} is not of the set, which has {known}",
        tile.to_string()
    );
    let remedy = "use one set of tiles for all levels of a corpus";
    Mistake::new(MistakeKind::Unknown, problem, remedy)
        .of(place)
        .into()
}
