//! Rows of numbered cells; equal rows are kept once.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

/// A missing cell.
pub(super) const MISSING: u32 = u32::MAX;

/// Different rows of cells with the sums of their weights.
#[derive(Clone, Debug, Default)]
pub(super) struct CaseRows {
    /// For each different row its weight and the number of the first row that equals it.
    rows: IndexMap<Box<[u32]>, (f64, usize), FxBuildHasher>,
    /// Number of rows added.
    added: usize,
}

/// A row of cells, without the missing ones at its end.
#[derive(Clone, Copy, Debug, Default)]
pub struct CaseRow<'a> {
    cells: &'a [u32],
    /// The sum of the weights of the rows that equal it.
    pub(super) weight: f64,
    /// The number of the first of them.
    pub(super) number: usize,
}

impl CaseRow<'_> {
    /// The cell of a column.
    #[inline]
    pub(super) fn cell(&self, column: usize) -> u32 {
        self.cells.get(column).copied().unwrap_or(MISSING)
    }
}

impl CaseRows {
    /// The number of the next row.
    pub(super) fn next(&self) -> usize {
        self.added
    }

    /// Adds a row.
    pub(super) fn push(&mut self, weight: f64, row: Vec<u32>) {
        self.push_numbered(weight, row, self.added);
    }

    /// Adds a row of this number.
    pub(super) fn push_numbered(&mut self, weight: f64, mut row: Vec<u32>, number: usize) {
        // Columns may be added later: missing cells at the end are not stored.
        while row.last() == Some(&MISSING) {
            row.pop();
        }
        let entry = self.rows.entry(row.into()).or_insert((0.0, number));
        entry.0 += weight;
        self.added = self.added.max(number + 1);
    }

    /// Adds other rows, whose numbers continue those of these.
    pub(super) fn append(&mut self, other: &Self) {
        let first = self.added;
        for row in other.iter() {
            self.push_numbered(row.weight, row.cells.to_vec(), first + row.number);
        }
        self.added = first + other.added;
    }

    /// The different rows, in the order in which they were added first.
    pub(super) fn iter(&self) -> impl Iterator<Item = CaseRow<'_>> {
        self.rows.iter().map(|(cells, &(weight, number))| CaseRow {
            cells,
            weight,
            number,
        })
    }
}
