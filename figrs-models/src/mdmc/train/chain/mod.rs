//! Trains multi-dimensional Markov chains of tiles by counting how often each tile follows its neighbours.

use figrs_reading::{Mistake, MistakeKind};
use std::sync::Arc;

use super::table::{ConfigurationTable, Counts};
use crate::mdmc::level::grid::{TileGrid, TileIds};
use crate::mdmc::{
    Corpus, Level, Meaning, RowSplits, Structure, Structures, Tile, TileDistribution, TileSet,
    Travel,
};

/// A multi-dimensional Markov chain: how often each tile occurred in training with each configuration (tiles of its neighbours), for a network
/// structure (set of neighbours) and each of its fallbacks, and separately for each band of rows.
///
/// Outside a level (at the left, at the right and below), all neighbours have the tile [`Tile::BORDER`]; [outside](Meaning::Outside) tiles inside a
/// level are treated as the border too.
///
/// # References
///
/// Training of the Markov chain is Algorithm 1 of Snodgrass and Ontañón (2017), "Learning to Generate Video Game Maps Using Markov Models".
#[derive(Clone, Debug)]
pub struct MarkovChain {
    height: usize,
    tile_set: Arc<TileSet>,
    travel: Travel,
    splits: RowSplits,
    ids: TileIds,
    structures: Structures,
    /// For each network structure, the places of its neighbours in the list of the first structure's neighbours.
    places: Vec<Vec<usize>>,
    /// The tables of tile counts; the table for the network structure `s` and the band `b` of rows has the index `s * bands + b`.
    tables: Vec<ConfigurationTable>,
    smoothing: f64,
}

/// Returns the error that training levels have only outside tiles in a band of rows, in a kind of columns or in a style.
pub(in crate::mdmc) fn only_outside() -> Mistake {
    Mistake::new(
        MistakeKind::Missing,
        "a band of rows, a kind of columns or all columns have only tiles that are outside",
        "use fewer bands, or the Markov chain",
    )
    .with_setting("row_splits")
}

impl MarkovChain {
    /// Largest number that [`smoothed`](Self::smoothed) can add to the counts of tiles.
    pub const MAX_SMOOTHING: f64 = 1e6;

    /// Maximum number of configurations of neighbouring tiles over all bands of rows, network structures and kinds of columns; this number of
    /// configurations takes some hundreds of megabytes.
    pub const MAX_CONFIGURATIONS: usize = 1 << 20;

    /// Trains a Markov chain by counting the tiles of the levels of `corpus` for a list of network structures, or for one structure and its fallbacks
    /// with fewer neighbours.
    ///
    /// **Errors.** An error if the training levels have fewer rows than there are bands of rows, a band has only [outside](Meaning::Outside) tiles,
    /// or there would be more than [`MAX_CONFIGURATIONS`](Self::MAX_CONFIGURATIONS) configurations.
    ///
    /// # Complexity
    ///
    /// The time of training is proportional to the number of cells of the training levels times the number of neighbours of a cell.
    pub fn train(
        corpus: &Corpus,
        structures: impl Into<Structures>,
        splits: RowSplits,
    ) -> Result<Self, Mistake> {
        let mut chains = Self::of_kinds(corpus, structures, splits, (1, |_, _| 0))?;
        Ok(chains.remove(0))
    }

    /// Trains a Markov chain of tiles for each kind of columns, on the columns of this kind. The function `kind` returns the kind of a column, given
    /// the indices of the level and of the column.
    ///
    /// **Errors.** The errors of the function [`MarkovChain::train`].
    pub(in crate::mdmc) fn of_kinds(
        corpus: &Corpus,
        structures: impl Into<Structures>,
        splits: RowSplits,
        (kinds, kind): (usize, impl Fn(usize, usize) -> usize),
    ) -> Result<Vec<Self>, Mistake> {
        let structures = structures.into();
        let height = corpus.height();
        let splits = splits.checked(height)?;
        let ids = TileIds::new(corpus.tiles_in_use());
        let too_many = || {
            let (most, bands) = (Self::MAX_CONFIGURATIONS, splits.count());
            let problem = format!(
                "there are more than {most} configurations of tiles in {bands} bands of {height} rows"
            );
            let remedy = "use fewer bands of rows, or cut the levels to fewer rows";
            Mistake::new(MistakeKind::TooLarge, problem, remedy).with_setting("row_splits")
        };
        // Each structure has at least one configuration in each band, and at most as many configurations as the first structure.
        let most = Self::MAX_CONFIGURATIONS / structures.places().len().max(1);
        if splits.count().saturating_mul(kinds) > most {
            return Err(too_many());
        }
        let mut known = 0;
        let mut counts = vec![vec![Counts::new(); splits.count()]; kinds];
        for (number, (level, weight)) in corpus.counted_levels().enumerate() {
            let grid = TileGrid::of(level, structures.first(), &ids);
            for column in 0..level.width() {
                let bands = &mut counts[kind(number, column)];
                for row in 0..height {
                    // Outside tiles have the number of the border.
                    if grid.get(row, column) == 0 {
                        continue;
                    }
                    let counts = &mut bands[splits.band(row, height)];
                    let before = counts.len();
                    let tiles = counts.entry(grid.key(row, column)).or_default();
                    *tiles.entry(grid.get(row, column)).or_default() += weight;
                    known += counts.len() - before;
                    if known > most {
                        return Err(too_many());
                    }
                }
            }
        }
        let has_outside = !corpus.tiles().outside().is_empty();
        if has_outside && counts.iter().flatten().any(Counts::is_empty) {
            return Err(only_outside());
        }
        let chain = |bands| {
            let (ids, structures) = (ids.clone(), structures.clone());
            let chain = Self::of_counts(height, splits, ids, structures, bands);
            chain.of_corpus(corpus.tiles(), corpus.travel())
        };
        Ok(counts.into_iter().map(chain).collect())
    }

    /// Creates the Markov chain from the tile counts for the first network structure; the counts for a structure with fewer neighbours are sums of
    /// these counts.
    pub(in crate::mdmc) fn of_counts(
        height: usize,
        splits: RowSplits,
        ids: TileIds,
        structures: Structures,
        bands: Vec<Counts>,
    ) -> Self {
        let mut chain = Self {
            height,
            tile_set: Arc::clone(TileSet::platformer()),
            travel: Travel::Right,
            splits,
            ids,
            places: structures.places(),
            structures,
            tables: Vec::new(),
            smoothing: 0.0,
        };
        for structure in 0..chain.places.len() {
            for counts in &bands {
                let mut own = Counts::new();
                for (&key, tiles) in counts {
                    let sums = own.entry(chain.part_of_key(structure, key)).or_default();
                    for (&id, count) in tiles {
                        *sums.entry(id).or_default() += count;
                    }
                }
                let length = chain.places[structure].len();
                chain
                    .tables
                    .push(ConfigurationTable::new(own, &chain.ids, length));
            }
        }
        chain
    }

    pub(in crate::mdmc) fn of_corpus(mut self, tiles: &Arc<TileSet>, travel: Travel) -> Self {
        self.tile_set = Arc::clone(tiles);
        self.travel = travel;
        self
    }

    /// For each configuration that occurred in training, adds `added` to the count of every tile that occurs in the band of rows (additive
    /// smoothing). Because of smoothing, tiles that never occurred with a configuration of neighbouring tiles become possible. Smoothing by zero
    /// removes earlier smoothing of the Markov chain.
    ///
    /// Smoothing does not change which configurations count as seen in training, and levels drawn from a smoothed Markov chain have more unseen
    /// configurations.
    ///
    /// **Errors.** [`MistakeKind::Value`] unless `added` is from 0 to the maximum [`MAX_SMOOTHING`](Self::MAX_SMOOTHING).
    ///
    /// **References.** Chen and Goodman (1999), "An empirical study of smoothing techniques for language modeling", Computer Speech and
    /// Language 13, on additive smoothing.
    pub fn smoothed(mut self, added: f64) -> Result<Self, Mistake> {
        if !(0.0..=Self::MAX_SMOOTHING).contains(&added) {
            return Err(Mistake::value(
                format!("smoothing {added} cannot be added to counts"),
                format!("use a number from 0 to {}", Self::MAX_SMOOTHING),
            ));
        }
        let bands = self.splits.count();
        let last = self.tables.len() - bands;
        for band in 0..bands {
            let anywhere = self.tables[last + band].entries().first();
            let tiles = anywhere.map_or(&[][..], |entry| entry.distribution.counts());
            let tiles: Vec<Tile> = tiles.iter().map(|&(tile, _)| tile).collect();
            for table in self.tables.iter_mut().skip(band).step_by(bands) {
                table.smooth(&tiles, &self.ids, added);
            }
        }
        self.smoothing = added;
        Ok(self)
    }

    /// Returns the number that smoothing adds to the counts of tiles.
    pub fn smoothing(&self) -> f64 {
        self.smoothing
    }

    /// Returns the key (a number) of a cell's configuration in the network structure `structure`, given the key of the cell's configuration in the
    /// first structure.
    pub(in crate::mdmc) fn part_of_key(&self, structure: usize, key: u64) -> u64 {
        let (base, all) = (self.ids.base(), self.places[0].len());
        let digit = |&place: &usize| key / base.pow((all - 1 - place) as u32) % base;
        let places = self.places[structure].iter();
        places.fold(0, |part, place| part * base + digit(place))
    }

    /// Returns the tiles of the neighbours in the network structure `structure`, given the tiles `configuration` of the neighbours in the first
    /// structure; `None` if no structure has this index or `configuration` has too few tiles.
    pub(in crate::mdmc) fn part_of(
        &self,
        structure: usize,
        configuration: &[Tile],
    ) -> Option<Vec<Tile>> {
        let places = self.places.get(structure)?.iter();
        places
            .map(|&place| configuration.get(place).copied())
            .collect()
    }

    pub(in crate::mdmc) fn cells(&self) -> u64 {
        let last = self.places.len() - 1;
        let bands = (0..self.splits.count()).flat_map(|band| self.configurations(last, band));
        bands.map(|(_, seen)| seen.total()).sum()
    }

    /// Returns the height of the training levels, which is also that of generated levels.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Returns the set of tiles of the levels on which the Markov chain was trained.
    pub fn tile_set(&self) -> &Arc<TileSet> {
        &self.tile_set
    }

    /// Returns the direction in which levels of the Markov chain are played; [`Travel::upright`] turns them to the player's view.
    pub fn travel(&self) -> Travel {
        self.travel
    }

    /// Returns the tiles that occur in the training levels, in ascending order, without the border.
    pub fn tiles(&self) -> &[Tile] {
        self.ids.tiles()
    }

    /// Returns the division of levels into bands of rows, which are trained separately.
    pub fn row_splits(&self) -> RowSplits {
        self.splits
    }

    /// Returns the index of the band of rows that contains `row`; the top row has the index 0.
    pub fn band(&self, row: usize) -> usize {
        self.splits.band(row, self.height)
    }

    /// Returns the network structures of the Markov chain: the first one, then its fallbacks, of which the last has no neighbours.
    pub fn structures(&self) -> &[Structure] {
        self.structures.as_slice()
    }

    /// Returns the list of network structures, which can be written and read as text, such as `ns3,ns2`.
    pub fn structure_list(&self) -> &Structures {
        &self.structures
    }

    /// Returns the configuration of a cell of `level`: the tiles of its neighbours in the network structure `structure`, in the order of the
    /// structure.
    ///
    /// Returns `None` if the Markov chain has no network structure with the index `structure`.
    pub fn configuration_at(
        &self,
        level: &Level,
        row: usize,
        column: usize,
        structure: usize,
    ) -> Option<Vec<Tile>> {
        let (height, width) = (level.height(), level.width());
        let neighbours = self
            .structures()
            .get(structure)?
            .neighbours(row, column, height, width);
        let tile = |(row, column)| level.get(row, column);
        Some(
            neighbours
                .map(|cell| cell.and_then(tile).unwrap_or(Tile::BORDER))
                .collect(),
        )
    }

    /// Returns the distribution of a tile in the band `band` of rows, given the tiles of its neighbours in the network structure `structure`; `None` if
    /// these tiles never occurred together in training.
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

    /// True if the neighbours in the network structure `structure` had the tiles `configuration` in training, in the band `band` of rows.
    pub fn seen(&self, structure: usize, band: usize, configuration: &[Tile]) -> bool {
        self.distribution(structure, band, configuration).is_some()
    }

    /// Returns all configurations that the neighbours in the network structure `structure` had in training, in the band `band` of rows, in ascending
    /// order.
    pub fn configurations(
        &self,
        structure: usize,
        band: usize,
    ) -> impl Iterator<Item = (&[Tile], &TileDistribution)> {
        let entries = self
            .table(structure, band)
            .map_or(&[][..], ConfigurationTable::entries);
        entries
            .iter()
            .map(|entry| (entry.configuration.as_slice(), &entry.distribution))
    }

    /// Returns the number of cells of `level` whose neighbours in the first network structure have tiles that never occurred together in training.
    pub fn unseen(&self, level: &Level) -> usize {
        self.tiles_by_structure(level)[1..].iter().sum()
    }

    /// Returns, for each network structure, the number of cells of `level` for which it is the first structure whose neighbours have tiles that
    /// occurred together in training. The number for the last structure also includes the cells for which the neighbours' tiles in no structure
    /// occurred together in training. Cells whose tiles mean "outside the level" are not counted.
    pub(in crate::mdmc) fn tiles_by_structure(&self, level: &Level) -> Vec<usize> {
        let height = level.height();
        let mut counts = vec![0; self.places.len()];
        let known =
            |tile: &Tile| self.tiles().binary_search(tile).is_ok() || tile.is(Meaning::Outside);
        // A key has no digit for a tile that never occurred in training.
        let grid = level.as_array().iter().all(known);
        let grid = grid.then(|| TileGrid::of(level, self.structures.first(), &self.ids));
        for row in 0..height {
            let band = self.splits.band(row, height);
            for column in 0..level.width() {
                let tile = level.get(row, column);
                if tile.is_some_and(|tile| tile.is(Meaning::Outside)) {
                    continue;
                }
                let structure = if let Some(grid) = &grid {
                    self.first_seen_key(band, grid.key(row, column))
                } else {
                    let tiles = self.configuration_at(level, row, column, 0);
                    self.first_seen(band, &tiles.unwrap_or_default())
                };
                counts[structure] += 1;
            }
        }
        counts
    }

    fn first_seen_key(&self, band: usize, key: u64) -> usize {
        let last = self.places.len() - 1;
        let shown = |&structure: &usize| {
            let table = self.table(structure, band);
            table.is_some_and(|table| table.by_key(self.part_of_key(structure, key)).is_some())
        };
        (0..last).find(shown).unwrap_or(last)
    }

    pub(in crate::mdmc) fn ids(&self) -> &TileIds {
        &self.ids
    }

    pub(in crate::mdmc) fn table(
        &self,
        structure: usize,
        band: usize,
    ) -> Option<&ConfigurationTable> {
        let bands = self.splits.count();
        let index = structure.checked_mul(bands)?.checked_add(band)?;
        self.tables.get(index).filter(|_| band < bands)
    }
}

#[cfg(test)]
mod tests;
