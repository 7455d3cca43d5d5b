//! Operations of a join: extension of partial assignments by the values that sparse tables allow, and operations on partial assignments.

use std::ops::Range;

use crate::graph::FactorTable;

use super::batch::{Batch, RangeChecks, compact, multiply};
use super::compile::{RangeNarrowing, RowOperation};
use super::prepare::{PreparedTable, equal_range, run_end};
use crate::algebra::Semiring;

/// Number of partial assignments in a batch: large enough to amortise overhead, small enough for the first-level cache.
const BATCH: usize = 1024;

/// The position at which the extension of a batch by one variable continues after the next batch is full.
#[derive(Debug, Default)]
pub(super) struct Cursor {
    row: usize,
    /// The next value to be tried in the extension of a batch, if all values of the variable are candidates. If sparse tables restrict the values,
    /// the field `next` is one plus the index of the next row of the leading table, or zero before its first row.
    next: usize,
    ranges: Ranges,
}

/// For each sparse table that contains one variable, its row ranges.
#[derive(Debug, Default)]
struct Ranges {
    /// For each sparse table, the range of rows that the join has not read yet.
    left: Vec<Range<usize>>,
    /// For each sparse table, the range of rows with the current value of the variable.
    here: Vec<Range<usize>>,
}

impl Cursor {
    pub(super) fn reset(&mut self) {
        (self.row, self.next) = (0, 0);
    }

    /// Returns the next pairs of a partial assignment and a value, for a variable whose values are all candidates.
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

/// Lists the next pairs of a partial assignment of `parent` and a value that all sparse tables of `narrows` allow. Stores the row ranges of the
/// listed values in `child`.
///
/// The values are read from the row range of the smallest sparse table (the leading table), and looked up in the other sparse tables.
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

/// Extends one partial assignment by the next values of a variable. Returns `true` if all values have been tried, and `false` if the batch is full.
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
            // The rows up to this value cannot match later values of the leading table, which are larger.
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

#[derive(Debug, Default)]
pub(super) struct Buffers {
    pub(super) values: Vec<u32>,
    alive: Vec<bool>,
}

/// Runs the operations `steps` on a batch of partial assignments; returns `true` if a product overflowed or underflowed.
pub(super) fn apply<S: Semiring>(
    tables: &[PreparedTable<S::Value>],
    steps: &[RowOperation],
    batch: &mut Batch<S::Value>,
    buffers: &mut Buffers,
    care: RangeChecks,
) -> bool {
    let mut lost = false;
    for step in steps {
        match step {
            RowOperation::Multiply {
                table,
                register,
                is_final,
            } => {
                let (table, offsets) = (&tables[*table], &batch.registers[*register]);
                lost |= multiply::<S>(&mut batch.product, &table.values, offsets, care);
                if table.extent.has_zeros && !is_final {
                    sweep::<S>(batch, buffers);
                }
            }
            RowOperation::Compute {
                table,
                register,
                narrow,
                advance,
            } => {
                let index = &tables[*table].index;
                let offsets = &batch.registers[*register];
                buffers.values.clear();
                buffers
                    .values
                    .extend(offsets.iter().map(|&offset| index[offset]));
                if buffers.values.contains(&FactorTable::NO_VALUE) {
                    buffers.alive.clear();
                    buffers
                        .alive
                        .extend(buffers.values.iter().map(|&x| x != FactorTable::NO_VALUE));
                    drop_dead(batch, buffers);
                }
                for narrow in narrow {
                    narrow_rows(
                        &tables[narrow.table].keys[narrow.depth],
                        narrow,
                        batch,
                        buffers,
                    );
                    drop_dead(batch, buffers);
                }
                for advance in advance {
                    batch.advance(advance, &buffers.values);
                }
            }
            RowOperation::Check {
                table,
                register,
                child,
            } => {
                let index = &tables[*table].index;
                let pairs = batch.registers[*register]
                    .iter()
                    .zip(&batch.registers[*child]);
                buffers.alive.clear();
                buffers
                    .alive
                    .extend(pairs.map(|(&offset, &value)| index[offset] as usize == value));
                batch.retain(&buffers.alive);
            }
        }
    }
    lost
}

pub(super) fn sweep<S: Semiring>(batch: &mut Batch<S::Value>, buffers: &mut Buffers) {
    buffers.alive.clear();
    buffers
        .alive
        .extend(batch.product.iter().map(|product| !S::is_zero(product)));
    if buffers.alive.contains(&false) {
        batch.retain(&buffers.alive);
    }
}

fn drop_dead<V: Clone>(batch: &mut Batch<V>, buffers: &mut Buffers) {
    if buffers.alive.contains(&false) {
        batch.retain(&buffers.alive);
        compact(&mut buffers.values, &buffers.alive);
    }
}

/// For each partial assignment of the batch, narrows the row range of a sparse table to the rows with the computed value of a variable. Marks those
/// partial assignments of a batch whose narrowed row range is empty.
fn narrow_rows<V: Clone>(
    keys: &[u32],
    narrow: &RangeNarrowing,
    batch: &mut Batch<V>,
    buffers: &mut Buffers,
) {
    buffers.alive.clear();
    if narrow.depth == 0 {
        let rows = buffers.values.len();
        batch.activate_column(narrow.low).resize(rows, 0);
        if !narrow.is_last {
            batch.activate_column(narrow.high).resize(rows, keys.len());
        }
    }
    for (row, &value) in buffers.values.iter().enumerate() {
        let end = if narrow.depth == 0 {
            keys.len()
        } else {
            batch.registers[narrow.high][row]
        };
        let range = equal_range(keys, batch.registers[narrow.low][row]..end, value);
        buffers.alive.push(!range.is_empty());
        batch.registers[narrow.low][row] = range.start;
        if !narrow.is_last {
            batch.registers[narrow.high][row] = range.end;
        }
    }
}
