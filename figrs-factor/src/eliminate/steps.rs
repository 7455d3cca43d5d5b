//! In-place operations on the rows of a batch.

use crate::graph::FactorTable;

use super::batch::{Batch, RangeChecks, compact, multiply};
use super::compile::{RangeNarrowing, RowOperation};
use super::prepare::{PreparedTable, equal_range};
use crate::algebra::Semiring;

/// Scratch columns.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    /// The values of one variable.
    pub(super) values: Vec<u32>,
    alive: Vec<bool>,
}

/// Runs `steps` on a batch; returns `true` if a product left the range of the semiring.
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

/// Drops the rows whose product is zero.
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

/// Narrows the ranges of a sparse table to the rows of a computed value, and marks rows with none left.
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
