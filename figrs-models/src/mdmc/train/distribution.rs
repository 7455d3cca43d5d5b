//! Empirical distribution of tiles in one configuration.

use crate::mdmc::Tile;

/// The tiles that training showed in one configuration, with counts and probabilities.
#[derive(Clone, Debug, PartialEq)]
pub struct TileDistribution {
    counts: Vec<(Tile, u64)>,
    probabilities: Vec<(Tile, f64)>,
    total: u64,
}

impl TileDistribution {
    /// Expects distinct tiles in ascending order with positive counts.
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

    /// The tiles seen, in ascending order, with their counts.
    pub fn counts(&self) -> &[(Tile, u64)] {
        &self.counts
    }

    /// Additive smoothing: adds a number to the count of each of some tiles, for the probabilities. The tiles are in
    /// ascending order and include all that were seen.
    pub(in crate::mdmc) fn smooth(&mut self, tiles: &[Tile], added: f64) {
        let total = self.total as f64 + added * tiles.len() as f64;
        let share = |&tile: &Tile| (tile, (self.count(tile) as f64 + added) / total);
        self.probabilities = tiles.iter().map(share).collect();
    }

    /// Count of a tile; zero if it was never seen here.
    pub fn count(&self, tile: Tile) -> u64 {
        let found = self.counts.binary_search_by_key(&tile, |&(seen, _)| seen);
        found.map_or(0, |index| self.counts[index].1)
    }

    /// The tiles that can be drawn, in ascending order, with probabilities that sum to 1: those seen, or with
    /// [smoothing](crate::mdmc::MarkovChain::smoothed) all that were seen in the band.
    pub fn probabilities(&self) -> &[(Tile, f64)] {
        &self.probabilities
    }

    /// Total count: the number of cells with this configuration.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The probability of a tile; without smoothing zero if it was never seen here.
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
