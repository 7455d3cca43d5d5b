//! Tries: sparse tables sorted for a join, so that each variable narrows a range of rows.

use std::borrow::Cow;
use std::ops::Range;

use crate::graph::Assignments;

/// The rows of a sparse table, sorted by its variables in the order the join assigns them.
#[derive(Debug)]
pub(super) struct Trie<'a, V: Clone> {
    /// For each variable, in the order of assignment, its value in each row.
    pub(super) keys: Vec<Vec<u32>>,
    /// The weight of each row.
    pub(super) values: Cow<'a, [V]>,
}

/// The columns that become keys, and the columns held at one value.
pub(super) struct ColumnSelection {
    /// The columns in the order of assignment.
    pub(super) columns: Vec<usize>,
    /// The cardinality of each of these columns.
    pub(super) cards: Vec<usize>,
    /// Columns held at one value.
    pub(super) pins: Vec<(usize, u32)>,
}

impl<'a, V: Clone> Trie<'a, V> {
    /// Selects and sorts the columns and rows of a sorted list of rows of `arity` columns each.
    pub(super) fn new(
        rows: &[u32],
        arity: usize,
        values: Cow<'a, [V]>,
        selection: &ColumnSelection,
    ) -> Self {
        let ColumnSelection { columns, pins, .. } = selection;
        if pins.is_empty() && columns.is_sorted() {
            let column = |&c: &usize| rows.iter().skip(c).step_by(arity).copied().collect();
            return Self {
                keys: columns.iter().map(column).collect(),
                values,
            };
        }
        let at = |row: usize, c: usize| rows[row * arity + c];
        let mut chosen: Vec<usize> = (0..values.len()).collect();
        chosen.retain(|&row| pins.iter().all(|&(c, x)| at(row, c) == x));
        if !columns.is_sorted() {
            let widths: Vec<u32> = selection
                .cards
                .iter()
                .map(|&n| usize::BITS - (n - 1).leading_zeros())
                .collect();
            if widths.iter().sum::<u32>() <= u64::BITS {
                chosen.sort_by_cached_key(|&row| {
                    let pairs = columns.iter().zip(&widths);
                    pairs.fold(0, |key, (&c, width)| (key << width) | u64::from(at(row, c)))
                });
            } else {
                let key = |row: usize| columns.iter().map(move |&c| at(row, c));
                chosen.sort_unstable_by(|&a, &b| key(a).cmp(key(b)));
            }
        }
        Self {
            keys: columns
                .iter()
                .map(|&c| chosen.iter().map(|&row| at(row, c)).collect())
                .collect(),
            values: chosen.iter().map(|&row| values[row].clone()).collect(),
        }
    }
}

/// The rows of `range` with value `x` in a column that is sorted there.
pub(super) fn equal_range(column: &[u32], range: Range<usize>, x: u32) -> Range<usize> {
    let start = range.start + column[range.clone()].partition_point(|&y| y < x);
    start..run_end(column, start..range.end, x)
}

/// End of the run of `x` that begins at `range.start`; uses galloping search, since most runs are short.
pub(super) fn run_end(column: &[u32], range: Range<usize>, x: u32) -> usize {
    let (mut low, mut step) = (range.start, 1);
    while low + step <= range.end && column[low + step - 1] == x {
        low += step;
        step *= 2;
    }
    let high = range.end.min(low + step);
    low + column[low..high].partition_point(|&y| y == x)
}

/// The rows of a function table that agree with the pins: the values of the parents, then of the child.
///
/// `cards` and `pins` are those of the parents and the child.
pub(super) fn list_function(index: &[u32], cards: &[usize], pins: &[Option<u32>]) -> Vec<u32> {
    let Some((&child_pin, parent_pins)) = pins.split_last() else {
        return Vec::new();
    };
    let parents = Assignments::rows(cards[..parent_pins.len()].iter().copied());
    let mut rows = Vec::new();
    for (i, &x) in index.iter().enumerate() {
        if (x as usize) < cards[parent_pins.len()] && child_pin.is_none_or(|pin| pin == x) {
            rows.extend(parents.values(i));
            rows.push(x);
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_selected_and_sorted() {
        let rows = [0, 0, 5, 0, 1, 4, 1, 0, 3, 1, 1, 4];
        let mut selection = ColumnSelection {
            columns: vec![2, 0],
            cards: vec![6, 2],
            pins: vec![],
        };
        let trie = Trie::new(&rows, 3, Cow::Owned(vec!['a', 'b', 'c', 'd']), &selection);
        assert_eq!(trie.keys, [[3, 4, 4, 5], [1, 0, 1, 0]]);
        assert_eq!(*trie.values, ['c', 'b', 'd', 'a']);
        selection.pins = vec![(1, 1)];
        let trie = Trie::new(&rows, 3, Cow::Owned(vec!['a', 'b', 'c', 'd']), &selection);
        assert_eq!(trie.keys, [[4, 4], [0, 1]]);
    }

    #[test]
    fn ranges_are_found() {
        let column = [7, 1, 1, 1, 1, 1, 3, 3, 9, 0];
        assert_eq!(equal_range(&column, 1..9, 1), 1..6);
        assert_eq!(equal_range(&column, 1..9, 3), 6..8);
        assert_eq!(equal_range(&column, 1..9, 9), 8..9);
        assert!(equal_range(&column, 1..9, 2).is_empty());
        assert!(equal_range(&column, 1..9, 10).is_empty());
        assert_eq!(run_end(&column, 1..4, 1), 4);
    }

    #[test]
    fn functions_are_listed() {
        let none = u32::MAX;
        let rows = list_function(&[2, none, 0, 2, 1, 2], &[2, 3, 3], &[None, None, Some(2)]);
        assert_eq!(rows, [0, 0, 2, 1, 0, 2, 1, 2, 2]);
    }
}
