//! Reads map files of level editors as level files: TMX maps of Tiled, projects of LDtk, and grids of values exported by LDtk.
//!
//! A cell of a map is a number: 0 for an empty cell, and *n* for the tile with the number *n* - 1 in a legend (a file with the meanings of tiles).
//! The legend states the number of a tile as its `picture`; in a legend that the user passes, the number can be the position of the tile. A tile that
//! is in no legend (file with the meanings of tiles) gets its descriptive words from the tileset of the map, and a character of its own.

mod ldtk;
mod map;
mod map_mistakes;
mod tiled;

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use super::legends;
use super::note::CorpusNote;
use crate::mdmc::level::vglc;
use crate::mdmc::{LevelError, Tile, TileSet};
use figrs_reading::FileError;
use map::Map;

const EXTENSIONS: [&str; 3] = ["tmx", "ldtk", "csv"];

/// If the first line of a `*.csv` file is longer than this number of bytes, only its beginning is checked to decide whether the file is a map.
const MAX_LINE_BYTES: u64 = 1 << 16;

pub(super) fn is_map(path: &Path) -> bool {
    EXTENSIONS.contains(&extension(path).as_str())
}

/// True if the file `path`, found in a folder, is a map of a level editor. A `*.csv` file is taken as a map of a level only if its first line
/// consists of numbers, because the folder may also contain other tables.
pub(super) fn is_map_of_folder(path: &Path) -> bool {
    is_map(path) && (extension(path) != "csv" || begins_with_numbers(path).unwrap_or(false))
}

fn begins_with_numbers(path: &Path) -> io::Result<bool> {
    let mut line = String::new();
    let file = File::open(path)?.take(MAX_LINE_BYTES);
    BufReader::new(file).read_line(&mut line)?;
    let line = line.trim_start_matches('\u{feff}').trim();
    let mut cells = line.trim_end_matches(',').split(',');
    Ok(cells.all(|cell| cell.trim().parse::<u32>().is_ok()))
}

fn extension(path: &Path) -> String {
    let extension = path.extension().unwrap_or_default();
    extension.to_string_lossy().to_ascii_lowercase()
}

/// The text of a level from an editor's map, with a character for each tile.
pub(super) struct MapText {
    pub(super) name: Option<String>,
    pub(super) text: String,
    /// The path of the file that describes the tiles (a legend file beside the map, or the map itself) and the set of these tiles.
    pub(super) own: (PathBuf, TileSet),
}

/// Reads map files of level editors; a tile that no legend describes has the same character in all files.
pub(super) struct MapReader<'r> {
    /// The tiles whose meanings the user has passed to the reader of the corpus.
    given: Option<&'r TileSet>,
    layer: Option<&'r str>,
    /// The names of the layers that were read, each with the names of the map's other layers; each entry has been reported to the user by a note.
    layers: Vec<(String, Vec<String>)>,
    folders: BTreeSet<PathBuf>,
    /// The tiles that no legend describes: the number, the descriptive words and the character of each tile.
    tiles: Vec<(u32, Vec<String>, char)>,
}

impl<'r> MapReader<'r> {
    pub(super) fn new(given: Option<&'r TileSet>, layer: Option<&'r str>) -> Self {
        Self {
            given,
            layer,
            layers: Vec::new(),
            folders: BTreeSet::new(),
            tiles: Vec::new(),
        }
    }

    /// Reads the levels of a map file with a legend: the file in `folders` that describes most of the map's tiles.
    pub(super) fn levels(
        &mut self,
        path: &Path,
        folders: impl Iterator<Item = PathBuf>,
        notes: &mut Vec<CorpusNote>,
    ) -> Result<Vec<MapText>, LevelError> {
        let text = vglc::read_text(path)?;
        let map = match extension(path).as_str() {
            "tmx" => tiled::map(&text, self.layer),
            "ldtk" => ldtk::project(&text, self.layer),
            _ => ldtk::values(&text),
        };
        let at_path = |error: FileError| FileError {
            place: path.display().to_string(),
            ..error
        };
        let mut map = map.map_err(at_path)?;
        let layers = (map.layer.clone(), map.others.clone());
        if !map.others.is_empty() && !self.layers.contains(&layers) {
            self.layers.push(layers);
            notes.push(CorpusNote::Layer {
                path: path.to_owned(),
                read: map.layer.clone(),
                others: map.others.clone(),
            });
        }
        let cells = map.levels.iter().flat_map(|level| &level.rows).flatten();
        let mut numbers: BTreeSet<u32> = cells.copied().collect();
        let has_empty = numbers.remove(&0);
        let known = |set: &TileSet| {
            let known = numbers.iter().filter(|&&n| set.pictured(n - 1).is_some());
            known.count()
        };
        let mut flawed = Vec::new();
        let beside = legends::find(folders, numbers.len().max(1), known, &mut flawed);
        if self.folders.insert(path.with_file_name("")) {
            notes.extend(flawed);
        }
        let (source, legend) = beside.unwrap_or((path.to_owned(), TileSet::unknown([])));
        let mut own = legend.clone();
        let legends: Vec<&TileSet> = self.given.into_iter().chain([&legend]).collect();
        let given = self.given;
        let in_legend = |number: u32| {
            let given = given.and_then(|set| set.numbered(number - 1));
            given.or(legend.pictured(number - 1))?.symbol()
        };
        let without = numbers
            .iter()
            .filter(|&&number| in_legend(number).is_none());
        describe(&mut map, without, path).map_err(at_path)?;
        let mut symbols: Vec<(u32, char)> = Vec::new();
        if has_empty {
            let empty = legends.iter().find_map(|set| set.empty()?.symbol());
            let symbol = empty.map_or_else(|| self.empty(&map, &legends, &mut own), Ok);
            symbols.push((0, symbol.map_err(at_path)?));
        }
        for &number in &numbers {
            let symbol = in_legend(number).map_or_else(
                || self.symbol(number, map.words(number), &legends, &mut own),
                Ok,
            );
            symbols.push((number, symbol.map_err(at_path)?));
        }
        let symbol = |number: &u32| {
            let place = symbols.binary_search_by_key(number, |&(number, _)| number);
            place.map_or(' ', |place| symbols[place].1)
        };
        let text = |rows: Vec<Vec<u32>>| {
            let rows = rows.iter().map(|row| row.iter().map(symbol).collect());
            rows.collect::<Vec<String>>().join("\n")
        };
        let levels = map.levels.into_iter().map(|level| MapText {
            name: level.name,
            text: text(level.rows),
            own: (source.clone(), own.clone()),
        });
        Ok(levels.collect())
    }

    /// Returns a character for the tile `number`, which no legend describes: the character of the platformer tile with the same words, or a new
    /// character.
    fn symbol(
        &mut self,
        number: u32,
        words: Vec<String>,
        legends: &[&TileSet],
        own: &mut TileSet,
    ) -> Result<char, FileError> {
        let platformer = TileSet::platformer();
        if let Some(symbol) = namesake(&words).and_then(Tile::symbol) {
            *own = own.clone().and_tile_of(platformer, symbol);
            return Ok(symbol);
        }
        let mut known = self.tiles.iter();
        let known = known.find(|(other, its, _)| *other == number && *its == words);
        let symbol = if let Some(&(_, _, symbol)) = known {
            symbol
        } else {
            let is_free = |symbol: &char| {
                let is_taken = self.tiles.iter().any(|(_, _, taken)| taken == symbol);
                let mut sets = legends.iter().copied().chain([&**platformer]);
                !is_taken && sets.all(|set| set.tile(*symbol).is_none())
            };
            let letters = ('A'..='Z').chain('a'..='z').chain('0'..='9');
            let symbol = letters.chain('\u{100}'..='\u{24f}').find(is_free);
            let symbol = symbol.ok_or_else(map_mistakes::too_many_tiles)?;
            self.tiles.push((number, words.clone(), symbol));
            symbol
        };
        *own = own.clone().and_words(symbol, words);
        Ok(symbol)
    }

    /// Returns a character for empty cells of a map: that of a tile of the map whose description is "empty", or `-`, or a new character.
    fn empty(
        &mut self,
        map: &Map,
        legends: &[&TileSet],
        own: &mut TileSet,
    ) -> Result<char, FileError> {
        let sets = map.tilesets.iter();
        let mut described = sets.flat_map(|set| {
            set.words
                .iter()
                .map(|(place, words)| (set.first.saturating_add(*place), words))
        });
        let called = described.find(|(_, words)| {
            namesake(words) == Some(Tile::EMPTY) || words.iter().any(|word| word == "empty")
        });
        if let Some((number, words)) = called {
            return self.symbol(number, words.clone(), legends, own);
        }
        let words = vec!["empty".to_owned()];
        match Tile::EMPTY.symbol() {
            Some(symbol) if legends.iter().all(|set| set.tile(symbol).is_none()) => {
                *own = own.clone().and_words(symbol, words);
                Ok(symbol)
            }
            _ => self.symbol(0, words, legends, own),
        }
    }

    /// Returns the tiles that neither a legend nor the map describes: the character of each tile, and the number that the tile would have in a
    /// legend.
    pub(super) fn unnamed(&self) -> Vec<(char, u32)> {
        let unnamed = self.tiles.iter().filter(|(_, words, _)| words.is_empty());
        unnamed
            .map(|&(number, _, symbol)| (symbol, number - 1))
            .collect()
    }
}

/// Returns the built-in platformer tile whose description in maps written by figrs consists of the words `words`.
fn namesake(words: &[String]) -> Option<Tile> {
    let platformer = TileSet::platformer();
    let named = words.iter().filter(|word| *word != "solid").cloned();
    let name = named.collect::<Vec<String>>().join(", ");
    let mut tiles = platformer.tiles();
    tiles.find(|&tile| platformer.description(tile) == name)
}

fn describe<'n>(
    map: &mut Map,
    numbers: impl Iterator<Item = &'n u32>,
    path: &Path,
) -> Result<(), FileError> {
    for &number in numbers {
        let Some(set) = map.tileset_of(number) else {
            continue;
        };
        let Some(source) = set.source.take() else {
            continue;
        };
        let path = path.with_file_name(source);
        let unread = |error: FileError| map_mistakes::unread_tileset(&path, error);
        let text = vglc::read_text(&path).map_err(unread)?;
        let described = tiled::tileset(&text).map_err(unread)?;
        set.words = described.words;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
