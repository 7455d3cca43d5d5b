//! Notes from reading training levels: choices of the reader that a user may want to change.

use std::fmt;
use std::path::PathBuf;

use crate::mdmc::{LevelError, Travel};

/// A note of the reader of training levels: a choice that it made, or something that it left out.
#[derive(Debug)]
#[non_exhaustive]
pub enum CorpusNote {
    /// The reader of levels left out a file that is not a level.
    Skipped(LevelError),
    /// The levels were found in subfolders of the given folder.
    Folders {
        /// The given folder, in whose subfolders the levels were found.
        given: PathBuf,
        /// The folders with levels.
        found: Vec<PathBuf>,
    },
    /// The reader of levels read a folder called `Processed`, and left out adjacent folders with levels of the same names.
    OneOfSeveral {
        /// The folder that is read.
        read: PathBuf,
        /// The folders of levels that the reader left out.
        others: Vec<PathBuf>,
    },
    /// A map of a level editor has several layers of tiles; the reader read one of them.
    Layer {
        /// The path of the map.
        path: PathBuf,
        /// Name of the layer of the map that is read.
        read: String,
        /// Names of the other layers of the map.
        others: Vec<String>,
    },
    /// The reader of levels chose characters for tiles that neither a legend (a file with the meanings of tiles) nor the map describes.
    NumberedTiles {
        /// The chosen characters, each with the number that its tile would have in a legend (as the tile's `picture`).
        tiles: Vec<(char, u32)>,
    },
    /// The meanings of the tiles come from the legend in the contained file.
    Legend(PathBuf),
    /// The meanings of tiles that are not in the user's set come from a legend (a file with the meanings of tiles).
    OtherTiles {
        /// The file of the legend.
        path: PathBuf,
        /// The characters of those tiles whose meanings come from the legend.
        symbols: String,
    },
    /// The reader left out levels that repeat other levels and only add the drawn path of a player.
    DrawnWays {
        /// The character that draws the player's path.
        tile: char,
        /// The names of the levels that the reader left out.
        levels: Vec<String>,
        /// Number of all levels.
        of: usize,
    },
    /// A file beside the levels has a list of tiles, but is not a valid legend (a file with the meanings of tiles).
    FlawedLegend(LevelError),
    /// No legend gives the meanings of tiles, and all characters of the levels are those of the built-in platformer tiles.
    Platformer,
    /// The meanings of some tiles are unknown.
    UnknownTiles {
        /// Characters of the tiles with unknown meanings.
        symbols: String,
    },
    /// The reader left out tiles that the legend lists, but that have no meaning and occur in no level.
    IdleTiles {
        /// Characters of the tiles that the reader left out.
        symbols: String,
    },
    /// The reader concluded that the player climbs in the levels, because all levels have one width and are at least twice as high as wide.
    Upwards {
        /// Number of columns of every level, before levels are turned on their side.
        columns: usize,
    },
    /// The reader cut the training levels into rooms.
    Rooms {
        /// Number of rooms.
        rooms: usize,
        /// Number of levels that were cut into rooms.
        levels: usize,
        /// Number of cells of the levels that belong to no room, because the sizes of levels are not multiples of the size of a room.
        left_out: usize,
    },
    /// The reader added rows at the top of levels with fewer rows than others; the rows are filled with an outside tile or, if there is none, with
    /// the most frequent tile. In levels in which the player climbs, the reader added columns at the right of narrower levels.
    Padded {
        /// Direction in which levels are played.
        travel: Travel,
        /// Number of levels to which rows were added.
        levels: usize,
        /// Number of all levels.
        of: usize,
        /// Number of rows that every level has after the reader added rows; if the player climbs in the levels, the number of columns.
        rows: usize,
        /// Character of the tile that fills the added rows or columns.
        tile: String,
        /// True if the tile that fills the added rows or columns has the meaning `outside`.
        is_outside: bool,
    },
    /// The reader cut levels with too many rows to their bottom rows. In levels in which the player climbs, the reader cut levels with too many
    /// columns to their left columns.
    Cut {
        /// Direction in which levels are played.
        travel: Travel,
        /// Number of levels that were cut.
        levels: usize,
        /// Number of all levels.
        of: usize,
        /// Number of rows that every level has after the reader cut levels; if the player climbs in the levels, the number of columns.
        rows: usize,
    },
}

fn listed(paths: &[PathBuf]) -> String {
    let shown = paths.iter().map(|path| path.display().to_string());
    shown.collect::<Vec<_>>().join(", ")
}

impl fmt::Display for CorpusNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Skipped(error) => write!(f, "left out, because it is not a level: {error}"),
            Self::Folders { given, found } => {
                let given = given.display();
                write!(
                    f,
                    "{given} contains no level itself; reading {}",
                    listed(found)
                )
            }
            Self::OneOfSeveral { read, others } => {
                let (read, others) = (read.display(), listed(others));
                write!(
                    f,
                    "reading {read} instead of {others}, which contains levels of the same names"
                )
            }
            Self::Layer { path, read, others } => write!(
                f,
                "reading the layer {read:?} of {} instead of {}",
                path.display(),
                others.join(", ")
            ),
            Self::NumberedTiles { tiles } => {
                let tiles = tiles.iter();
                let tiles = tiles.map(|(symbol, number)| format!("{symbol} = {number}"));
                let tiles = tiles.collect::<Vec<_>>().join(", ");
                write!(
                    f,
                    "characters of the tiles of maps, by their numbers: {tiles}"
                )
            }
            Self::Legend(path) => write!(f, "meanings of tiles from {}", path.display()),
            Self::OtherTiles { path, symbols } => write!(
                f,
                "meanings of the other tiles {symbols} from {}",
                path.display()
            ),
            Self::DrawnWays { tile, levels, of } => {
                const SHOWN: usize = 3;
                let shown = levels[..levels.len().min(SHOWN)].join(", ");
                let more = if levels.len() > SHOWN { ", ..." } else { "" };
                write!(
                    f,
                    "{} of {of} levels repeat other levels with a path of {tile:?} drawn in, and are left out: {shown}{more}",
                    levels.len()
                )
            }
            Self::FlawedLegend(error) => write!(f, "left out, because it is not a legend: {error}"),
            Self::Platformer => f.write_str(
                "no legend; the characters are those of the platformer that figrs knows",
            ),
            Self::UnknownTiles { symbols } => {
                write!(f, "tiles of unknown meaning: {symbols}")
            }
            Self::IdleTiles { symbols } => write!(
                f,
                "tiles of the legend that have no meaning and occur in no level are left out: {symbols}"
            ),
            Self::Rooms {
                rooms,
                levels,
                left_out,
            } => {
                write!(f, "{rooms} rooms of {levels} levels")?;
                match left_out {
                    0 => Ok(()),
                    cells => write!(
                        f,
                        "; {cells} cells belong to no whole room, and are left out"
                    ),
                }
            }
            Self::Upwards { columns } => write!(
                f,
                "levels of {columns} columns and at least twice as many rows are played upwards"
            ),
            Self::Padded {
                travel,
                levels,
                of,
                rows,
                tile,
                is_outside,
            } => {
                let (side, lines) = match travel {
                    Travel::Right => ("above", "rows"),
                    Travel::Up => ("at the right", "columns"),
                };
                write!(
                    f,
                    "{levels} of {of} levels are filled up {side} to {rows} {lines} with {tile:?}, {}",
                    if *is_outside {
                        "which means outside"
                    } else {
                        "their most frequent tile"
                    }
                )
            }
            Self::Cut {
                travel,
                levels,
                of,
                rows,
            } => {
                let kept = match travel {
                    Travel::Right => "bottom rows",
                    Travel::Up => "left columns",
                };
                write!(f, "{levels} of {of} levels are cut to their {rows} {kept}")
            }
        }
    }
}
