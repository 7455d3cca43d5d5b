//! Rows of data. In a row of data, each cell is an index into the distinct cells of its column, and equal rows are stored once.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

/// Reserved cell index that denotes a missing value in a row of data.
pub(super) const MISSING: u32 = u32::MAX;

/// The distinct rows of data, each with the sum of the weights of all rows that are equal to it.
#[derive(Clone, Debug, Default)]
pub(super) struct CaseRows {
    /// For each distinct row, the sum of the weights of all rows equal to it, and the index of the first of these rows.
    rows: IndexMap<Box<[u32]>, (f64, usize), FxBuildHasher>,
    added: usize,
}

/// A distinct row of data, without the missing values at its end.
#[derive(Clone, Copy, Debug, Default)]
pub struct CaseRow<'a> {
    cells: &'a [u32],
    /// The sum of the weights of all rows that are equal to this row.
    pub(super) weight: f64,
    /// The index of the first row that is equal to this row.
    pub(super) number: usize,
}

impl CaseRow<'_> {
    #[inline]
    pub(super) fn cell(&self, column: usize) -> u32 {
        self.cells.get(column).copied().unwrap_or(MISSING)
    }
}

impl CaseRows {
    /// Returns the index that the next row of data to be added will get.
    pub(super) fn next(&self) -> usize {
        self.added
    }

    /// Adds the row of data `row`, whose index is [`next`](Self::next).
    pub(super) fn push(&mut self, weight: f64, row: Vec<u32>) {
        self.push_numbered(weight, row, self.added);
    }

    pub(super) fn push_numbered(&mut self, weight: f64, mut row: Vec<u32>, number: usize) {
        // Missing cells at the end of a row are not stored; equal rows therefore stay equal when columns are added later.
        while row.last() == Some(&MISSING) {
            row.pop();
        }
        let entry = self.rows.entry(row.into()).or_insert((0.0, number));
        entry.0 += weight;
        self.added = self.added.max(number + 1);
    }

    /// Appends the rows of `other`; the indices of the appended rows continue the present indices.
    pub(super) fn append(&mut self, other: &Self) {
        let first = self.added;
        for row in other.iter() {
            self.push_numbered(row.weight, row.cells.to_vec(), first + row.number);
        }
        self.added = first + other.added;
    }

    /// Returns the distinct rows of data, in the order of their first occurrence.
    pub(super) fn iter(&self) -> impl Iterator<Item = CaseRow<'_>> {
        self.rows.iter().map(|(cells, &(weight, number))| CaseRow {
            cells,
            weight,
            number,
        })
    }
}
