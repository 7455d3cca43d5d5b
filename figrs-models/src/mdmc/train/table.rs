//! The counts of tiles in one band of rows, and their empirical distributions, for each configuration (of neighbouring tiles) of one network
//! structure.

use std::collections::BTreeMap;

use crate::mdmc::Tile;
use crate::mdmc::level::grid::TileIds;

/// Counts of tiles in training; the first key is the number of the configuration of neighbouring tiles, the second key the number of the tile.
pub(in crate::mdmc) type Counts = BTreeMap<u64, BTreeMap<u8, u64>>;

/// If a table of tile counts has fewer possible keys than this number, it finds counts by direct index, provided that enough keys have counts.
const DIRECT_KEYS: u64 = 1 << 16;
/// A table uses a direct index up to this ratio of possible keys to keys with counts; above it, the table uses binary search. At a ratio above
/// `KEYS_OF_ENTRY`, a binary search is as quick as a direct index.
const KEYS_OF_ENTRY: u64 = 1 << 8;

#[derive(Clone, Debug)]
pub(in crate::mdmc) struct ConfigurationEntry {
    pub(in crate::mdmc) configuration: Vec<Tile>,
    pub(in crate::mdmc) distribution: TileDistribution,
    /// The numbers of the tiles that can be drawn, each with the tile's count after smoothing.
    pub(in crate::mdmc) weights: Vec<(u8, f64)>,
    pub(in crate::mdmc) mass: f64,
}

/// The counts of tiles for all configurations (combinations of neighbouring tiles) that occurred in training, in ascending order of the
/// configurations.
#[derive(Clone, Debug)]
pub(in crate::mdmc) struct ConfigurationTable {
    entries: Vec<ConfigurationEntry>,
    keys: Vec<u64>,
    /// For each possible key of a configuration, zero or the index of its entry plus one; empty if the table uses no direct index.
    direct: Vec<u32>,
}

impl ConfigurationTable {
    pub(in crate::mdmc) fn new(counts: Counts, ids: &TileIds, length: usize) -> Self {
        let keys: Vec<u64> = counts.keys().copied().collect();
        let all = (0..length).try_fold(1, |all: u64, _| all.checked_mul(ids.base()));
        let mut direct = Vec::new();
        if let Some(all) =
            all.filter(|&all| all <= DIRECT_KEYS.min(keys.len() as u64 * KEYS_OF_ENTRY))
        {
            direct = vec![0; all as usize];
            for (index, &key) in (1..).zip(&keys) {
                direct[key as usize] = index;
            }
        }
        let entry = |(key, tiles): (u64, BTreeMap<u8, u64>)| ConfigurationEntry {
            configuration: decode(key, ids, length),
            distribution: TileDistribution::new(
                tiles
                    .iter()
                    .map(|(&id, &count)| (ids.tile(id), count))
                    .collect(),
            ),
            mass: tiles.values().map(|&count| count as f64).sum(),
            weights: tiles
                .into_iter()
                .map(|(id, count)| (id, count as f64))
                .collect(),
        };
        Self {
            entries: counts.into_iter().map(entry).collect(),
            keys,
            direct,
        }
    }

    /// For every configuration of neighbouring tiles, adds `added` to the count of each tile of `tiles`, which must include all tiles that occurred
    /// in training. If `added` is zero, only tiles that occurred in training with a configuration can be drawn for it.
    pub(in crate::mdmc) fn smooth(&mut self, tiles: &[Tile], ids: &TileIds, added: f64) {
        for entry in &mut self.entries {
            let seen = entry.distribution.counts().iter().map(|&(tile, _)| tile);
            let seen: Vec<Tile> = seen.collect();
            let tiles = if added > 0.0 { tiles } else { &seen };
            entry.distribution.smooth(tiles, added);
            let count = |tile| entry.distribution.count(tile) as f64;
            let weight = |&tile: &Tile| (ids.id(tile), count(tile) + added);
            entry.weights = tiles.iter().map(weight).collect();
            entry.mass = entry.weights.iter().map(|(_, weight)| weight).sum();
        }
    }

    pub(in crate::mdmc) fn entries(&self) -> &[ConfigurationEntry] {
        &self.entries
    }

    pub(in crate::mdmc) fn find(&self, configuration: &[Tile]) -> Option<&ConfigurationEntry> {
        let found = self
            .entries
            .binary_search_by(|entry| entry.configuration.as_slice().cmp(configuration));
        found.ok().map(|index| &self.entries[index])
    }

    pub(in crate::mdmc) fn by_key(&self, key: u64) -> Option<&ConfigurationEntry> {
        if self.direct.is_empty() {
            return self
                .keys
                .binary_search(&key)
                .ok()
                .map(|index| &self.entries[index]);
        }
        let index = self.direct.get(key as usize).copied()?.checked_sub(1)?;
        self.entries.get(index as usize)
    }
}

/// Returns the configuration of neighbouring tiles with the key `key`: each digit of the key is the number of a tile, and the last digit belongs to
/// the last tile.
fn decode(mut key: u64, ids: &TileIds, length: usize) -> Vec<Tile> {
    let mut tiles = vec![Tile::BORDER; length];
    for tile in tiles.iter_mut().rev() {
        *tile = ids.tile((key % ids.base()) as u8);
        key /= ids.base();
    }
    tiles
}

/// The tiles that occurred in training with one configuration of neighbouring tiles, with their counts and probabilities.
#[derive(Clone, Debug, PartialEq)]
pub struct TileDistribution {
    counts: Vec<(Tile, u64)>,
    probabilities: Vec<(Tile, f64)>,
    total: u64,
}

impl TileDistribution {
    /// Creates the distribution of a tile from the counts of tiles; the tiles are distinct and in ascending order, and the counts are positive.
    pub(in crate::mdmc) fn new(counts: Vec<(Tile, u64)>) -> Self {
        let total = counts.iter().map(|&(_, count)| count).sum();
        let probabilities = counts
            .iter()
            .map(|&(tile, count)| (tile, count as f64 / total as f64))
            .collect();
        Self {
            counts,
            probabilities,
            total,
        }
    }

    /// Returns the tiles that occurred in training with the configuration, in ascending order, with their counts.
    pub fn counts(&self) -> &[(Tile, u64)] {
        &self.counts
    }

    /// Applies additive smoothing to the probabilities of tiles: adds `added` to the count of each tile of `tiles`. The tiles must be in ascending
    /// order, and include all tiles that occurred in training with the configuration.
    pub(in crate::mdmc) fn smooth(&mut self, tiles: &[Tile], added: f64) {
        let total = self.total as f64 + added * tiles.len() as f64;
        let share = |&tile: &Tile| (tile, (self.count(tile) as f64 + added) / total);
        self.probabilities = tiles.iter().map(share).collect();
    }

    /// Returns the count of the tile `tile`; zero if it never occurred in training with the configuration.
    pub fn count(&self, tile: Tile) -> u64 {
        let found = self.counts.binary_search_by_key(&tile, |&(seen, _)| seen);
        found.map_or(0, |index| self.counts[index].1)
    }

    /// Returns the tiles that can be drawn, in ascending order, with probabilities that sum to 1: the tiles that occurred with the configuration or,
    /// with [smoothing](crate::mdmc::MarkovChain::smoothed), all tiles that occurred in the band of rows.
    pub fn probabilities(&self) -> &[(Tile, f64)] {
        &self.probabilities
    }

    /// Returns the sum of all counts: the number of cells with this configuration of neighbouring tiles in training.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Returns the probability of the tile `tile`; without smoothing, zero if it never occurred in training with the configuration.
    pub fn probability(&self, tile: Tile) -> f64 {
        let found = self
            .probabilities
            .binary_search_by_key(&tile, |&(seen, _)| seen);
        found.map_or(0.0, |index| self.probabilities[index].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn every_third(length: usize) -> (ConfigurationTable, TileIds) {
        let ids = TileIds::new(vec![Tile::EMPTY, Tile::GROUND]);
        let keys = (0..3_u64.pow(length as u32)).step_by(3);
        (
            ConfigurationTable::new(
                keys.map(|key| (key, BTreeMap::from([(1, 1)]))).collect(),
                &ids,
                length,
            ),
            ids,
        )
    }

    #[test]
    fn entries_are_found_by_tiles_and_by_key_with_and_without_the_direct_index() {
        for (length, direct) in [(0, true), (2, true), (11, false)] {
            let (table, ids) = every_third(length);
            assert_eq!(table.direct.is_empty(), !direct);
            for key in 0..3_u64.pow(length as u32).min(2000) {
                let tiles = decode(key, &ids, length);
                assert_eq!(table.find(&tiles).is_some(), key % 3 == 0);
                let found = table.by_key(key).map(|entry| entry.configuration.clone());
                assert_eq!(found, (key % 3 == 0).then_some(tiles));
            }
        }
    }

    #[test]
    fn entries_are_sorted_by_configuration() {
        let (table, _) = every_third(4);
        assert!(
            table
                .entries()
                .is_sorted_by_key(|entry| &entry.configuration)
        );
    }

    #[test]
    fn probabilities_are_normalised_counts() {
        let distribution = TileDistribution::new(vec![(Tile::EMPTY, 3), (Tile::GROUND, 1)]);
        assert_eq!(distribution.total(), 4);
        assert_eq!(
            distribution.probabilities(),
            [(Tile::EMPTY, 0.75), (Tile::GROUND, 0.25)]
        );
        assert_eq!(distribution.probability(Tile::GROUND), 0.25);
        assert_eq!(distribution.probability(Tile::BORDER), 0.0);
    }

    #[test]
    fn smoothing_adds_to_every_count() {
        let mut distribution = TileDistribution::new(vec![(Tile::EMPTY, 3), (Tile::GROUND, 1)]);
        let enemy = Tile::platformer('E').unwrap();
        let mut tiles = [Tile::EMPTY, Tile::GROUND, enemy];
        tiles.sort_unstable();
        distribution.smooth(&tiles, 0.5);
        assert_eq!((distribution.total(), distribution.counts().len()), (4, 2));
        assert_eq!(distribution.probability(Tile::EMPTY), 3.5 / 5.5);
        assert_eq!(distribution.probability(enemy), 0.5 / 5.5);
    }
}
