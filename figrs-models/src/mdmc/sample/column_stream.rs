//! Endless levels that are drawn column by column, while a game runs.

use std::collections::VecDeque;

use ndarray::Array2;
use rand::Rng;

use super::line::{Line, LookAhead};
use crate::mdmc::train::table::ConfigurationEntry;
use crate::mdmc::{Level, LookAheadSampler, MarkovChain, SamplingError, Tile};

/// Draws the columns of a level one after another without end, each from the bottom up, for use while a game runs.
///
/// The column stream accepts a tile only if the next few cells *above* it in its column can be filled without an unseen configuration (a combination
/// of neighbouring tiles that never occurred in training). A rejected tile is removed from its distribution; if no tile is left, the column stream
/// tries network structures with fewer neighbours and a shorter look-ahead, as [`LookAheadSampler`] does.
///
/// # Guarantee
///
/// A column of the stream never changes after it has been returned, and the memory of the stream does not grow. Without look-ahead (look-ahead 0),
/// the columns of a stream have the same distribution as the columns of levels of a [`LookAheadSampler`] with look-ahead 0. If the look-ahead equals
/// the number of rows, a column has an unseen configuration (of neighbouring tiles) only if every filling of the column, given the earlier columns,
/// has one. A network structure with neighbours to the right is an error, because the stream draws one column after another, from the left.
///
/// # Complexity
///
/// The time per column of a stream is at most height × look-ahead² × tiles² × windows, as for [`LookAheadSampler`]; in practice it is close to height
/// × look-ahead.
///
/// # Errors
///
/// The error is [`SamplingError::LookAhead`] if the look-ahead exceeds [`LookAheadSampler::MAX_DEPTH`], and [`SamplingError::RightOffset`] if the
/// network structure has a neighbour to the right.
///
/// # Example
///
/// ```
/// use figrs_models::mdmc::{ColumnStream, Corpus, MarkovChain, RowSplits, Structure};
///
/// let chain = MarkovChain::train(&Corpus::shipped(), &Structure::NS3, RowSplits::NONE)?;
/// let columns = ColumnStream::new(&chain, 14, figrs_core::stream(7, 0))?;
/// assert!(columns.take(500).all(|column| column.len() == 14));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ColumnStream<'a, R> {
    column: Column<'a>,
    look_ahead: LookAhead,
    depth: usize,
    rng: R,
    unseen: usize,
}

/// The column that the stream fills from the bottom up, with the columns before it.
#[derive(Debug)]
struct Column<'a> {
    chain: &'a MarkovChain,
    /// The columns to the left on which tiles of the present column depend, the nearest one last; each column has the numbers of its tiles, from top
    /// to bottom.
    past: VecDeque<Vec<u8>>,
    /// Number of columns to the left on which tiles of the present column depend.
    reach: usize,
    ids: Vec<u8>,
    /// Number of cells below a cell, in the same column, on whose tiles the cell's tile may depend.
    window: usize,
}

impl Column<'_> {
    fn row(&self, place: usize) -> usize {
        self.ids.len() - 1 - place
    }

    /// Returns the number of the tile in the row `row` of the column that is `left` columns to the left of the present one; 0 for the border of the
    /// level.
    fn id(&self, row: usize, left: usize) -> u8 {
        let column = match left {
            0 => Some(&self.ids),
            left => self
                .past
                .len()
                .checked_sub(left)
                .map(|index| &self.past[index]),
        };
        column
            .and_then(|column| column.get(row))
            .copied()
            .unwrap_or(0)
    }
}

impl<'a> Line<'a> for Column<'a> {
    fn chain(&self) -> &'a MarkovChain {
        self.chain
    }

    fn length(&self) -> usize {
        self.ids.len()
    }

    fn key(&self, place: usize) -> u64 {
        let (row, base) = (self.row(place), self.chain.ids().base());
        let offsets = self.chain.structures()[0].offsets().iter();
        offsets.fold(0, |key, offset| {
            let id = self.id(row + offset.dy as usize, offset.dx.unsigned_abs() as usize);
            key * base + u64::from(id)
        })
    }

    fn entry(&self, place: usize, structure: usize, key: u64) -> Option<&'a ConfigurationEntry> {
        let band = self.chain.band(self.row(place));
        self.chain.table(structure, band)?.by_key(key)
    }

    fn window(&self, place: usize) -> u128 {
        let row = self.row(place);
        let seen = (1..=self.window).map(|up| self.id(row + up, 0));
        seen.fold(0, |key, id| key << 8 | u128::from(id))
    }

    fn set(&mut self, place: usize, id: u8) {
        let row = self.row(place);
        self.ids[row] = id;
    }
}

impl<'a, R: Rng> ColumnStream<'a, R> {
    /// Creates a stream of columns that starts at the left border of a level and looks `depth` cells ahead.
    ///
    /// **Errors.** [`SamplingError::LookAhead`] if `depth` is too large; [`SamplingError::RightOffset`] if the network structure has a neighbour to
    /// the right.
    pub fn new(chain: &'a MarkovChain, depth: usize, rng: R) -> Result<Self, SamplingError> {
        if depth > LookAheadSampler::MAX_DEPTH {
            return Err(SamplingError::LookAhead {
                depth,
                max: LookAheadSampler::MAX_DEPTH,
            });
        }
        let offsets = chain.structures()[0].offsets();
        if let Some(offset) = offsets.iter().find(|offset| offset.dx > 0) {
            return Err(SamplingError::RightOffset {
                dx: offset.dx,
                dy: offset.dy,
            });
        }
        let own = offsets.iter().filter(|offset| offset.dx == 0);
        let left = offsets.iter().map(|offset| offset.dx.unsigned_abs());
        Ok(Self {
            column: Column {
                chain,
                past: VecDeque::new(),
                reach: left.max().unwrap_or(0) as usize,
                ids: vec![0; chain.height()],
                window: own.map(|offset| offset.dy).fold(0, i32::max) as usize,
            },
            look_ahead: LookAhead::default(),
            depth,
            rng,
            unseen: 0,
        })
    }

    /// Returns the next `width` columns of the stream as a level.
    ///
    /// **Errors.** [`SamplingError::Width`] if `width` is 0 or exceeds [`LookAheadSampler::MAX_WIDTH`].
    pub fn level(&mut self, width: usize) -> Result<Level, SamplingError> {
        let height = self.column.ids.len();
        LookAheadSampler::check_width(height, width)?;
        let mut tiles = Array2::from_elem((height, width), Tile::EMPTY);
        for (mut column, drawn) in tiles.columns_mut().into_iter().zip(self) {
            for (tile, drawn) in column.iter_mut().zip(drawn) {
                *tile = drawn;
            }
        }
        Ok(Level::from_tiles(tiles))
    }

    /// Returns the number of cells drawn so far for which the neighbours in the first network structure have tiles that never occurred together in
    /// training.
    pub fn unseen(&self) -> usize {
        self.unseen
    }
}

/// Returns the tiles of the next column, from top to bottom; the sequence of columns never ends.
impl<R: Rng> Iterator for ColumnStream<'_, R> {
    type Item = Vec<Tile>;

    fn next(&mut self) -> Option<Vec<Tile>> {
        self.look_ahead.start();
        let column = &mut self.column;
        for place in 0..column.length() {
            let placed = (self.look_ahead).place(column, place, self.depth, &mut self.rng);
            self.unseen += usize::from(placed.is_some_and(|placed| placed.known > 0));
        }
        let tiles = column.ids.iter().map(|&id| column.chain.ids().tile(id));
        let tiles = tiles.collect();
        column.past.push_back(column.ids.clone());
        if column.past.len() > column.reach {
            column.past.pop_front();
        }
        Some(tiles)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::mdmc::small_corpora::chain;
    use crate::mdmc::{Corpus, Offset, RowSplits, Structure};

    #[test]
    fn without_look_ahead_levels_have_the_probability_of_the_chain() {
        let texts = ["-X\nXX", "--\nX-", "XX\n-X", "X-\n--"];
        let chain = chain(&texts, &Structure::NS3);
        let draws: u32 = 20_000;
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        for part in 0..draws {
            let mut stream =
                ColumnStream::new(&chain, 0, figrs_core::stream(1, part.into())).unwrap();
            *counts
                .entry(stream.level(2).unwrap().to_string())
                .or_default() += 1;
        }
        let mut total = 0.0;
        for code in 0..16 {
            let tiles = Array2::from_shape_fn((2, 2), |(row, column)| {
                if code >> (2 * row + column) & 1 == 1 {
                    Tile::GROUND
                } else {
                    Tile::EMPTY
                }
            });
            let level = Level::from_array(tiles).unwrap();
            let cells = [(0, 0), (0, 1), (1, 0), (1, 1)].into_iter();
            let p: f64 = cells
                .map(|(row, column)| {
                    let tiles = chain.configuration_at(&level, row, column, 0).unwrap();
                    let tile = level.get(row, column).unwrap();
                    chain.row(0, &tiles, 0).unwrap().probability(tile)
                })
                .product();
            let share =
                f64::from(counts.get(&level.to_string()).copied().unwrap_or(0)) / f64::from(draws);
            // The tolerance is five standard deviations: each of the sixteen comparisons raises a false alarm for one in 1.7 million seeds.
            let tolerance = 5.0 * (p * (1.0 - p) / f64::from(draws)).sqrt();
            assert!((share - p).abs() <= tolerance, "{level}: {share} for {p}");
            total += p;
        }
        assert!((total - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_full_look_ahead_leaves_only_columns_that_cannot_be_filled() {
        let chain =
            MarkovChain::train(&Corpus::shipped(), &Structure::NS3, RowSplits::NONE).unwrap();
        let mut unseen = [0, 0];
        for (unseen, depth) in unseen.iter_mut().zip([0, 14]) {
            let mut stream = ColumnStream::new(&chain, depth, figrs_core::stream(2, 0)).unwrap();
            let level = stream.level(2000).unwrap();
            *unseen = stream.unseen();
            assert_eq!(*unseen, chain.unseen(&level));
        }
        assert!(unseen[1] * 10 < unseen[0], "{unseen:?}");
    }

    #[test]
    fn a_tile_under_which_nothing_fits_is_not_drawn() {
        // In training no tile occurs above S.
        let chain = chain(&["-\nX", "S\n-"], &Structure::new([Offset::BELOW]).unwrap());
        let columns = |depth| {
            ColumnStream::new(&chain, depth, figrs_core::stream(3, 0))
                .unwrap()
                .take(400)
        };
        assert!(columns(1).all(|column| column[1] != Tile::platformer('S').unwrap()));
        assert!(columns(0).any(|column| column == [Tile::EMPTY, Tile::GROUND]));
    }

    #[test]
    fn sights_to_the_right_deep_look_ahead_and_no_columns_are_errors() {
        let right = Structure::new([Offset { dx: 1, dy: 1 }]).unwrap();
        let error =
            ColumnStream::new(&chain(&["-\nX"], &right), 0, figrs_core::stream(0, 0)).unwrap_err();
        assert!(matches!(error, SamplingError::RightOffset { dx: 1, dy: 1 }));
        let left = chain(&["-\nX"], &Structure::NS1);
        let error = ColumnStream::new(&left, 33, figrs_core::stream(0, 0)).unwrap_err();
        assert!(matches!(
            error,
            SamplingError::LookAhead { depth: 33, max: 32 }
        ));
        let mut stream = ColumnStream::new(&left, 0, figrs_core::stream(0, 0)).unwrap();
        let error = stream.level(0).unwrap_err();
        assert!(matches!(
            error,
            SamplingError::Width {
                width: 0,
                max: 1_000_000
            }
        ));
    }
}
