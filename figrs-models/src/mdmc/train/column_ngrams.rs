//! N-grams of the columns of a level: each column is drawn given the columns before it.

use super::chain::only_outside;
use figrs_reading::Mistake;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use figrs_core::{Constant, Datum, Element, Parents, Select};
use ndarray::Array2;
use rustc_hash::FxHashMap;

use super::ngram_proposals::NGramProposals;
use crate::mdmc::sample::level_model::{ColumnProgram, LevelColumns, SeenStatement};
use crate::mdmc::sample::level_program::LevelProgram;
use crate::mdmc::sample::twist::Twist;
use crate::mdmc::{
    Corpus, LevelElements, LevelModel, Meaning, SamplingError, Tile, TileSet, Travel,
};

/// An n-gram model of a level's columns: how often each column follows the columns before it in the training levels. In an n-gram model of order *n*,
/// a column of a level depends on the *n* - 1 columns before it; the left edge of a level counts as a column. If the preceding columns never follow
/// one another in training, the n-gram model ignores the earliest of them, and then the next, until the remaining columns occur in training
/// (back-off).
///
/// # Guarantee
///
/// Every sequence of *n* columns in a generated level occurs in the training levels, unless the model ignored a column (back-off) when it drew the
/// last column of the sequence. In an n-gram model of order 1, the columns are independent.
///
/// # Example
///
/// ```
/// use std::sync::Arc;
/// use figrs_models::mdmc::{ColumnNGrams, Corpus};
///
/// let ngrams = Arc::new(ColumnNGrams::train(&Corpus::shipped(), 3)?);
/// let level = ngrams.program(60)?.sample(&mut figrs_core::stream(7, 0))?;
/// assert_eq!((level.height(), level.width()), (14, 60));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # References
///
/// The n-gram model of columns is that of Dahlskog, Togelius and Nelson, "Linear levels through n-grams", 18th International Academic `MindTrek`
/// Conference, 2014.
#[derive(Clone, Debug)]
pub struct ColumnNGrams {
    order: usize,
    height: usize,
    tile_set: Arc<TileSet>,
    travel: Travel,
    pub(super) columns: Vec<Vec<Tile>>,
    /// The key is a history (the list of preceding columns, the latest one last); the value has the counts of the columns that follow it in training.
    next: FxHashMap<Vec<usize>, Vec<(usize, u64)>>,
}

/// The number that stands for the left edge of a level in a history (a list of preceding columns).
pub(super) const EDGE: usize = usize::MAX;

impl ColumnNGrams {
    /// Maximum order of the n-grams of columns.
    pub const MAX_ORDER: usize = 6;

    /// Trains column n-grams by counting how columns follow each other in the training levels; columns with [outside](Meaning::Outside) tiles are
    /// left out.
    ///
    /// **Errors.** An error if the order is not from 1 to [`ColumnNGrams::MAX_ORDER`], or if every column of the training levels has outside tiles.
    pub fn train(corpus: &Corpus, order: usize) -> Result<Self, Mistake> {
        if !(1..=Self::MAX_ORDER).contains(&order) {
            return Err(Mistake::value(
                format!("n-grams of {order} columns cannot be counted"),
                format!("use 1 to {}", Self::MAX_ORDER),
            ));
        }
        let mut numbers: FxHashMap<Vec<Tile>, usize> = FxHashMap::default();
        let mut counts: FxHashMap<Vec<usize>, FxHashMap<usize, u64>> = FxHashMap::default();
        let mut columns = Vec::new();
        for (level, weight) in corpus.counted_levels() {
            let mut before = vec![EDGE];
            for column in level.as_array().columns() {
                // A column with outside tiles interrupts the sequence: the next column has no history.
                if column.iter().any(|tile| tile.is(Meaning::Outside)) {
                    before.clear();
                    continue;
                }
                let number = *numbers.entry(column.to_vec()).or_insert_with(|| {
                    columns.push(column.to_vec());
                    columns.len() - 1
                });
                for length in 0..order.min(before.len() + 1) {
                    let history = before[before.len() - length..].to_vec();
                    *counts
                        .entry(history)
                        .or_default()
                        .entry(number)
                        .or_default() += weight;
                }
                before.push(number);
            }
        }
        if columns.is_empty() {
            return Err(only_outside());
        }
        let sorted = |counts: FxHashMap<usize, u64>| {
            let mut counts: Vec<(usize, u64)> = counts.into_iter().collect();
            counts.sort_unstable();
            counts
        };
        let next = counts.into_iter();
        Ok(Self {
            order,
            height: corpus.height(),
            tile_set: Arc::clone(corpus.tiles()),
            travel: corpus.travel(),
            columns,
            next: next
                .map(|(history, counts)| (history, sorted(counts)))
                .collect(),
        })
    }

    /// Returns the order of the model: the number of columns of an n-gram.
    pub fn order(&self) -> usize {
        self.order
    }

    /// Returns, for the longest suffix of `history` that occurs in training (back-off), the columns that follow it and their counts.
    pub(super) fn after(&self, history: &[usize]) -> &[(usize, u64)] {
        let mut parts = (0..=history.len()).map(|from| &history[from..]);
        let found = parts.find_map(|part| self.next.get(part));
        found.map_or(&[], Vec::as_slice)
    }

    pub(super) fn shows(&self, history: &[usize]) -> bool {
        self.next.contains_key(history)
    }

    fn draw(&self, history: &[usize]) -> Element<usize> {
        let after = self.after(history).iter();
        Select::new(after.map(|&(column, count)| (count as f64, column)))
    }

    /// Returns a level of `width` columns as a probabilistic program, in which each column is a `Chain` on the preceding columns.
    ///
    /// **Errors.** [`SamplingError::Width`] if `width` is 0 or exceeds [`LevelElements::MAX_WIDTH`].
    pub fn program(self: &Arc<Self>, width: usize) -> Result<LevelProgram, SamplingError> {
        LevelElements::check_width(self.height, width)?;
        let ngrams = Arc::clone(self);
        let columns = NGramColumns { ngrams, width };
        Ok(LevelProgram::new(LevelModel::new(Arc::new(columns))))
    }
}

#[derive(Debug)]
struct NGramColumns {
    ngrams: Arc<ColumnNGrams>,
    width: usize,
}

impl ColumnProgram for NGramColumns {
    fn name(&self) -> &'static str {
        "the trained n-grams"
    }

    fn height(&self) -> usize {
        self.ngrams.height
    }

    fn width(&self) -> usize {
        self.width
    }

    fn tile_set(&self) -> &Arc<TileSet> {
        &self.ngrams.tile_set
    }

    fn travel(&self) -> Travel {
        self.ngrams.travel
    }

    fn reach(&self) -> Option<usize> {
        Some(self.ngrams.order - 1)
    }

    fn columns(&self, columns: Range<usize>, known: usize) -> LevelColumns {
        self.built(columns, known, None)
    }

    fn twisted(&self, columns: Range<usize>, known: usize, twist: &mut Twist) -> LevelColumns {
        self.built(columns, known, Some(twist))
    }

    fn shares(&self, row: usize) -> Vec<(Tile, f64)> {
        let all = self.ngrams.after(&[]);
        let total: u64 = all.iter().map(|&(_, count)| count).sum();
        let mut shares: BTreeMap<Tile, f64> = BTreeMap::new();
        for &(column, count) in all {
            let tile = self.ngrams.columns[column][row];
            *shares.entry(tile).or_default() += count as f64 / total as f64;
        }
        shares.into_iter().collect()
    }
}

impl NGramColumns {
    /// Builds the elements for the columns `columns` of a level; if `twist` is given, the columns are drawn from proposals that demands on the level
    /// twist.
    fn built(
        &self,
        columns: Range<usize>,
        known: usize,
        mut twist: Option<&mut Twist>,
    ) -> LevelColumns {
        let (ngrams, order) = (&self.ngrams, self.ngrams.order);
        let mut numbers: Vec<Element<usize>> = Vec::with_capacity(columns.len());
        let mut seen: Vec<Vec<SeenStatement>> = vec![Vec::new(); columns.len()];
        let mut weights: Vec<Vec<Element<f64>>> = vec![Vec::new(); columns.len()];
        let ahead = twist
            .as_deref()
            .map(|twist| NGramProposals::new(ngrams, self.width, twist));
        // The columns near the left edge share one function, and so do all other columns, and all cells of a row.
        let [at_edge, inside] = [true, false].map(|edge| drawn(ngrams, edge));
        let [shown_at_edge, shown_inside] = [true, false].map(|edge| shown(ngrams, edge));
        for index in columns.clone() {
            let place = index - columns.start;
            if place < known {
                numbers.push(Constant::new(0).named(format!("column {index}")));
                continue;
            }
            let edge = index + 1 < order;
            let before = &numbers[(place + 1).saturating_sub(order)..];
            let column = if before.is_empty() {
                ngrams.draw(if edge { &[EDGE] } else { &[] })
            } else {
                let is_shown = before.map_shared(if edge { &shown_at_edge } else { &shown_inside });
                seen[place].push(SeenStatement {
                    element: is_shown.erased().clone(),
                    value: Datum::new(true),
                    cells: Vec::new(),
                });
                match &ahead {
                    None => before.flat_map_shared(if edge { &at_edge } else { &inside }),
                    Some(_) => Constant::new(0),
                }
            };
            let column = match (&ahead, twist.as_deref_mut()) {
                (Some(ahead), Some(twist)) => {
                    let start = (index == 0).then(|| twist.start());
                    weights[place].extend(start);
                    let before = &numbers[(place + 1).saturating_sub(order)..];
                    let (column, weight) = ahead.column((index, edge), before, twist);
                    weights[place].push(weight);
                    column
                }
                _ => column,
            };
            numbers.push(column.named(format!("column {index}")));
        }
        let rows: Vec<_> = (0..ngrams.height).map(|row| tile_of(ngrams, row)).collect();
        let tiles = Array2::from_shape_fn((ngrams.height, columns.len()), |(row, place)| {
            let name = format!("tile {row},{}", columns.start + place);
            Parents::map_shared(&numbers[place], &rows[row]).named(name)
        });
        let state = numbers.iter().map(|number| vec![number.erased().clone()]);
        LevelColumns {
            first: columns.start,
            tiles,
            state: state.collect(),
            weights,
            seen,
        }
    }
}

/// Returns the history of a column: the preceding columns `before`, preceded by the left edge if the level begins with them.
pub(super) fn history(edge: bool, before: &[&usize]) -> Vec<usize> {
    let edge = edge.then_some(EDGE).into_iter();
    edge.chain(before.iter().copied().copied()).collect()
}

fn drawn(
    ngrams: &Arc<ColumnNGrams>,
    edge: bool,
) -> Arc<impl Fn(Vec<&usize>) -> Element<usize> + Send + Sync + use<>> {
    let ngrams = Arc::clone(ngrams);
    Arc::new(move |before: Vec<&usize>| ngrams.draw(&history(edge, &before)))
}

fn shown(
    ngrams: &Arc<ColumnNGrams>,
    edge: bool,
) -> Arc<impl Fn(Vec<&usize>) -> bool + Send + Sync + use<>> {
    let ngrams = Arc::clone(ngrams);
    Arc::new(move |before: Vec<&usize>| ngrams.next.contains_key(&history(edge, &before)))
}

fn tile_of(
    ngrams: &Arc<ColumnNGrams>,
    row: usize,
) -> Arc<impl Fn(&usize) -> Tile + Send + Sync + use<>> {
    let ngrams = Arc::clone(ngrams);
    Arc::new(move |&column: &usize| ngrams.columns[column][row])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mdmc::small_corpora::corpus;
    use figrs_core::Model;
    use figrs_infer::{Run, VariableElimination};

    fn ngrams(texts: &[&str], order: usize) -> Arc<ColumnNGrams> {
        Arc::new(ColumnNGrams::train(&corpus(texts), order).unwrap())
    }

    fn tiles(text: &str) -> Vec<Tile> {
        text.chars().filter_map(Tile::platformer).collect()
    }

    #[test]
    fn levels_have_the_probabilities_counted_by_hand() {
        // In training, S follows X twice and X follows X once; S ends a level; a level begins with X or with S.
        let texts = ["XXS", "XS", "S"];
        let cases: [(usize, &str, f64); 6] = [
            (1, "XS", 0.25),
            (2, "XX", 2.0 / 3.0 / 3.0),
            (2, "XXX", 2.0 / 3.0 / 3.0 / 3.0),
            (3, "XXX", 0.0),
            // In training no column follows S, so the model draws any column of the corpus, and half of these columns are S.
            (2, "SS", 1.0 / 3.0 / 2.0),
            (3, "XS", 2.0 / 3.0 / 2.0),
        ];
        for (order, text, expected) in cases {
            let program = ngrams(&texts, order).program(text.len()).unwrap();
            let tiles_of = program.tiles();
            let answer = VariableElimination::new()
                .run(&Model::new(), tiles_of)
                .unwrap();
            let p = answer.probability(tiles_of, &tiles(text)).unwrap();
            assert!((p - expected).abs() < 1e-12, "{order} {text}: {p}");
        }
    }

    #[test]
    fn orders_and_widths_have_limits() {
        for order in [0, 7] {
            let error = ColumnNGrams::train(&Corpus::shipped(), order).unwrap_err();
            assert_eq!(error.remedy, "use 1 to 6");
        }
        let error = ngrams(&["X"], 1).program(0).unwrap_err();
        assert!(matches!(error, SamplingError::Width { width: 0, .. }));
    }
}
