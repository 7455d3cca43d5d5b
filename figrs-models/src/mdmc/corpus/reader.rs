//! Reads training levels from files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use glob::Pattern;
use ndarray::Array2;

use super::legends;
use super::level_files::{
    LevelFile, check_text, files_of, names, symbols_of, without_single_lines,
};
use super::maps::MapReader;
use super::note::CorpusNote;
use super::rooms::{self, Rooms};
use super::tile_sets::{self, FolderTiles};
use super::ways::drawn_ways;
use crate::mdmc::level::error::{no_levels, too_many_tiles, wrong_rows};
use crate::mdmc::{Corpus, Level, LevelError, Tile, TileSet, Travel};
use figrs_reading::{Mistake, MistakeKind};

fn is_platformers(symbol: char) -> bool {
    let tile = TileSet::platformer().tile(symbol);
    tile.is_some_and(|tile| !tile.is_unknown())
}

/// Reads training levels from folders: text files (`*.txt`) with one level in each file and one row on each line, and maps of level editors.
///
/// - The maps are those of Tiled (`*.tmx`, with layers in CSV, XML or base64 without compression), projects of LDtk (`*.ldtk`), and the grids of
///   values that LDtk exports (`*.csv`). A legend (a file with the meanings of tiles) numbers the tiles of maps from 0; the number is the `picture`
///   of a tile or, without it, the tile's position. The number 0 of a legend stands for the first tile of the map's tileset, or for the value 1 in a
///   grid of values. A tile that no legend describes has the words of its class in the map as its meanings. A flipped tile of a map is read as the
///   same tile without the flip.
/// - If a folder of levels contains no level itself, its subfolders are searched. If adjacent folders have levels of the same names, such as
///   different encodings of the levels of one game, the reader reads only the folder called `Processed`.
/// - The reader leaves out files that are not levels, and reports them by a note: files with rows of different lengths, without text, or with a
///   single line among levels of several lines.
/// - The reader leaves out levels that repeat another level and only add the drawn path of a player (by a character without a meaning), and reports
///   them by a note.
/// - For each given folder, the reader searches for a legend (a JSON or TOML file with the meanings of tiles) beside the levels and in the folder
///   above, unless the caller sets the [tiles](Self::tiles). A character that the legend of its folder does not list has the meaning that the legends
///   of other folders give it, or its meaning is unknown. Without any legend, the meanings of all tiles are unknown, except that levels with only
///   `-`, `X` and other [platformer](TileSet::platformer) characters have platformer tiles.
/// - If all levels have one width and are at least twice as high as wide, the player climbs [upwards](Travel::Up) in them; other levels are played to
///   the right.
/// - If levels have fewer rows than others, the reader adds rows at the top, filled with an [outside](crate::mdmc::Meaning::Outside) tile or else
///   with the most frequent tile of the corpus. With the setting [`rows`](Self::rows), levels with more rows than a given number are cut to this
///   number of rows. Before levels are cut or filled to equal heights, the setting [`rooms`](Self::rooms) cuts levels into rooms.
///
/// [`CorpusNote`]s report the choices that the reader of levels made.
///
/// ```no_run
/// use figrs_models::mdmc::CorpusReader;
///
/// let (corpus, notes) = CorpusReader::new(["levels/castle", "levels/forest"]).only("*-1*").read()?;
/// notes.iter().for_each(|note| eprintln!("{note}"));
/// println!("{} levels of {} rows", corpus.levels().len(), corpus.height());
/// # Ok::<(), figrs_models::mdmc::LevelError>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct CorpusReader {
    folders: Vec<PathBuf>,
    only: Vec<String>,
    tiles: Option<Arc<TileSet>>,
    travel: Option<Travel>,
    rows: Option<usize>,
    layer: Option<String>,
    rooms: Option<Rooms>,
}

impl CorpusReader {
    /// Maximum number of cells of all training levels together.
    pub const MAX_CELLS: usize = 1 << 27;

    /// Creates a reader of training levels in `folders`, which may also be single files.
    pub fn new(folders: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        Self {
            folders: folders.into_iter().map(Into::into).collect(),
            only: Vec::new(),
            tiles: None,
            travel: None,
            rows: None,
            layer: None,
            rooms: None,
        }
    }

    /// Reads only the level files whose names, with or without the extension, match `pattern`, which consists of `*`, `?`, `[..]` and other
    /// characters. A pattern for level files with a folder, such as `Overworld/*`, is compared with the path relative to the given folder or to one
    /// of its subfolders. If `only` is called several times, a file needs to match only one of the patterns.
    pub fn only(mut self, pattern: impl Into<String>) -> Self {
        self.only.push(pattern.into());
        self
    }

    /// Sets the meanings of the tiles of the levels. Characters of the levels that are not among these tiles have the meanings that the legends
    /// beside the levels state, or their meanings are unknown.
    pub fn tiles(mut self, tiles: impl Into<Arc<TileSet>>) -> Self {
        self.tiles = Some(tiles.into());
        self
    }

    /// Sets the direction in which levels are played.
    pub fn travel(mut self, travel: Travel) -> Self {
        self.travel = Some(travel);
        self
    }

    /// Cuts levels to their bottom `rows` rows, and adds rows at the top of levels with fewer rows. If the player climbs in the levels, the setting
    /// cuts levels to their left `rows` columns, and adds columns at the right of narrower levels.
    pub fn rows(mut self, rows: usize) -> Self {
        self.rows = Some(rows);
        self
    }

    /// Sets the name of the layer to read from map files that have several layers of tiles; without this setting, the reader reads the first layer.
    pub fn layer(mut self, name: impl Into<String>) -> Self {
        self.layer = Some(name.into());
        self
    }

    /// Cuts levels into rooms, which are then the training levels of the corpus. Rooms are played to the right unless a direction is set. If no tile
    /// has the meaning `outside`, tiles called `void` or `null` are taken as outside.
    pub fn rooms(mut self, rooms: Rooms) -> Self {
        self.rooms = Some(rooms);
        self
    }

    /// Reads the levels.
    ///
    /// **Errors.** [`LevelError`] if a folder cannot be read or contains no level (with the error of its first file), if a pattern is invalid or
    /// matches no file, if the legends of two folders disagree on a character that occurs in the levels of both folders, or if there are more than
    /// [`TileSet::MAX_TILES`] characters or [`MAX_CELLS`](Self::MAX_CELLS) cells.
    pub fn read(&self) -> Result<(Corpus, Vec<CorpusNote>), LevelError> {
        let mut notes = Vec::new();
        let patterns = self.patterns()?;
        if self.folders.is_empty() {
            return Err(no_levels("no folder"));
        }
        let mut files = Vec::new();
        let mut maps = MapReader::new(self.tiles.as_deref(), self.layer.as_deref());
        for folder in &self.folders {
            files.extend(files_of(folder, &patterns, &mut maps, &mut notes)?);
        }
        let tiles = maps.unnamed();
        if !tiles.is_empty() {
            notes.push(CorpusNote::NumberedTiles { tiles });
        }
        let mut files = without_single_lines(files, &mut notes);
        let mut ways = drawn_ways(&files);
        let folders = self.folders.iter().filter_map(|folder| {
            let of_folder = files.iter().filter(|file| file.root == *folder);
            let of_folder: Vec<&LevelFile> = of_folder.collect();
            let mut symbols = symbols_of(of_folder.iter().copied());
            symbols.retain(|symbol| !ways.contains_key(symbol));
            (!of_folder.is_empty()).then(|| FolderTiles {
                root: folder.clone(),
                legend: legend_of(&of_folder, &symbols, &mut notes),
                symbols,
            })
        });
        let mut folders: Vec<FolderTiles> = folders.collect();
        let legends = || folders.iter().filter_map(|folder| folder.legend.as_ref());
        let sets = || legends().map(|(_, set)| set).chain(self.tiles.as_deref());
        let has_meaning = |way: &char| {
            let mut tiles = sets().filter_map(|set| set.tile(*way));
            let is_told = tiles.any(|tile| !tile.is_unknown());
            is_told || sets().next().is_none() && is_platformers(*way)
        };
        // A tile with a meaning is a part of the level, not of a drawn path.
        ways.retain(|way, _| !has_meaning(way));
        files = without_ways(files, &ways, &mut notes);
        for folder in &mut folders {
            let of_folder = files.iter().filter(|file| file.root == folder.root);
            folder.symbols = symbols_of(of_folder);
        }
        self.assemble(&files, folders, notes)
    }

    /// Reads levels from given texts with names, as [`read`](Self::read) does from files. No legend file is searched for; without a
    /// [set of tiles](Self::tiles), the meanings of all tiles are unknown. The folders and file patterns of the reader are ignored when levels are
    /// read from given texts.
    ///
    /// **Errors.** The errors of [`read`](Self::read); an error if a given text is not a level, or if there is no text.
    pub fn read_texts(
        &self,
        named: impl IntoIterator<Item = (String, String)>,
    ) -> Result<(Corpus, Vec<CorpusNote>), LevelError> {
        let mut notes = Vec::new();
        let file = |(name, text): (String, String)| LevelFile {
            path: PathBuf::from(&name),
            root: PathBuf::new(),
            text,
            name: Some(name),
            own: None,
        };
        let files: Vec<LevelFile> = named.into_iter().map(file).collect();
        if files.is_empty() {
            return Err(no_levels("texts"));
        }
        for file in &files {
            check_text(&file.path.display().to_string(), &file.text)?;
        }
        let files = without_single_lines(files, &mut notes);
        let given = self.tiles.as_deref();
        let mut ways = drawn_ways(&files);
        ways.retain(|&way, _| {
            let known = given.map_or(is_platformers(way), |set| {
                set.tile(way).is_some_and(|tile| !tile.is_unknown())
            });
            !known
        });
        let files = without_ways(files, &ways, &mut notes);
        let texts = FolderTiles {
            root: PathBuf::new(),
            symbols: symbols_of(&files),
            legend: None,
        };
        self.assemble(&files, vec![texts], notes)
    }

    fn assemble(
        &self,
        files: &[LevelFile],
        folders: Vec<FolderTiles>,
        mut notes: Vec<CorpusNote>,
    ) -> Result<(Corpus, Vec<CorpusNote>), LevelError> {
        let tiles = self.tile_set(files, folders, &mut notes)?;
        let mut levels = Vec::new();
        for file in files {
            let place = file.path.display().to_string();
            levels.push(Level::from_text(&place, &file.text, &tiles)?);
        }
        let cells = levels.iter().map(|level| level.as_array().len()).sum();
        check_cells(cells)?;
        let mut named: Vec<(String, Level)> = names(files).into_iter().zip(levels).collect();
        if let Some(rooms) = self.rooms {
            named = rooms::cut(named, rooms, &tiles, &mut notes)?;
        }
        let (names, levels): (Vec<String>, Vec<Level>) = named.into_iter().unzip();
        let travel = self.travel_of(&levels, &mut notes);
        let levels: Vec<Level> = levels.iter().map(|level| travel.turned(level)).collect();
        let outside = tiles.outside().first().copied();
        let levels = self.of_one_height(levels, travel, outside, &mut notes)?;
        let corpus = Corpus::of_tiles(tiles, names.into_iter().zip(levels))?;
        Ok((corpus.travelled(travel), notes))
    }

    fn patterns(&self) -> Result<Vec<Pattern>, LevelError> {
        let pattern = |text: &String| {
            Pattern::new(text).map_err(|error| {
                let (column, reason) = (error.pos + 1, error.msg);
                let problem =
                    format!("the pattern {text:?} is invalid at character {column}: {reason}");
                Mistake::new(MistakeKind::Syntax, problem, "use `*`, `?` and `[..]`").into()
            })
        };
        self.only.iter().map(pattern).collect()
    }

    fn tile_set(
        &self,
        files: &[LevelFile],
        folders: Vec<FolderTiles>,
        notes: &mut Vec<CorpusNote>,
    ) -> Result<Arc<TileSet>, LevelError> {
        let in_use = symbols_of(files);
        let set = match &self.tiles {
            Some(given) => tile_sets::and_of_folders(given, &folders, notes),
            None => tile_sets::of_folders(folders, notes)?,
        };
        let set = match self.rooms {
            Some(_) => Arc::new(TileSet::clone(&set).with_outside(&["void", "null"])),
            None => set,
        };
        let foreign = in_use.iter().filter(|&&symbol| set.tile(symbol).is_none());
        let foreign: String = foreign.collect();
        let set = if foreign.is_empty() {
            set
        } else {
            Arc::new(TileSet::clone(&set).and_unknown(foreign.chars()))
        };
        // Tiles without a meaning that occur in no level.
        let is_idle = |tile: &Tile| {
            let symbol = tile.symbol();
            tile.is_unknown() && symbol.is_some_and(|symbol| !in_use.contains(&symbol))
        };
        let idle: Vec<Tile> = set.tiles().filter(is_idle).collect();
        let set = if idle.is_empty() || idle.len() == set.tiles().count() {
            set
        } else {
            let symbols = idle.iter().copied().filter_map(Tile::symbol).collect();
            notes.push(CorpusNote::IdleTiles { symbols });
            Arc::new(set.without(&idle))
        };
        let count = set.tiles().count();
        if count > TileSet::MAX_TILES {
            return Err(too_many_tiles(count));
        }
        let is_in_use = |tile: &Tile| tile.symbol().is_some_and(|symbol| in_use.contains(&symbol));
        let unknown = set
            .tiles()
            .filter(|tile| tile.is_unknown())
            .filter(is_in_use);
        let symbols: String = unknown.filter_map(Tile::symbol).collect();
        if !symbols.is_empty() {
            notes.push(CorpusNote::UnknownTiles { symbols });
        }
        Ok(set)
    }

    fn travel_of(&self, levels: &[Level], notes: &mut Vec<CorpusNote>) -> Travel {
        if self.travel.is_some() || self.rooms.is_some() {
            return self.travel.unwrap_or_default();
        }
        let columns = levels.first().map_or(0, Level::width);
        let is_tall = |level: &Level| level.width() == columns && level.height() >= 2 * columns;
        if columns > 1 && levels.iter().all(is_tall) {
            notes.push(CorpusNote::Upwards { columns });
            return Travel::Up;
        }
        Travel::Right
    }

    fn of_one_height(
        &self,
        levels: Vec<Level>,
        travel: Travel,
        outside: Option<Tile>,
        notes: &mut Vec<CorpusNote>,
    ) -> Result<Vec<Level>, LevelError> {
        let highest = levels.iter().map(Level::height).max().unwrap_or(0);
        let rows = self.rows.unwrap_or(highest);
        if rows == 0 || rows > highest {
            return Err(wrong_rows(rows, highest));
        }
        check_cells(levels.iter().map(|level| rows * level.width()).sum())?;
        let of = levels.len();
        let lower = levels.iter().filter(|level| level.height() < rows).count();
        let higher = levels.iter().filter(|level| level.height() > rows).count();
        let filling = outside.unwrap_or_else(|| commonest(&levels));
        if lower > 0 {
            notes.push(CorpusNote::Padded {
                travel,
                levels: lower,
                of,
                rows,
                tile: filling.to_string(),
                is_outside: outside.is_some(),
            });
        }
        if higher > 0 {
            notes.push(CorpusNote::Cut {
                travel,
                levels: higher,
                of,
                rows,
            });
        }
        let fitted = |level: Level| {
            if level.height() == rows {
                return level;
            }
            let (height, cells) = (level.height(), level.as_array());
            let tile = |(row, column): (usize, usize)| {
                let own = match travel {
                    Travel::Right => (row + height).checked_sub(rows),
                    // Turning a level makes the columns, counted from the left, the rows of the turned level, counted from the top.
                    Travel::Up => Some(row).filter(|&row| row < height),
                };
                own.map_or(filling, |row| cells[(row, column)])
            };
            Level::from_tiles(Array2::from_shape_fn((rows, level.width()), tile))
        };
        Ok(levels.into_iter().map(fitted).collect())
    }
}

/// Removes the levels in which the path of a player is drawn; for each character that draws a path, `ways` has the indices of these levels.
fn without_ways(
    files: Vec<LevelFile>,
    ways: &BTreeMap<char, Vec<usize>>,
    notes: &mut Vec<CorpusNote>,
) -> Vec<LevelFile> {
    let all = names(&files);
    for (&tile, copies) in ways {
        let levels = copies.iter().map(|&place| all[place].clone()).collect();
        let of = files.len();
        notes.push(CorpusNote::DrawnWays { tile, levels, of });
    }
    let is_copy = |place: &usize| ways.values().flatten().any(|copy| copy == place);
    let kept = (0..).zip(files).filter(|(place, _)| !is_copy(place));
    kept.map(|(_, file)| file).collect()
}

fn check_cells(cells: usize) -> Result<(), LevelError> {
    if cells > CorpusReader::MAX_CELLS {
        let max = CorpusReader::MAX_CELLS;
        return Err(Mistake::new(
            MistakeKind::TooLarge,
            format!("levels of {cells} cells; at most {max} cells fit"),
            "read fewer of them, or fewer rows",
        )
        .into());
    }
    Ok(())
}

/// Returns the legend (the meanings of tiles) for the files of a folder, with the tiles of maps: the first legend found beside or above one of the
/// text files. A note of the reader reports each invalid legend.
fn legend_of(
    files: &[&LevelFile],
    symbols: &BTreeSet<char>,
    notes: &mut Vec<CorpusNote>,
) -> Option<(PathBuf, TileSet)> {
    let mut searched: BTreeSet<&Path> = BTreeSet::new();
    let mut texts = files.iter().filter(|file| file.own.is_none());
    let of_texts = texts.find_map(|file| {
        let folder = file.path.parent()?;
        let folders = legends::folders_of(&file.path, &file.root);
        let known = |set: &TileSet| {
            let known = symbols.iter().filter(|&&symbol| set.tile(symbol).is_some());
            known.count()
        };
        // All files of a folder have the same legends.
        let is_new = searched.insert(folder);
        is_new.then(|| legends::find(folders, symbols.len(), known, notes))?
    });
    let of_maps = files.iter().filter_map(|file| file.own.as_ref());
    let mut all = of_maps.clone();
    let are_platformers = all.all(|(_, own)| own.is_platformer());
    if of_texts.is_none() && are_platformers && tile_sets::is_platformer(symbols) {
        return None;
    }
    of_maps.fold(of_texts, |legend, (path, own)| {
        let (path, set) = legend.unwrap_or_else(|| (path.clone(), TileSet::unknown([])));
        let symbols = own.symbols();
        let and = |set: TileSet, symbol| set.and_tile_of(own, symbol);
        Some((path, symbols.chars().fold(set, and)))
    })
}

fn commonest(levels: &[Level]) -> Tile {
    let mut counts: BTreeMap<Tile, usize> = BTreeMap::new();
    for &tile in levels.iter().flat_map(Level::as_array) {
        *counts.entry(tile).or_default() += 1;
    }
    let most = counts.into_iter().rev().max_by_key(|&(_, count)| count);
    most.map_or(Tile::EMPTY, |(tile, _)| tile)
}

#[cfg(test)]
mod tests;
