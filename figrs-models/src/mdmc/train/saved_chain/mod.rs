//! Saves trained chains as JSON, so that a game can ship a chain without its training levels.

use figrs_derive::ErrorDebug;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::table::Counts;
use crate::mdmc::level::grid::TileIds;
use crate::mdmc::{
    LegendError, MarkovChain, Offset, RowSplits, Structure, StructureError, Structures, Tile,
    TileSet, TrainingError, Travel,
};
use figrs_reading::mistakes;

const FORMAT: &str = "figrs MdMC chain";
const VERSION: u32 = 1;
/// Character of the border in a saved configuration, unless a tile of the chain has this character.
const BORDER: char = '#';
/// Maximum number of rows: a single column of this many rows has the maximum number of cells.
const MOST_ROWS: usize = 1 << 28;
/// Maximum number of cells of all training levels, so that sums of counts are exact.
const MOST_CELLS: u64 = 1 << 53;

/// Reason why a text is not a trained chain.
#[derive(thiserror::Error, ErrorDebug)]
#[non_exhaustive]
pub enum SavedChainError {
    /// The text is not JSON, is cut off, or lacks a required field.
    #[error(
        "not a saved chain: line {}, column {}: {}; train and save it again",
        .0.line(), .0.column(), mistakes::in_json(.0)
    )]
    Json(#[from] serde_json::Error),
    /// The text is JSON, but not a saved chain.
    #[error("the format is {found:?}, not {FORMAT:?}; give a saved chain")]
    Format {
        /// The format that the text states.
        found: String,
    },
    /// The text has a version of the format that this program cannot read.
    #[error(
        "version {found} of the format is not known, only {VERSION}; use the program that wrote it, or train again"
    )]
    Version {
        /// The version that the text states.
        found: u32,
    },
    /// The neighbours of a structure are invalid.
    #[error("the saved chain cannot be: {0}")]
    Structure(#[from] StructureError),
    /// The rows cannot be split into this many bands of rows.
    #[error("the saved chain cannot be: {0}")]
    Splits(#[from] TrainingError),
    /// The chain has more rows, or was trained on more columns, than the maximum.
    #[error(
        "a chain of {height} rows that was trained on {columns} columns; there are at most {MOST_ROWS} rows and {MOST_CELLS} cells, \
         so the file was changed: train again"
    )]
    Size {
        /// Number of rows that the text states.
        height: usize,
        /// Number of columns that the text states.
        columns: u64,
    },
    /// A configuration has a character that is not a tile, or the wrong length.
    #[error(
        "band {band}: the configuration {configuration:?} is not one tile (or the border) for each of the {length} neighbours"
    )]
    Configuration {
        /// The band of rows, from 0 at the top.
        band: usize,
        /// The configuration as it is written.
        configuration: String,
        /// The number of neighbours.
        length: usize,
    },
    /// A configuration has a tile that was never counted, or a count has a character that is not a tile.
    #[error(
        "band {band}: {symbol:?} is not among the tiles that were counted; the file was changed, so train again"
    )]
    Tile {
        /// The band of rows, from 0 at the top.
        band: usize,
        /// The character.
        symbol: char,
    },
    /// The counts of a band of rows do not have the sum that the size of the levels requires.
    #[error(
        "band {band}: the counts add up to {found}, and {rows} rows of {columns} columns need {expected}; the file was changed, so train again"
    )]
    Counts {
        /// The band of rows, from 0 at the top.
        band: usize,
        /// The sum of the counts in the band.
        found: u64,
        /// Number of rows of the band.
        rows: usize,
        /// Number of columns of the training levels.
        columns: u64,
        /// The sum that follows from the size of the levels.
        expected: u64,
    },
    /// A count is zero, or a configuration occurs twice.
    #[error(
        "band {band}: the configuration {configuration:?} stands twice or has a count of 0; the file was changed, so train again"
    )]
    Repeated {
        /// The band of rows, from 0 at the top.
        band: usize,
        /// The configuration as it is written.
        configuration: String,
    },
    /// The tiles are not a valid set of tiles.
    #[error("the saved chain cannot be: {0}")]
    Tiles(#[from] LegendError),
    /// The direction of travel is not valid.
    #[error(
        "the direction is {found:?}, not \"right\" or \"up\"; the file was changed, so train again"
    )]
    Travel {
        /// The direction that the text states.
        found: String,
    },
    /// The number of tables differs from the number of bands of rows.
    #[error(
        "there are tables for {found} bands, and the chain has {expected}; the file was changed, so train again"
    )]
    Bands {
        /// Number of tables.
        found: usize,
        /// Number of bands.
        expected: usize,
    },
}

/// Header fields, with which every version of the format begins.
#[derive(Deserialize)]
#[serde(expecting = "a saved chain")]
struct FormatHeader {
    format: String,
    version: u32,
}

/// A saved chain: the counts of the first structure, from which those of simpler structures follow.
#[derive(Serialize, Deserialize)]
struct SavedChain {
    format: String,
    version: u32,
    height: usize,
    /// Number of columns of all training levels together.
    columns: u64,
    /// Legend of the tiles; `None` for the built-in platformer tiles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    legend: Option<serde_json::Value>,
    /// Character of the border; `None` if this is `#`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    border: Option<char>,
    /// Direction in which levels are played; `None` for left to right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    travel: Option<String>,
    structure: Vec<(i32, i32)>,
    /// Fallback structures; `None` for the simpler ones of the first structure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fallbacks: Option<Vec<Vec<(i32, i32)>>>,
    /// Number that smoothing adds to the counts of tiles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    smoothing: Option<f64>,
    row_splits: usize,
    bands: Vec<Vec<(String, BTreeMap<char, u64>)>>,
}

/// Returns the usual character of the border, or the first private-use character if that is a tile.
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

fn structure(pairs: &[(i32, i32)]) -> Result<Structure, StructureError> {
    let offsets = pairs.iter().map(|&(dx, dy)| Offset { dx, dy });
    Structure::new(offsets.collect::<Vec<_>>())
}

impl MarkovChain {
    /// Returns the chain as JSON, which [`MarkovChain::from_json`] of this version and later ones can read.
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

    /// Reads a chain from the text of [`MarkovChain::to_json`], and checks that training can have produced it.
    ///
    /// **Errors.** [`SavedChainError`], with the band of rows and the configuration of the mistake.
    pub fn from_json(text: &str) -> Result<Self, SavedChainError> {
        let header: FormatHeader = serde_json::from_str(text)?;
        if header.format != FORMAT {
            return Err(SavedChainError::Format {
                found: header.format,
            });
        }
        if header.version != VERSION {
            return Err(SavedChainError::Version {
                found: header.version,
            });
        }
        let saved: SavedChain = serde_json::from_str(text)?;
        let cells = saved.columns.checked_mul(saved.height as u64);
        if saved.height > MOST_ROWS || cells.is_none_or(|cells| cells > MOST_CELLS) {
            return Err(SavedChainError::Size {
                height: saved.height,
                columns: saved.columns,
            });
        }
        let splits = RowSplits::new(saved.row_splits, saved.height)?;
        let first = structure(&saved.structure)?;
        let length = first.offsets().len();
        let structures = match &saved.fallbacks {
            None => Structures::from(&first),
            Some(all) => {
                let all = all.iter().map(|pairs| structure(pairs));
                Structures::new(first, all.collect::<Result<Vec<_>, _>>()?)?
            }
        };
        if saved.bands.len() != splits.count() {
            return Err(SavedChainError::Bands {
                found: saved.bands.len(),
                expected: splits.count(),
            });
        }
        let tiles = match &saved.legend {
            Some(legend) => Arc::new(TileSet::from_json(&legend.to_string())?),
            None => Arc::clone(TileSet::platformer()),
        };
        let travel = match &saved.travel {
            Some(name) => Travel::of_name(name).ok_or_else(|| SavedChainError::Travel {
                found: name.clone(),
            })?,
            None => Travel::Right,
        };
        let ids = saved.ids(&tiles)?;
        let of_band = |band| saved.counts(band, splits, (&tiles, &ids), length);
        let bands = (0..splits.count()).map(of_band);
        let bands = bands.collect::<Result<_, _>>()?;
        let chain = Self::of_counts(saved.height, splits, ids, structures, bands);
        let chain = chain.of_corpus(&tiles, travel);
        Ok(chain.smoothed(saved.smoothing.unwrap_or_default())?)
    }
}

impl SavedChain {
    /// Returns the ids of the counted tiles.
    fn ids(&self, set: &TileSet) -> Result<TileIds, SavedChainError> {
        let mut tiles = BTreeSet::new();
        for (band, entries) in self.bands.iter().enumerate() {
            for &symbol in entries.iter().flat_map(|(_, counts)| counts.keys()) {
                let tile = set.tile(symbol);
                tiles.insert(tile.ok_or(SavedChainError::Tile { band, symbol })?);
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
    ) -> Result<Counts, SavedChainError> {
        let border = self.border.unwrap_or(BORDER);
        let mut counts = Counts::new();
        let mut found: u64 = 0;
        for (configuration, tiles) in &self.bands[band] {
            if configuration.chars().count() != length {
                return Err(SavedChainError::Configuration {
                    band,
                    configuration: configuration.clone(),
                    length,
                });
            }
            let mut key = 0;
            for symbol in configuration.chars() {
                let id = match symbol {
                    _ if symbol == border => 0,
                    _ => set.tile(symbol).map_or(0, |tile| ids.id(tile)),
                };
                if id == 0 && symbol != border {
                    return Err(SavedChainError::Tile { band, symbol });
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
                return Err(SavedChainError::Repeated {
                    band,
                    configuration: configuration.clone(),
                });
            }
        }
        let rows = splits.rows(band, self.height).len();
        let expected = self.columns * rows as u64;
        // Cells with outside tiles are not counted.
        let fits = match set.outside().is_empty() {
            true => found == expected,
            false => found <= MOST_CELLS,
        };
        if !fits || found == 0 {
            return Err(SavedChainError::Counts {
                band,
                found,
                rows,
                columns: self.columns,
                expected,
            });
        }
        Ok(counts)
    }
}

#[cfg(test)]
mod tests;
