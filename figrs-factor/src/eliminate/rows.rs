//! Values that sparse tables allow for a variable, one batch at a time.

use std::ops::Range;

use super::batch::Batch;
use super::compile::RangeNarrowing;
use super::prepare::{PreparedTable, equal_range, run_end};

/// Number of partial assignments advanced together: enough to amortise overhead, few enough for the first-level cache.
const BATCH: usize = 1024;

/// Cursor of a resumable continuation of a batch.
#[derive(Debug, Default)]
pub(super) struct Cursor {
    row: usize,
    /// The next value if all values are tried; with sparse tables, the next row of the leading table plus one (zero at its start).
    next: usize,
    ranges: Ranges,
}

/// Ranges of rows of some sparse tables.
#[derive(Debug, Default)]
struct Ranges {
    /// The remaining ranges.
    left: Vec<Range<usize>>,
    /// The ranges of the present value.
    here: Vec<Range<usize>>,
}

impl Cursor {
    /// Resets the cursor to the start.
    pub(super) fn reset(&mut self) {
        (self.row, self.next) = (0, 0);
    }

    /// The next rows and values of a variable that takes all its values.
    pub(super) fn next_product(
        &mut self,
        rows: usize,
        card: usize,
    ) -> Option<(Range<usize>, Range<usize>)> {
        if self.row == rows {
            return None;
        }
        if card <= BATCH {
            let end = rows.min(self.row + BATCH / card);
            let taken = self.row..end;
            self.row = end;
            return Some((taken, 0..card));
        }
        let (row, start) = (self.row, self.next);
        let end = card.min(start + BATCH);
        (self.row, self.next) = if end == card {
            (row + 1, 0)
        } else {
            (row, end)
        };
        Some((row..row + 1, start..end))
    }
}

/// Lists the next rows of `parent` with the values that all tables of `narrows` allow, and opens their ranges in `child`.
///
/// The table with the fewest rows left leads; the others are searched.
pub(super) fn shared_values<V: Clone>(
    tables: &[PreparedTable<V>],
    narrows: &[RangeNarrowing],
    parent: &Batch<V>,
    child: &mut Batch<V>,
    cursor: &mut Cursor,
    rows: &mut Vec<u32>,
    values: &mut Vec<u32>,
) {
    rows.clear();
    values.clear();
    for narrow in narrows {
        child.activate_column(narrow.low);
        if !narrow.is_last {
            child.activate_column(narrow.high);
        }
    }
    while cursor.row < parent.product.len() && rows.len() < BATCH {
        let row = cursor.row;
        cursor.ranges.left.clear();
        cursor
            .ranges
            .left
            .extend(narrows.iter().map(|narrow| match narrow.depth {
                0 => 0..tables[narrow.table].keys[0].len(),
                _ => parent.registers[narrow.low][row]..parent.registers[narrow.high][row],
            }));
        let leader = (0..narrows.len())
            .min_by_key(|&i| cursor.ranges.left[i].len())
            .unwrap_or(0);
        if cursor.next > 0 {
            cursor.ranges.left[leader].start = cursor.next - 1;
        }
        let is_done = continue_row(
            tables,
            narrows,
            child,
            (row, leader),
            &mut cursor.ranges,
            rows,
            values,
        );
        (cursor.row, cursor.next) = if is_done {
            (row + 1, 0)
        } else {
            (row, cursor.ranges.left[leader].start + 1)
        };
    }
}

/// Continues one row; `true` once its values are exhausted, `false` if the batch is full.
fn continue_row<V: Clone>(
    tables: &[PreparedTable<V>],
    narrows: &[RangeNarrowing],
    child: &mut Batch<V>,
    (row, leader): (usize, usize),
    Ranges { left: ranges, here }: &mut Ranges,
    rows: &mut Vec<u32>,
    values: &mut Vec<u32>,
) -> bool {
    let keys = &tables[narrows[leader].table].keys[narrows[leader].depth];
    while !ranges[leader].is_empty() {
        if rows.len() >= BATCH {
            return false;
        }
        let value = keys[ranges[leader].start];
        let mut shared = true;
        here.clear();
        for (i, (narrow, range)) in narrows.iter().zip(ranges.iter_mut()).enumerate() {
            let keys = &tables[narrow.table].keys[narrow.depth];
            let found = match (i == leader, narrow.is_last) {
                (true, true) => range.start..range.start + 1,
                (true, false) => range.start..run_end(keys, range.clone(), value),
                (false, _) => equal_range(keys, range.clone(), value),
            };
            shared &= !found.is_empty();
            // Rows up to this value cannot match later ones.
            range.start = found.end;
            here.push(found);
        }
        if shared {
            rows.push(row as u32);
            values.push(value);
            for (narrow, found) in narrows.iter().zip(here.iter()) {
                child.registers[narrow.low].push(found.start);
                if !narrow.is_last {
                    child.registers[narrow.high].push(found.end);
                }
            }
        }
    }
    true
}
