//! Saves trained Markov chains of tiles as JSON. With saved chains, a game can be shipped with a trained Markov chain and without its training
//! levels.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::table::Counts;
use crate::mdmc::level::grid::TileIds;
use crate::mdmc::{MarkovChain, Offset, RowSplits, Structure, Structures, Tile, TileSet, Travel};
use figrs_reading::{Mistake, MistakeKind, mistakes};

const FORMAT: &str = "figrs MdMC chain";
const VERSION: u32 = 1;
/// Character of the border in a saved configuration of neighbouring tiles, unless a tile of the Markov chain has the same character.
const BORDER: char = '#';
/// Maximum number of rows of a level: a level with this number of rows and a single column has the maximum number of cells.
const MOST_ROWS: usize = 1 << 28;
/// Maximum number of cells of all training levels together; up to this number, sums of counts are exact.
const MOST_CELLS: u64 = 1 << 53;

/// The remedy that an error suggests for a text that no version of figrs has written.
const CHANGED: &str = "the file was changed: train and save it again";

fn not_json(error: &serde_json::Error) -> Mistake {
    mistakes::json("not a saved chain", error, "train and save it again")
}

/// Returns the error for a saved Markov chain with a field whose value is invalid in any Markov chain.
fn invalid(cause: &dyn std::fmt::Display) -> Mistake {
    let problem = format!("the saved chain is invalid: {cause}");
    Mistake::new(MistakeKind::Value, problem, "")
}

/// Returns the error for a saved Markov chain with a field that contradicts other fields.
fn changed(problem: String) -> Mistake {
    Mistake::new(MistakeKind::Contradiction, problem, CHANGED)
}

#[derive(Deserialize)]
#[serde(expecting = "a saved chain")]
struct FormatHeader {
    format: String,
    version: u32,
}

/// A saved Markov chain of tiles: the counts of the first network structure, which determine the counts of structures with fewer neighbours.
#[derive(Serialize, Deserialize)]
struct SavedChain {
    format: String,
    version: u32,
    height: usize,
    /// Number of columns of all training levels together.
    columns: u64,
    /// The legend (the characters and meanings of the tiles); `None` for the built-in platformer tiles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    legend: Option<serde_json::Value>,
    /// Character of the border tile; `None` if it is `#`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    border: Option<char>,
    /// Direction in which the levels are played; `None` if they are played from left to right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    travel: Option<String>,
    structure: Vec<(i32, i32)>,
    /// Network structures that are used as fallbacks; `None` if the fallbacks are those that leave out neighbours of the first structure from the
    /// end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fallbacks: Option<Vec<Vec<(i32, i32)>>>,
    /// Number that smoothing adds to the counts of tiles; `None` without smoothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    smoothing: Option<f64>,
    row_splits: usize,
    bands: Vec<Vec<(String, BTreeMap<char, u64>)>>,
}

fn border(tiles: &TileSet) -> char {
    let private = ('\u{e000}'..='\u{f8ff}').find(|&symbol| tiles.tile(symbol).is_none());
    match tiles.tile(BORDER) {
        Some(_) => private.unwrap_or_default(),
        None => BORDER,
    }
}

fn pairs(structure: &Structure) -> Vec<(i32, i32)> {
    structure.offsets().iter().map(|o| (o.dx, o.dy)).collect()
}

fn structure(pairs: &[(i32, i32)]) -> Result<Structure, Mistake> {
    let offsets = pairs.iter().map(|&(dx, dy)| Offset { dx, dy });
    Structure::new(offsets.collect::<Vec<_>>()).map_err(|error| invalid(&error))
}

impl MarkovChain {
    /// Returns the Markov chain as JSON, which [`MarkovChain::from_json`] of this version and later ones can read.
    ///
    /// ```
    /// use figrs_models::mdmc::{Corpus, MarkovChain, RowSplits, Structure};
    ///
    /// let chain = MarkovChain::train(&Corpus::shipped(), &Structure::NS3, RowSplits::NONE)?;
    /// let loaded = MarkovChain::from_json(&chain.to_json())?;
    /// assert_eq!(loaded.to_json(), chain.to_json());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_json(&self) -> String {
        let splits = self.row_splits();
        let list = self.structure_list();
        let usual = *list == list.first().into();
        let tiles = self.tile_set();
        let border = border(tiles);
        let fallbacks = || list.as_slice()[1..].iter().map(pairs).collect();
        let saved = SavedChain {
            format: FORMAT.to_owned(),
            version: VERSION,
            height: self.height(),
            columns: self.cells() / self.height() as u64,
            legend: (tiles != TileSet::platformer()).then(|| tiles.to_json()),
            border: Some(border).filter(|&border| border != BORDER),
            travel: Some(self.travel())
                .filter(|&travel| travel != Travel::Right)
                .map(|travel| travel.name().to_owned()),
            structure: pairs(list.first()),
            fallbacks: (!usual).then(fallbacks),
            smoothing: Some(self.smoothing()).filter(|&added| added > 0.0),
            row_splits: splits.count(),
            bands: (0..splits.count())
                .map(|band| self.saved(band, border))
                .collect(),
        };
        serde_json::json!(saved).to_string()
    }

    fn saved(&self, band: usize, border: char) -> Vec<(String, BTreeMap<char, u64>)> {
        let symbol = |tile: &Tile| tile.symbol().unwrap_or(border);
        let configurations = self.configurations(0, band);
        let entry = configurations.map(|(configuration, seen)| {
            let counts = seen
                .counts()
                .iter()
                .map(|(tile, count)| (symbol(tile), *count));
            (configuration.iter().map(symbol).collect(), counts.collect())
        });
        entry.collect()
    }

    /// Reads a Markov chain from the text that [`MarkovChain::to_json`] returns, and checks that training can have produced it.
    ///
    /// **Errors.** An error if the text is not a valid Markov chain; the error names the invalid band of rows and configuration.
    pub fn from_json(text: &str) -> Result<Self, Mistake> {
        let header: FormatHeader = serde_json::from_str(text).map_err(|error| not_json(&error))?;
        if header.format != FORMAT {
            let problem = format!("the format is {:?}, not {FORMAT:?}", header.format);
            return Err(Mistake::new(
                MistakeKind::Unsupported,
                problem,
                "give a saved chain",
            ));
        }
        if header.version != VERSION {
            let found = header.version;
            return Err(Mistake::new(
                MistakeKind::Unsupported,
                format!("version {found} of the format is not known, only {VERSION}"),
                "use the program that wrote it, or train again",
            ));
        }
        let saved: SavedChain = serde_json::from_str(text).map_err(|error| not_json(&error))?;
        let cells = saved.columns.checked_mul(saved.height as u64);
        if saved.height > MOST_ROWS || cells.is_none_or(|cells| cells > MOST_CELLS) {
            let (height, columns) = (saved.height, saved.columns);
            let problem = format!(
                "a chain of {height} rows that was trained on {columns} columns; there are at most {MOST_ROWS} rows and {MOST_CELLS} cells"
            );
            return Err(Mistake::new(MistakeKind::TooLarge, problem, CHANGED));
        }
        let splits =
            RowSplits::new(saved.row_splits, saved.height).map_err(|error| invalid(&error))?;
        let first = structure(&saved.structure)?;
        let length = first.offsets().len();
        let structures = match &saved.fallbacks {
            None => Structures::from(&first),
            Some(all) => {
                let all = all.iter().map(|pairs| structure(pairs));
                Structures::new(first, all.collect::<Result<Vec<_>, _>>()?)
                    .map_err(|error| invalid(&error))?
            }
        };
        if saved.bands.len() != splits.count() {
            let (found, expected) = (saved.bands.len(), splits.count());
            return Err(changed(format!(
                "there are tables for {found} bands, but the chain has {expected} bands"
            )));
        }
        let tiles = match &saved.legend {
            Some(legend) => {
                let tiles = TileSet::from_json(&legend.to_string());
                Arc::new(tiles.map_err(|error| invalid(&error))?)
            }
            None => Arc::clone(TileSet::platformer()),
        };
        let travel = match &saved.travel {
            Some(name) => Travel::of_name(name).ok_or_else(|| {
                changed(format!(
                    "the direction is {name:?}, not \"right\" or \"up\""
                ))
            })?,
            None => Travel::Right,
        };
        let ids = saved.ids(&tiles)?;
        let of_band = |band| saved.counts(band, splits, (&tiles, &ids), length);
        let bands = (0..splits.count()).map(of_band);
        let bands = bands.collect::<Result<_, _>>()?;
        let chain = Self::of_counts(saved.height, splits, ids, structures, bands);
        let chain = chain.of_corpus(&tiles, travel);
        let smoothed = chain.smoothed(saved.smoothing.unwrap_or_default());
        smoothed.map_err(|error| invalid(&error))
    }
}

impl SavedChain {
    fn ids(&self, set: &TileSet) -> Result<TileIds, Mistake> {
        let mut tiles = BTreeSet::new();
        for (band, entries) in self.bands.iter().enumerate() {
            for &symbol in entries.iter().flat_map(|(_, counts)| counts.keys()) {
                let tile = set.tile(symbol);
                tiles.insert(tile.ok_or_else(|| uncounted(band, symbol))?);
            }
        }
        Ok(TileIds::new(tiles.into_iter().collect()))
    }

    fn counts(
        &self,
        band: usize,
        splits: RowSplits,
        (set, ids): (&TileSet, &TileIds),
        length: usize,
    ) -> Result<Counts, Mistake> {
        let border = self.border.unwrap_or(BORDER);
        let mut counts = Counts::new();
        let mut found: u64 = 0;
        for (configuration, tiles) in &self.bands[band] {
            if configuration.chars().count() != length {
                return Err(changed(format!(
                    "band {band}: the configuration {configuration:?} is not one tile (or the border) for each of the {length} neighbours"
                )));
            }
            let mut key = 0;
            for symbol in configuration.chars() {
                let id = match symbol {
                    _ if symbol == border => 0,
                    _ => set.tile(symbol).map_or(0, |tile| ids.id(tile)),
                };
                if id == 0 && symbol != border {
                    return Err(uncounted(band, symbol));
                }
                key = key * ids.base() + u64::from(id);
            }
            let tile = |(&symbol, &count): (&char, &u64)| Some((ids.id(set.tile(symbol)?), count));
            let tiles: BTreeMap<u8, u64> = tiles.iter().filter_map(tile).collect();
            found = tiles
                .values()
                .fold(found, |sum, &count| sum.saturating_add(count));
            let empty = tiles.is_empty() || tiles.values().any(|&count| count == 0);
            if empty || counts.insert(key, tiles).is_some() {
                return Err(changed(format!(
                    "band {band}: the configuration {configuration:?} occurs twice or has a count of 0"
                )));
            }
        }
        let rows = splits.rows(band, self.height).len();
        let expected = self.columns * rows as u64;
        // Outside tiles are not counted, so the counts may then sum to less than the number of cells.
        let fits = match set.outside().is_empty() {
            true => found == expected,
            false => found <= MOST_CELLS,
        };
        if !fits || found == 0 {
            let columns = self.columns;
            return Err(changed(format!(
                "band {band}: the counts add up to {found}, but {rows} rows of {columns} columns need {expected}"
            )));
        }
        Ok(counts)
    }
}

/// Returns the error that a configuration or a count has a tile that never occurred in training, or a character that is not a tile.
fn uncounted(band: usize, symbol: char) -> Mistake {
    changed(format!(
        "band {band}: {symbol:?} is not among the tiles that were counted"
    ))
}

#[cfg(test)]
mod tests;
