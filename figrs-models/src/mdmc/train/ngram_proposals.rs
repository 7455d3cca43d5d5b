//! Proposals of columns from n-grams for particle filters; the proposals make it more likely that demands on the level are met.

use std::sync::Arc;

use figrs_core::{Constant, Element, Parents, Select};
use rustc_hash::{FxHashMap, FxHashSet};

use super::column_ngrams::{ColumnNGrams, EDGE, history};
use crate::mdmc::sample::twist::{HistoryValues, Twist, TwistState};

/// Proposes a column with a probability proportional to a product: the column's probability under n-grams, times the [factor](Twist) of the demands,
/// times the [value](history_values) of the history of the next column.
pub(super) struct NGramProposals {
    ngrams: Arc<ColumnNGrams>,
    values: Arc<HistoryValues>,
}

type ColumnShares = Vec<(usize, f64)>;

impl NGramProposals {
    pub(super) fn new(ngrams: &Arc<ColumnNGrams>, width: usize, twist: &Twist) -> Self {
        Self {
            ngrams: Arc::clone(ngrams),
            values: twist.history_values(|| history_values(ngrams, width, twist)),
        }
    }

    /// Proposes the column with the index `index` in the level, and returns the column with the weight of the proposal; `edge` states whether the
    /// level begins with the columns `before`.
    pub(super) fn column(
        &self,
        (index, edge): (usize, bool),
        before: &[Element<usize>],
        twist: &mut Twist,
    ) -> (Element<usize>, Element<f64>) {
        let (ngrams, values) = (Arc::clone(&self.ngrams), Arc::clone(&self.values));
        let (factor, needs_seen) = (twist.column_factor(index), twist.seen());
        let shares = move |before: &[&usize], state: &TwistState| -> ColumnShares {
            let mut history = history(edge, before);
            let value = value(&values, index, &history);
            if value <= 0.0 || needs_seen && !before.is_empty() && !ngrams.shows(&history) {
                return Vec::new();
            }
            let after = ngrams.after(&history);
            let total: u64 = after.iter().map(|&(_, count)| count).sum();
            let mut shares = ColumnShares::new();
            for &(column, count) in after {
                let share = count as f64 / total as f64 * factor(state, &ngrams.columns[column]);
                if share > 0.0 {
                    history.push(column);
                    let next = recent(&history, ngrams.order());
                    let ahead = self::value(&values, index + 1, next) / value;
                    history.pop();
                    shares.push((column, share * ahead));
                }
            }
            shares
        };
        let shares = if before.is_empty() {
            twist.state().map(move |state| shares(&[], state))
        } else {
            let before = before.map(|before| before.into_iter().copied().collect::<Vec<usize>>());
            let both = (&before, twist.state());
            Parents::map(&both, move |(before, state): (&Vec<usize>, &TwistState)| {
                let before: Vec<&usize> = before.iter().collect();
                shares(&before, state)
            })
        };
        let weight = shares.map(|shares| shares.iter().map(|&(_, share)| share).sum::<f64>());
        let column = shares.flat_map(|shares| {
            let possible = shares.iter().filter(|&&(_, share)| share > 0.0);
            let mut possible = possible.map(|&(column, share)| (share, column)).peekable();
            // The particle has weight zero, so its column is arbitrary.
            if possible.peek().is_none() {
                return Constant::new(0);
            }
            Select::new(possible)
        });
        let ngrams = Arc::clone(&self.ngrams);
        twist.read_column(index, &column, move |column| ngrams.columns[column].clone());
        (column, weight)
    }
}

fn recent(history: &[usize], order: usize) -> &[usize] {
    &history[(history.len() + 1).saturating_sub(order)..]
}

fn value(values: &HistoryValues, column: usize, history: &[usize]) -> f64 {
    let known = values.get(column).and_then(|values| values.get(history));
    known.copied().unwrap_or(1.0)
}

/// Returns, for each column and each history of the column (the list of preceding columns), the expected product of the demands' factors for this
/// column and all later columns, up to a factor for each column. The result is empty if the columns have too many possible histories.
fn history_values(ngrams: &ColumnNGrams, width: usize, twist: &Twist) -> HistoryValues {
    /// Maximum number of possible histories of a column.
    const MOST: usize = 20_000;
    /// Smallest value of a history with which the demands can still be met.
    const LEAST: f64 = 1e-200;
    let order = ngrams.order();
    let start = if order > 1 { vec![EDGE] } else { Vec::new() };
    let mut levels: Vec<FxHashSet<Vec<usize>>> = vec![FxHashSet::from_iter([start])];
    let is_shown = |history: &[usize]| !twist.seen() || ngrams.shows(history);
    for column in 0..width {
        let mut next = FxHashSet::default();
        for history in levels[column].iter().filter(|history| is_shown(history)) {
            let mut longer = history.clone();
            for &(following, _) in ngrams.after(history) {
                longer.push(following);
                next.insert(recent(&longer, order).to_vec());
                longer.pop();
            }
        }
        if next.len() > MOST {
            return Vec::new();
        }
        levels.push(next);
    }
    let mut values: HistoryValues = vec![FxHashMap::default(); width + 1];
    for column in (0..width).rev() {
        let mut own: FxHashMap<usize, f64> = FxHashMap::default();
        let mut of_column = FxHashMap::default();
        for history in &levels[column] {
            let mut value = 0.0;
            if is_shown(history) {
                let after = ngrams.after(history);
                let total: u64 = after.iter().map(|&(_, count)| count).sum();
                let mut longer = history.clone();
                for &(following, count) in after {
                    let own = *own.entry(following).or_insert_with(|| {
                        twist.own_column_factor(column, &ngrams.columns[following])
                    });
                    longer.push(following);
                    let ahead = self::value(&values, column + 1, recent(&longer, order));
                    longer.pop();
                    value += count as f64 / total as f64 * own * ahead;
                }
            }
            of_column.insert(history.clone(), value);
        }
        let largest = of_column.values().copied().fold(0.0, f64::max);
        if largest > 0.0 {
            for value in of_column.values_mut().filter(|value| **value > 0.0) {
                *value = (*value / largest).max(LEAST);
            }
        }
        values[column] = of_column;
    }
    values
}
