//! Probabilistic programs of Markov random fields of tiles.

use std::ops::Range;
use std::sync::Arc;

use figrs_core::{Constant, Datum, Element, Model, Parents, Select};
use figrs_infer::{Error, Gibbs, Run};
use ndarray::Array2;
use rand::Rng;

use super::level_model::{ColumnProgram, LevelColumns, SeenStatement};
use crate::mdmc::sample::twist::{TileShares, Twist};
use crate::mdmc::train::tile_field::{PairLifts, TileField};
use crate::mdmc::{Level, LevelElements, LevelModel, SamplingError, Tile, TileSet, Travel};

/// A level as a probabilistic program by a [`TileField`] (Markov random field): an element for each tile, and the weights of pairs of tiles.
#[derive(Clone, Debug)]
pub struct TileFieldElements {
    columns: LevelModel,
    model: Model,
}

impl TileField {
    /// Returns the probabilistic program of a level of `width` columns: a `Select` for each cell, and weights for pairs of neighbouring tiles.
    ///
    /// **Errors.** [`SamplingError::Width`] if `width` is 0 or exceeds [`LevelElements::MAX_WIDTH`].
    pub fn elements(&self, width: usize) -> Result<TileFieldElements, SamplingError> {
        LevelElements::check_width(self.height, width)?;
        let pairs = self.height * (width - 1) + (self.height - 1) * width;
        let power = (self.height * width - 1) as f64 / pairs.max(1) as f64;
        let weights = |lifts: &[PairLifts]| -> Vec<Arc<PairLifts>> {
            let weights = lifts.iter().map(|pairs| PairLifts {
                lifts: pairs.lifts.mapv(|lift| lift.powf(power)),
                shown: pairs.shown.clone(),
            });
            weights.map(Arc::new).collect()
        };
        let columns = LevelModel::new(Arc::new(FieldColumns {
            beside: weights(&self.beside),
            below: weights(&self.below),
            field: self.clone(),
            width,
        }));
        let whole = columns.whole();
        let model = (0..width).fold(Model::new(), |model, column| whole.weigh(column, model));
        Ok(TileFieldElements { columns, model })
    }
}

#[derive(Debug)]
struct FieldColumns {
    field: TileField,
    beside: Vec<Arc<PairLifts>>,
    below: Vec<Arc<PairLifts>>,
    width: usize,
}

impl FieldColumns {
    fn band(&self, row: usize) -> usize {
        self.field.splits.band(row, self.field.height)
    }

    /// Returns, for the columns `tiles`, the events that the pairs of neighbouring tiles occurred in training; the first `known` columns have no
    /// events.
    fn seen_statements(
        &self,
        tiles: &Array2<Element<Tile>>,
        first: usize,
        known: usize,
    ) -> Vec<Vec<SeenStatement>> {
        let functions = |all: &[Arc<PairLifts>]| -> Vec<_> {
            let pairs = all.iter();
            pairs.map(|pairs| shown(&self.field.tiles, pairs)).collect()
        };
        let (beside, below) = (functions(&self.beside), functions(&self.below));
        let mut seen = vec![Vec::new(); tiles.ncols()];
        for place in known..tiles.ncols() {
            let column = first + place;
            for row in (0..self.field.height).rev() {
                let (tile, band) = (&tiles[(row, place)], self.band(row));
                let left = place.checked_sub(1).map(|left| {
                    let pair = (&tiles[(row, left)], tile);
                    (pair.map_shared(&beside[band]), (row, column - 1))
                });
                let under = tiles.get((row + 1, place)).map(|under| {
                    let pair = (tile, under);
                    (pair.map_shared(&below[band]), (row + 1, column))
                });
                let pairs = left.into_iter().chain(under);
                seen[place].extend(
                    pairs.map(|(shown, other): (Element<bool>, _)| SeenStatement {
                        element: shown.erased().clone(),
                        value: Datum::new(true),
                        cells: vec![(row, column), other],
                    }),
                );
            }
        }
        seen
    }
}

impl ColumnProgram for FieldColumns {
    fn name(&self) -> &'static str {
        "the trained field"
    }

    fn height(&self) -> usize {
        self.field.height
    }

    fn width(&self) -> usize {
        self.width
    }

    fn tile_set(&self) -> &Arc<TileSet> {
        &self.field.tile_set
    }

    fn travel(&self) -> Travel {
        self.field.travel
    }

    fn reach(&self) -> Option<usize> {
        Some(1)
    }

    fn columns(&self, columns: Range<usize>, known: usize) -> LevelColumns {
        let (field, first) = (&self.field, columns.start);
        let tiles = Array2::from_shape_fn((field.height, columns.len()), |(row, place)| {
            let counts = field.cells[self.band(row)].iter().zip(&*field.tiles);
            let counts = counts.filter(|&(&count, _)| count > 0);
            let tile = if place < known {
                Constant::new(Tile::EMPTY)
            } else {
                Select::new(counts.map(|(&count, &tile)| (count as f64, tile)))
            };
            tile.named(format!("tile {row},{}", first + place))
        });
        let mut level = LevelColumns::of_tiles(first, tiles);
        level.seen = self.seen_statements(&level.tiles, first, known);
        // All pairs of a band of rows share one function, so that algorithms compute each result of the function once.
        let functions = |all: &[Arc<PairLifts>]| -> Vec<_> {
            all.iter()
                .map(|pairs| weight(&field.tiles, pairs))
                .collect()
        };
        let (beside, below) = (functions(&self.beside), functions(&self.below));
        for place in known..columns.len() {
            for row in (0..field.height).rev() {
                let tile = &level.tiles[(row, place)];
                let left = place.checked_sub(1);
                let left = left.map(|left| (&level.tiles[(row, left)], tile));
                let under = level.tiles.get((row + 1, place)).map(|under| (tile, under));
                let band = self.band(row);
                let weights = left.map(|pair| pair.map_shared(&beside[band]));
                let under = under.map(|pair| pair.map_shared(&below[band]));
                level.weights[place].extend(weights.into_iter().chain(under));
            }
        }
        level
    }

    fn twisted(&self, columns: Range<usize>, known: usize, twist: &mut Twist) -> LevelColumns {
        let mut level = self.columns(columns.clone(), known);
        let start = (columns.start == 0).then(|| twist.start());
        for place in known..columns.len() {
            let column = columns.start + place;
            let chain = Arc::new(self.column_chain(column, twist));
            let left = (place > 0).then(|| {
                let tiles: Vec<Element<Tile>> = level.tiles.column(place - 1).to_vec();
                tiles.map(|tiles| tiles.into_iter().copied().collect::<Vec<Tile>>())
            });
            let left = left.unwrap_or_else(|| Constant::new(Vec::new()));
            let messages = {
                let chain = Arc::clone(&chain);
                left.map(move |left| chain.messages(left))
            };
            let mut weights = Vec::new();
            for row in (0..self.field.height).rev() {
                let under = level.tiles.get((row + 1, place)).cloned();
                let under = under.unwrap_or_else(|| Constant::new(Tile::BORDER));
                let shares = || {
                    let chain = Arc::clone(&chain);
                    let parents = (&under, &left, &messages);
                    Parents::map(
                        &parents,
                        move |(under, left, messages): (&Tile, &Vec<Tile>, &Vec<f64>)| {
                            chain.shares(row, *under, left, messages)
                        },
                    )
                };
                let (tile, weight) = twist.proposed((row, column), shares);
                level.tiles[(row, place)] = tile.named(format!("tile {row},{column}"));
                weights.push(weight);
            }
            level.weights[place] = weights;
        }
        // The events that pairs of tiles occurred in training must refer to the proposed tiles, not to the tiles that the model draws.
        let tiles = level.tiles;
        let mut level = LevelColumns {
            seen: self.seen_statements(&tiles, columns.start, known),
            weights: level.weights,
            ..LevelColumns::of_tiles(columns.start, tiles)
        };
        level.weights[0].splice(0..0, start);
        level
    }

    fn is_normalised(&self) -> bool {
        false
    }

    fn knows(&self, tile: Tile) -> bool {
        self.field.tiles.binary_search(&tile).is_ok()
    }

    fn shares(&self, row: usize) -> Vec<(Tile, f64)> {
        let counts = &self.field.cells[self.band(row)];
        let total: u64 = counts.iter().sum();
        let counts = counts.iter().zip(&*self.field.tiles);
        let possible = counts.filter(|&(&count, _)| count > 0);
        let share = |(&count, &tile): (&u64, &Tile)| (tile, count as f64 / total as f64);
        possible.map(share).collect()
    }
}

/// A column of a level in a Markov random field, given the column to its left: a Markov chain of tiles from the bottom up. The weights of a column's
/// Markov chain include the factors by which demands on the level multiply the probabilities of single tiles.
#[derive(Debug)]
struct ColumnChain {
    tiles: Arc<[Tile]>,
    shares: Vec<Vec<f64>>,
    beside: Vec<Arc<PairLifts>>,
    below: Vec<Arc<PairLifts>>,
}

impl FieldColumns {
    fn column_chain(&self, column: usize, twist: &Twist) -> ColumnChain {
        let rows = 0..self.field.height;
        let weighed = |all: &[Arc<PairLifts>]| {
            let of_rows = rows.clone().map(|row| all[self.band(row)].clone());
            let of_rows = of_rows.map(|pairs| match twist.seen() {
                true => Arc::new(pairs.only_shown()),
                false => pairs,
            });
            of_rows.collect()
        };
        let shares = rows.clone().map(|row| {
            let counts = &self.field.cells[self.band(row)];
            let total: u64 = counts.iter().sum();
            let counts = counts.iter().zip(&*self.field.tiles);
            let share = |(&count, &tile): (&u64, &Tile)| {
                let drawn = match twist.placed((row, column)) {
                    Some(placed) => f64::from(u8::from(tile == placed)),
                    None => count as f64 / total as f64,
                };
                drawn * twist.own((row, column), tile)
            };
            counts.map(share).collect()
        });
        ColumnChain {
            tiles: Arc::clone(&self.field.tiles),
            shares: shares.collect(),
            beside: weighed(&self.beside),
            below: weighed(&self.below),
        }
    }
}

impl ColumnChain {
    fn id(&self, tile: Tile) -> Option<usize> {
        self.tiles.binary_search(&tile).ok()
    }

    fn share(&self, row: usize, tile: usize, left: &[Tile]) -> f64 {
        let left = left.get(row).and_then(|&left| self.id(left));
        let beside = left.map_or(1.0, |left| self.beside[row].lifts[(left, tile)]);
        self.shares[row][tile] * beside
    }

    /// Returns the messages of message passing from the top down: for each row and each of its tiles, the sum of the weights of all tiles above, up
    /// to a factor for each row.
    fn messages(&self, left: &[Tile]) -> Vec<f64> {
        let number = self.tiles.len();
        let mut messages = vec![1.0; number * self.shares.len()];
        for row in 1..self.shares.len() {
            let above = &messages[(row - 1) * number..row * number];
            let above: Vec<f64> = (0..number)
                .map(|tile| self.share(row - 1, tile, left) * above[tile])
                .collect();
            let sums = (0..number).map(|tile| {
                let over =
                    (0..number).map(|over| above[over] * self.below[row - 1].lifts[(over, tile)]);
                over.sum::<f64>()
            });
            let sums: Vec<f64> = sums.collect();
            let largest = sums.iter().copied().fold(0.0, f64::max);
            for (tile, sum) in sums.into_iter().enumerate() {
                let scaled = if largest > 0.0 { sum / largest } else { 0.0 };
                messages[row * number + tile] = scaled;
            }
        }
        messages
    }

    /// Returns the weight of each tile of the row `row`, given the tile below: the tile's own weight times the message to the tile from the rows
    /// above, divided by the message to the tile below (message passing).
    fn shares(&self, row: usize, under: Tile, left: &[Tile], messages: &[f64]) -> TileShares {
        let number = self.tiles.len();
        let under = self.id(under);
        let before = under.map_or(1.0, |under| messages[(row + 1) * number + under]);
        let shares = (0..number).map(|tile| {
            let below = under.map_or(1.0, |under| self.below[row].lifts[(tile, under)]);
            let share = self.share(row, tile, left) * below * messages[row * number + tile];
            (self.tiles[tile], share / before)
        });
        shares.filter(|&(_, share)| share > 0.0).collect()
    }
}

/// Returns the entry of the matrix `of` for two tiles; `None` if one of the tiles did not occur in training.
fn of_pair<T: Copy>(tiles: &[Tile], of: &Array2<T>, (one, other): (&Tile, &Tile)) -> Option<T> {
    let id = |tile: &Tile| tiles.binary_search(tile).ok();
    let found = id(one).zip(id(other)).and_then(|pair| of.get(pair));
    found.copied()
}

fn weight(
    tiles: &Arc<[Tile]>,
    pairs: &Arc<PairLifts>,
) -> Arc<impl Fn((&Tile, &Tile)) -> f64 + Send + Sync + use<>> {
    let (tiles, pairs) = (Arc::clone(tiles), Arc::clone(pairs));
    // A tile that a demand places does not affect its neighbours if this tile never occurred in training.
    Arc::new(move |pair: (&Tile, &Tile)| of_pair(&tiles, &pairs.lifts, pair).unwrap_or(1.0))
}

fn shown(
    tiles: &Arc<[Tile]>,
    pairs: &Arc<PairLifts>,
) -> Arc<impl Fn((&Tile, &Tile)) -> bool + Send + Sync + use<>> {
    let (tiles, pairs) = (Arc::clone(tiles), Arc::clone(pairs));
    Arc::new(move |pair: (&Tile, &Tile)| of_pair(&tiles, &pairs.shown, pair) == Some(true))
}

impl TileFieldElements {
    /// Returns the elements for the tiles; the first index is the row from the top, the second the column.
    pub fn cells(&self) -> &Array2<Element<Tile>> {
        &self.columns.whole().tiles
    }

    pub(in crate::mdmc) fn columns(&self) -> &LevelModel {
        &self.columns
    }

    /// Returns the model with the weights of pairs of neighbouring tiles; evidence can be added to this model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Draws a level: the state of one Gibbs chain after `sweeps` sweeps over its tiles; see the guarantee of [`TileField`].
    ///
    /// **Errors.** The errors of the algorithm [`Gibbs`].
    pub fn sample<R: Rng + ?Sized>(&self, sweeps: u64, rng: &mut R) -> Result<Level, Error> {
        let cells: Vec<Element<Tile>> = self.cells().iter().cloned().collect();
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
            self.cells().dim(),
            || tiles.next().unwrap_or(Tile::EMPTY),
        )))
    }
}

#[cfg(test)]
mod tests {
    use figrs_infer::VariableElimination;

    use super::*;
    use crate::mdmc::RowSplits;
    use crate::mdmc::small_corpora::corpus;

    #[test]
    fn in_a_row_the_field_is_the_chain_of_its_pairs() {
        // A single row has no loops, so pairs have the probabilities of the corpus: X X, X -, - X and - - occur in the ratio 2 : 1 : 1 : 2, and both
        // tiles are equally likely.
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
                // The tolerance is five standard deviations: each of the eighteen comparisons raises a false alarm for one in 1.7 million seeds.
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
        let error = TileField::train(&corpus, splits).unwrap_err();
        assert_eq!(error.problem, "1 rows cannot be split into 2 bands");
        let field = TileField::train(&corpus, RowSplits::NONE).unwrap();
        assert!(matches!(
            field.elements(0),
            Err(SamplingError::Width { width: 0, .. })
        ));
    }
}
