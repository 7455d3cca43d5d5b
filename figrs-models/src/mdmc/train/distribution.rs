//! Empirical distribution of tiles in one configuration.

use crate::mdmc::Tile;

/// The tiles that occurred in one configuration in training, with their counts and probabilities.
#[derive(Clone, Debug, PartialEq)]
pub struct TileDistribution {
    counts: Vec<(Tile, u64)>,
    probabilities: Vec<(Tile, f64)>,
    total: u64,
}

impl TileDistribution {
    /// Creates the distribution from the positive counts of distinct tiles in ascending order.
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

    /// Returns the tiles that occurred, in ascending order, with their counts.
    pub fn counts(&self) -> &[(Tile, u64)] {
        &self.counts
    }

    /// Applies additive smoothing to the probabilities: adds `added` to the count of each of `tiles`. The tiles must be in ascending order and
    /// include all tiles that occurred.
    pub(in crate::mdmc) fn smooth(&mut self, tiles: &[Tile], added: f64) {
        let total = self.total as f64 + added * tiles.len() as f64;
        let share = |&tile: &Tile| (tile, (self.count(tile) as f64 + added) / total);
        self.probabilities = tiles.iter().map(share).collect();
    }

    /// Returns the count of `tile`; zero if it never occurred in this configuration.
    pub fn count(&self, tile: Tile) -> u64 {
        let found = self.counts.binary_search_by_key(&tile, |&(seen, _)| seen);
        found.map_or(0, |index| self.counts[index].1)
    }

    /// Returns the tiles that can be drawn, in ascending order, with probabilities that sum to 1: the tiles that occurred or, with
    /// [smoothing](crate::mdmc::MarkovChain::smoothed), all tiles that occurred in the band of rows.
    pub fn probabilities(&self) -> &[(Tile, f64)] {
        &self.probabilities
    }

    /// Returns the total count: the number of cells with this configuration.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Returns the probability of `tile`; without smoothing, zero if it never occurred in this configuration.
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
