//! Trains Markov random fields of tiles.

use super::chain::only_outside;
use figrs_reading::Mistake;
use std::sync::Arc;

use ndarray::Array2;

use crate::mdmc::{Corpus, RowSplits, Tile, TileSet, Travel};

/// A Markov random field of the tiles of a level, in which a tile depends on its four neighbours: above, below, left and right.
///
/// In the Markov random field, the probability of a level is proportional to a product of factors for its cells and pairs of cells. The product for a
/// level has a factor for each cell: how often the cell's tile occurs in training in the cell's band of rows. The product for a level also has a
/// factor for each pair of neighbours: the lift of the pair of tiles to a power of about a half. The power of the lift is the number of pairs of
/// neighbours in a spanning tree of the cells divided by the number of all such pairs. The lift of two neighbouring tiles, beside or above each
/// other, is the ratio of the pair's count in training to its expected count for independent tiles. Pairs of neighbouring tiles that never occurred
/// in training have a small weight instead of the weight zero.
///
/// # Guarantee
///
/// Levels are drawn by the [`Gibbs`](figrs_infer::Gibbs) sampler: one Markov chain that starts at a level of independent cells and runs for a given
/// number of sweeps. The distribution of the drawn levels tends to that of the Markov random field as the number of sweeps grows, but is not exact
/// after any number of sweeps. If the graph of neighbours has no loops, as in a single row, the weights of the Markov random field are
/// maximum-likelihood estimates; on a grid, they approximate maximum-likelihood estimates (pseudo-moment matching).
///
/// # Complexity
///
/// A sweep of Gibbs sampling takes time linear in the number of cells times the number of different tiles in the training levels.
///
/// # Example
///
/// ```
/// use figrs_models::mdmc::{Corpus, RowSplits, TileField};
///
/// let corpus = Corpus::shipped();
/// let field = TileField::train(&corpus, RowSplits::new(14, 14)?)?.elements(12)?;
/// let level = field.sample(20, &mut figrs_core::stream(7, 0))?;
/// assert_eq!((level.height(), level.width()), (14, 12));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # References
///
/// The Markov random field follows Snodgrass and Ontañón (2017), "Learning to Generate Video Game Maps Using Markov Models", but with pairs of
/// neighbours instead of a table of all four, which would have 13⁵ entries per cell, and with Gibbs sampling instead of swaps; for the weights see
/// Wainwright, Jaakkola and Willsky, "Tree-reweighted belief propagation algorithms and approximate ML estimation by pseudo-moment matching", AISTATS
/// 2003.
#[derive(Clone, Debug)]
pub struct TileField {
    pub(in crate::mdmc) height: usize,
    pub(in crate::mdmc) tile_set: Arc<TileSet>,
    pub(in crate::mdmc) travel: Travel,
    pub(in crate::mdmc) splits: RowSplits,
    pub(in crate::mdmc) tiles: Arc<[Tile]>,
    pub(in crate::mdmc) cells: Vec<Vec<u64>>,
    pub(in crate::mdmc) beside: Vec<PairLifts>,
    pub(in crate::mdmc) below: Vec<PairLifts>,
}

/// The lift of each pair of neighbouring tiles (the ratio of its count to its expected count), and whether the pair occurred in training.
#[derive(Clone, Debug)]
pub(in crate::mdmc) struct PairLifts {
    pub(in crate::mdmc) lifts: Array2<f64>,
    pub(in crate::mdmc) shown: Array2<bool>,
}

impl TileField {
    /// Number that is added to the count of every pair of neighbouring tiles in training (smoothing).
    pub const SMOOTHING: f64 = 0.01;

    /// Trains the Markov random field by counting the tiles of the training levels and the pairs of neighbouring tiles.
    ///
    /// **Errors.** An error if the training levels have fewer rows than there are bands of rows, or if a band has only outside tiles.
    pub fn train(corpus: &Corpus, splits: RowSplits) -> Result<Self, Mistake> {
        let height = corpus.height();
        let splits = splits.checked(height)?;
        let tiles: Arc<[Tile]> = corpus.tiles_in_use().into();
        let id = |tile: &Tile| tiles.binary_search(tile).ok();
        let mut cells = vec![vec![0; tiles.len()]; splits.count()];
        let pairs = Array2::from_elem((tiles.len(), tiles.len()), Self::SMOOTHING);
        let mut beside = vec![pairs; splits.count()];
        let mut below = beside.clone();
        for (level, weight) in corpus.counted_levels() {
            let array = level.as_array();
            for ((row, column), tile) in array.indexed_iter() {
                let band = splits.band(row, height);
                let Some(tile) = id(tile) else { continue };
                cells[band][tile] += weight;
                if let Some(right) = array.get((row, column + 1)).and_then(id) {
                    beside[band][(tile, right)] += weight as f64;
                }
                if let Some(under) = array.get((row + 1, column)).and_then(id) {
                    below[band][(tile, under)] += weight as f64;
                }
            }
        }
        if cells
            .iter()
            .any(|band| band.iter().all(|&count| count == 0))
        {
            return Err(only_outside());
        }
        let lifts = |counts: Vec<Array2<f64>>| counts.iter().map(PairLifts::of).collect();
        Ok(Self {
            height,
            tile_set: Arc::clone(corpus.tiles()),
            travel: corpus.travel(),
            splits,
            tiles,
            cells,
            beside: lifts(beside),
            below: lifts(below),
        })
    }
}

impl PairLifts {
    pub(in crate::mdmc) fn only_shown(&self) -> Self {
        let mut lifts = self.lifts.clone();
        ndarray::Zip::from(&mut lifts)
            .and(&self.shown)
            .for_each(|lift, &shown| *lift *= f64::from(u8::from(shown)));
        Self {
            lifts,
            shown: self.shown.clone(),
        }
    }

    fn of(counts: &Array2<f64>) -> Self {
        let total = counts.sum();
        let rows = counts.sum_axis(ndarray::Axis(1));
        let columns = counts.sum_axis(ndarray::Axis(0));
        let lifts = Array2::from_shape_fn(counts.dim(), |(a, b)| {
            counts[(a, b)] * total / (rows[a] * columns[b])
        });
        Self {
            lifts,
            shown: counts.mapv(|count| count > TileField::SMOOTHING),
        }
    }
}
