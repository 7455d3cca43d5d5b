//! Markov random fields of tiles.

use std::sync::Arc;

use figrs_core::{Element, Model, Select};
use figrs_infer::{Error, Gibbs, Run};
use ndarray::Array2;
use rand::Rng;

use crate::mdmc::{Corpus, Level, LevelElements, RowSplits, SamplingError, Tile, TrainingError};

/// A Markov random field in which a tile depends on its four neighbours: above, below, left and right.
///
/// The probability of a level is proportional to a product over cells, of the count of the tile in the band of its row, and
/// over pairs of neighbours, of the lift of the two tiles beside each other (or above each other), to the power of the share
/// of pairs in a spanning tree of the cells (about a half). The lift of a pair is the ratio of its count to the count
/// expected of independent tiles. Pairs that training never showed have a small weight, not none.
///
/// # Guarantee
///
/// Levels are drawn by the engine's [`Gibbs`] sampler: one chain from a draw of the cells alone, for as many sweeps as asked for. Its
/// distribution tends to that of the field with the number of sweeps, and is not exact after any. The weights are the
/// most likely ones where neighbours form no loops, in a single row, and an approximation on a grid (pseudo-moment matching).
///
/// # Complexity
///
/// A sweep is linear in cells times the tiles of the corpus.
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
/// Snodgrass and Ontañón (2017), "Learning to Generate Video Game Maps Using Markov Models", section on Markov random fields, with pairs
/// of neighbours in place of a table of all four, which would have 13⁵ entries a cell, and Gibbs sampling in place of swaps;
/// Wainwright, Jaakkola and Willsky, "Tree-reweighted belief propagation algorithms and approximate ML estimation by pseudo-moment
/// matching", AISTATS 2003.
#[derive(Clone, Debug)]
pub struct TileField {
    height: usize,
    splits: RowSplits,
    tiles: Arc<[Tile]>,
    /// For each band the count of each tile.
    cells: Vec<Vec<u64>>,
    /// For each band the lifts of pairs beside each other, and of pairs above each other with the upper tile in the band.
    beside: Vec<Array2<f64>>,
    below: Vec<Array2<f64>>,
}

/// A level of a [`TileField`] as elements, with their weights.
#[derive(Clone, Debug)]
pub struct TileFieldElements {
    cells: Array2<Element<Tile>>,
    model: Model,
}

impl TileField {
    /// Number added to the count of every pair.
    pub const SMOOTHING: f64 = 0.01;

    /// Counts the tiles and pairs of a corpus.
    ///
    /// An error if the corpus has fewer rows than bands are asked for.
    pub fn train(corpus: &Corpus, splits: RowSplits) -> Result<Self, TrainingError> {
        let height = corpus.height();
        let splits = splits.checked(height)?;
        let all = corpus.levels().iter().flat_map(Level::as_array);
        let tiles: std::collections::BTreeSet<Tile> = all.copied().collect();
        let tiles: Arc<[Tile]> = tiles.into_iter().collect();
        let id = |tile: &Tile| tiles.binary_search(tile).unwrap_or_default();
        let mut cells = vec![vec![0; tiles.len()]; splits.count()];
        let pairs = Array2::from_elem((tiles.len(), tiles.len()), Self::SMOOTHING);
        let mut beside = vec![pairs; splits.count()];
        let mut below = beside.clone();
        for (level, weight) in corpus.counted_levels() {
            let array = level.as_array();
            for ((row, column), tile) in array.indexed_iter() {
                let band = splits.band(row, height);
                cells[band][id(tile)] += weight;
                if let Some(right) = array.get((row, column + 1)) {
                    beside[band][(id(tile), id(right))] += weight as f64;
                }
                if let Some(under) = array.get((row + 1, column)) {
                    below[band][(id(tile), id(under))] += weight as f64;
                }
            }
        }
        let lifts = |counts: Vec<Array2<f64>>| counts.iter().map(lift).collect();
        Ok(Self {
            height,
            splits,
            tiles,
            cells,
            beside: lifts(beside),
            below: lifts(below),
        })
    }

    /// The level of this many columns as elements: a Select a cell, weighed by pairs of neighbours.
    ///
    /// An error if `width` is 0 or exceeds [`LevelElements::MAX_WIDTH`].
    pub fn elements(&self, width: usize) -> Result<TileFieldElements, SamplingError> {
        LevelElements::check_width(self.height, width)?;
        let cells = Array2::from_shape_fn((self.height, width), |(row, column)| {
            let counts = &self.cells[self.splits.band(row, self.height)];
            let counts = counts
                .iter()
                .zip(&*self.tiles)
                .filter(|&(&count, _)| count > 0);
            let tile = Select::new(counts.map(|(&count, &tile)| (count as f64, tile)));
            tile.named(format!("tile {row},{column}"))
        });
        let pairs = self.height * (width - 1) + (self.height - 1) * width;
        let power = (cells.len() - 1) as f64 / pairs.max(1) as f64;
        let weights = |lifts: &[Array2<f64>]| -> Vec<Arc<Array2<f64>>> {
            let weights = lifts
                .iter()
                .map(|lifts| lifts.mapv(|lift| lift.powf(power)));
            weights.map(Arc::new).collect()
        };
        let (beside, below) = (weights(&self.beside), weights(&self.below));
        let mut model = Model::new();
        for ((row, column), tile) in cells.indexed_iter() {
            let band = self.splits.band(row, self.height);
            if let Some(right) = cells.get((row, column + 1)) {
                model = self.weigh(model, tile, right, &beside[band]);
            }
            if let Some(under) = cells.get((row + 1, column)) {
                model = self.weigh(model, tile, under, &below[band]);
            }
        }
        Ok(TileFieldElements { cells, model })
    }

    fn weigh(
        &self,
        model: Model,
        one: &Element<Tile>,
        other: &Element<Tile>,
        weights: &Arc<Array2<f64>>,
    ) -> Model {
        let (tiles, weights) = (Arc::clone(&self.tiles), Arc::clone(weights));
        let pair = figrs_core::Parents::map(&(one, other), |(&one, &other)| (one, other));
        model.weigh(&pair, move |(one, other)| {
            let id = |tile: &Tile| tiles.binary_search(tile).ok();
            let weight = id(one).zip(id(other)).and_then(|pair| weights.get(pair));
            weight.copied().unwrap_or_default()
        })
    }
}

/// Lift of each pair: the ratio of its count to the count expected of independent tiles.
fn lift(counts: &Array2<f64>) -> Array2<f64> {
    let total = counts.sum();
    let rows = counts.sum_axis(ndarray::Axis(1));
    let columns = counts.sum_axis(ndarray::Axis(0));
    Array2::from_shape_fn(counts.dim(), |(a, b)| {
        counts[(a, b)] * total / (rows[a] * columns[b])
    })
}

impl TileFieldElements {
    /// The tiles, by row from the top and column.
    pub fn cells(&self) -> &Array2<Element<Tile>> {
        &self.cells
    }

    /// The weights of pairs of neighbours, to which evidence may be added.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The level after this many sweeps of one Gibbs chain; see the guarantee of [`TileField`].
    ///
    /// **Errors.** Those of [`Gibbs`].
    pub fn sample<R: Rng + ?Sized>(&self, sweeps: u64, rng: &mut R) -> Result<Level, Error> {
        let cells: Vec<Element<Tile>> = self.cells.iter().cloned().collect();
        let answer = Gibbs::new(1)
            .chains(1)
            .burn_in(sweeps)
            .seed(rng.next_u64())
            .run(&self.model, cells.as_slice())?;
        let draws = answer.draws()?;
        let tiles = draws.targets.iter().map(|target| {
            let value = target.indices.first();
            let value = value.and_then(|&index| target.support.get::<Tile>(index as usize));
            value.copied().unwrap_or(Tile::EMPTY)
        });
        let mut tiles = tiles.collect::<Vec<_>>().into_iter();
        Ok(Level::from_tiles(Array2::from_shape_simple_fn(
            self.cells.dim(),
            || tiles.next().unwrap_or(Tile::EMPTY),
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use figrs_infer::VariableElimination;

    fn corpus(texts: &[&str]) -> Corpus {
        let named = texts
            .iter()
            .map(|text| (String::new(), text.parse().unwrap()));
        Corpus::new(named).unwrap()
    }

    #[test]
    fn in_a_row_the_field_is_the_chain_of_its_pairs() {
        // Without loops the field has the pairs of the corpus: here X X, X -, - X and - - as 2, 1, 1, 2, and so as many X as -.
        let texts = ["XXX-", "---X"];
        let field = TileField::train(&corpus(&texts), RowSplits::NONE).unwrap();
        let elements = field.elements(3).unwrap();
        let (one, next) = (&elements.cells()[(0, 1)], &elements.cells()[(0, 2)]);
        let both = figrs_core::Parents::map(&(one, next), |(one, next)| one == next);
        let answer = VariableElimination::new()
            .run(elements.model(), (one, &both))
            .unwrap();
        let p = answer.probability(&both, &true).unwrap();
        let s = TileField::SMOOTHING;
        assert!((p - (4.0 + 2.0 * s) / (6.0 + 4.0 * s)).abs() < 1e-9, "{p}");
        assert!((answer.probability(one, &Tile::GROUND).unwrap() - 0.5).abs() < 1e-9);
    }

    #[test]
    fn gibbs_draws_agree_with_exact_marginals() {
        let texts = ["-S-\nXXX", "---\nX-X", "--S\nXXX"];
        let splits = RowSplits::new(2, 2).unwrap();
        let field = TileField::train(&corpus(&texts), splits).unwrap();
        let elements = field.elements(3).unwrap();
        let n = 2000;
        let levels: Vec<Level> = (0..n)
            .map(|part| {
                elements
                    .sample(30, &mut figrs_core::stream(5, part))
                    .unwrap()
            })
            .collect();
        for ((row, column), cell) in elements.cells().indexed_iter() {
            let answer = VariableElimination::new()
                .run(elements.model(), cell)
                .unwrap();
            for &tile in &*field.tiles {
                let p = answer.probability(cell, &tile).unwrap();
                let share = levels
                    .iter()
                    .filter(|l| l.get(row, column) == Some(tile))
                    .count() as f64
                    / n as f64;
                // Five standard deviations: a false alarm in 1.7 million seeds for each of the eighteen.
                let tolerance = 5.0 * (p * (1.0 - p) / n as f64).sqrt();
                assert!(
                    (share - p).abs() <= tolerance,
                    "{row},{column} {tile}: {share} for {p}"
                );
            }
        }
    }

    #[test]
    fn bands_and_widths_have_limits() {
        let corpus = corpus(&["X-"]);
        let splits = RowSplits::new(2, 2).unwrap();
        assert!(matches!(
            TileField::train(&corpus, splits),
            Err(TrainingError::RowSplits { .. })
        ));
        let field = TileField::train(&corpus, RowSplits::NONE).unwrap();
        assert!(matches!(
            field.elements(0),
            Err(SamplingError::Width { width: 0, .. })
        ));
    }
}
