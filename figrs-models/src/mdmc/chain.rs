//! The chain itself: training by counting.

use std::collections::BTreeSet;

use super::{
    Corpus, Level, MdmcError, RowSplits, Structure, Tile, TileDistribution,
    grid::{Grid, TileIds},
    table::{Counts, Table},
};

/// A multi-dimensional Markov chain: for a structure and each simpler one, and for each band of
/// rows, how often each tile stood in each configuration of the training levels.
///
/// Neighbours outside a level are [`Tile::BORDER`], at the left, at the right and below alike.
///
/// # References
///
/// Snodgrass and Ontañón (2017), "Learning to Generate Video Game Maps Using Markov Models",
/// Algorithm 1.
#[derive(Clone, Debug)]
pub struct MarkovChain {
    height: usize,
    splits: RowSplits,
    ids: TileIds,
    structures: Vec<Structure>,
    /// The table of structure `s` and band `b` at `s * bands + b`.
    tables: Vec<Table>,
}

impl MarkovChain {
    /// Counts the tiles of a corpus for a structure and the simpler ones to fall back on.
    ///
    /// An error if the corpus has fewer rows than bands are asked for.
    ///
    /// # Complexity
    ///
    /// Time proportional to the cells of the corpus times the number of offsets.
    pub fn train(
        corpus: &Corpus,
        structure: &Structure,
        splits: RowSplits,
    ) -> Result<Self, MdmcError> {
        let height = corpus.height();
        let splits = splits.checked(height)?;
        let cells = corpus
            .levels()
            .iter()
            .flat_map(|level| level.as_array().iter());
        let tiles: BTreeSet<Tile> = cells.copied().collect();
        let ids = TileIds::new(tiles.into_iter().collect());
        let mut bands = vec![Counts::new(); splits.count()];
        for level in corpus.levels() {
            let grid = Grid::of(level, structure, &ids);
            for row in 0..height {
                let counts = &mut bands[splits.band(row, height)];
                for column in 0..level.width() {
                    let tiles = counts.entry(grid.key(row, column)).or_default();
                    *tiles.entry(grid.get(row, column)).or_default() += 1;
                }
            }
        }
        Ok(Self::of_counts(height, splits, ids, structure, bands))
    }

    /// The chain of what a structure was shown in each band; the counts of simpler structures are sums of these.
    pub(super) fn of_counts(
        height: usize,
        splits: RowSplits,
        ids: TileIds,
        structure: &Structure,
        mut bands: Vec<Counts>,
    ) -> Self {
        let structures: Vec<Structure> = structure.fallbacks().collect();
        let mut tables = Vec::with_capacity(structures.len() * bands.len());
        for structure in &structures {
            for counts in &mut bands {
                let length = structure.offsets().len();
                tables.push(Table::new(counts.clone(), &ids, length));
                let mut simpler = Counts::new();
                for (key, tiles) in std::mem::take(counts) {
                    let sums = simpler.entry(key / ids.base()).or_default();
                    for (id, count) in tiles {
                        *sums.entry(id).or_default() += count;
                    }
                }
                *counts = simpler;
            }
        }
        Self {
            height,
            splits,
            ids,
            structures,
            tables,
        }
    }

    /// The cells of the training levels.
    pub(super) fn cells(&self) -> u64 {
        let last = self.structures.len() - 1;
        let bands = (0..self.splits.count()).flat_map(|band| self.configurations(last, band));
        bands.map(|(_, seen)| seen.total()).sum()
    }

    /// The height of the training levels, and so of generated ones.
    pub fn height(&self) -> usize {
        self.height
    }

    /// The tiles of the training levels, in ascending order, without the border.
    pub fn tiles(&self) -> &[Tile] {
        self.ids.tiles()
    }

    /// The bands of rows.
    pub fn row_splits(&self) -> RowSplits {
        self.splits
    }

    /// The band of a row from the top.
    pub fn band(&self, row: usize) -> usize {
        self.splits.band(row, self.height)
    }

    /// The structures: the one trained for, then the simpler ones, down to no neighbours.
    pub fn structures(&self) -> &[Structure] {
        &self.structures
    }

    /// The configuration of a cell of a level: the tiles at the offsets of a structure, in order.
    ///
    /// `None` if there is no structure of this index.
    pub fn configuration_at(
        &self,
        level: &Level,
        row: usize,
        column: usize,
        structure: usize,
    ) -> Option<Vec<Tile>> {
        let (height, width) = (level.height(), level.width());
        let neighbours = self
            .structures
            .get(structure)?
            .neighbours(row, column, height, width);
        let tile = |(row, column)| level.get(row, column);
        Some(
            neighbours
                .map(|cell| cell.and_then(tile).unwrap_or(Tile::BORDER))
                .collect(),
        )
    }

    /// What stood in a configuration of a structure in a band, or `None` if it is unseen.
    pub fn distribution(
        &self,
        structure: usize,
        band: usize,
        configuration: &[Tile],
    ) -> Option<&TileDistribution> {
        Some(
            &self
                .table(structure, band)?
                .find(configuration)?
                .distribution,
        )
    }

    /// Whether training showed a configuration to a structure in a band.
    pub fn seen(&self, structure: usize, band: usize, configuration: &[Tile]) -> bool {
        self.distribution(structure, band, configuration).is_some()
    }

    /// All configurations that training showed to a structure in a band, in ascending order.
    pub fn configurations(
        &self,
        structure: usize,
        band: usize,
    ) -> impl Iterator<Item = (&[Tile], &TileDistribution)> {
        let entries = self.table(structure, band).map_or(&[][..], Table::entries);
        entries
            .iter()
            .map(|entry| (entry.configuration.as_slice(), &entry.distribution))
    }

    /// How many cells of a level have a configuration that training never showed to the first structure.
    pub fn unseen(&self, level: &Level) -> usize {
        let (height, width) = (level.height(), level.width());
        let cells = (0..height).flat_map(|row| (0..width).map(move |column| (row, column)));
        let unseen = |&(row, column): &(usize, usize)| {
            let configuration = self.configuration_at(level, row, column, 0);
            let band = self.splits.band(row, height);
            !configuration.is_some_and(|tiles| self.seen(0, band, &tiles))
        };
        cells.filter(unseen).count()
    }

    pub(super) fn ids(&self) -> &TileIds {
        &self.ids
    }

    pub(super) fn table(&self, structure: usize, band: usize) -> Option<&Table> {
        let bands = self.splits.count();
        let index = structure.checked_mul(bands)?.checked_add(band)?;
        self.tables.get(index).filter(|_| band < bands)
    }
}

#[cfg(test)]
mod tests;
