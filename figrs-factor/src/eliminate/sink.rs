//! Sinks of a join, which receive its products: a dense table, power sums, a sparse list, a maximum.

use crate::limits::{Limits, MemoryAccount};
use std::collections::hash_map::Entry;

use crate::graph::Assignments;
use rustc_hash::FxHashMap;

use super::batch::Batch;
use super::compile::RowKey;
use super::error::EliminationError;
use crate::algebra::{LogSumProduct, MaxProduct, Semiring};

/// Number of entries of a hash map below which its growth is not checked against the memory limit.
const DENSE_ENTRIES: usize = 1 << 16;
/// Memory of a growing hash map, as a multiple of the size of its entries.
///
/// While a hash map grows, the old table and a new table of twice its size exist, and neither is full.
const ENTRY: usize = 4;
/// Overhead of a row on the heap in bytes: its pointer, its length, and the overhead of the allocator.
const ROW: usize = 48;

/// Receiver of the products of a join; the key of a product selects the entry of the result to which it is added.
pub(super) trait Sink<S: Semiring> {
    /// Adds the products of a batch of complete assignments to the result.
    fn take(&mut self, batch: &Batch<S::Value>, key: &RowKey) -> Result<(), EliminationError>;
}

/// A sink that sums products in an array; the row-major index of an assignment selects the entry.
pub(super) struct DenseSink<V>(pub(super) Vec<V>);

impl<S: Semiring> Sink<S> for DenseSink<S::Value> {
    fn take(&mut self, batch: &Batch<S::Value>, key: &RowKey) -> Result<(), EliminationError> {
        if let RowKey::Number(register) = key {
            for (&place, product) in batch.registers[*register].iter().zip(&batch.product) {
                S::accumulate(&mut self.0[place], product);
            }
        }
        Ok(())
    }
}

/// A sink that computes power sums, stored as logarithms in an array.
pub(super) struct PowerSink {
    weight: f64,
    /// For each entry, the logarithm of the sum of the powers of its non-zero products, and the number of these products.
    sums: Vec<(f64, usize)>,
}

impl PowerSink {
    pub(super) fn new(entries: usize, weight: f64) -> Self {
        Self {
            weight,
            sums: vec![(f64::NEG_INFINITY, 0); entries],
        }
    }

    /// Returns the logarithms of the power sums of `products` products for each entry; the products that the sink did not receive are zero.
    pub(super) fn into_logs(self, products: usize) -> Vec<f64> {
        let log = |(sum, added): (f64, usize)| {
            if self.weight < 0.0 && added < products {
                f64::NEG_INFINITY
            } else {
                self.weight * sum
            }
        };
        self.sums.into_iter().map(log).collect()
    }
}

impl Sink<MaxProduct> for PowerSink {
    fn take(&mut self, batch: &Batch<f64>, key: &RowKey) -> Result<(), EliminationError> {
        if let RowKey::Number(register) = key {
            for (&place, &product) in batch.registers[*register].iter().zip(&batch.product) {
                if product > f64::NEG_INFINITY {
                    let (sum, added) = &mut self.sums[place];
                    *sum = LogSumProduct::add(*sum, product / self.weight);
                    *added += 1;
                }
            }
        }
        Ok(())
    }
}

/// A sink that sums products in a hash map. The keys are row-major indices, or rows of values if the indices could overflow.
pub(super) struct SparseSink<'a, V> {
    numbers: FxHashMap<usize, V>,
    rows: FxHashMap<Box<[u32]>, V>,
    limits: &'a Limits,
    /// Memory of the messages, which excludes the entries of this sink.
    memory: MemoryAccount,
    /// Number of entries for which the last check of the memory found enough memory.
    admitted: usize,
}

impl<'a, V> SparseSink<'a, V> {
    /// Creates a sink with limits: it returns an error if it gets more entries than a table may have, or if these entries and the memory in use
    /// exceed the memory limit together.
    pub(super) fn new(limits: &'a Limits, memory: MemoryAccount) -> Self {
        Self {
            numbers: FxHashMap::default(),
            rows: FxHashMap::default(),
            limits,
            memory,
            admitted: DENSE_ENTRIES,
        }
    }

    /// Returns the sorted rows of the entries, and the sum for each row; `keys` converts row-major indices to rows.
    pub(super) fn into_rows(self, keys: &Assignments) -> (Vec<u32>, Vec<V>) {
        let mut numbers: Vec<(usize, V)> = self.numbers.into_iter().collect();
        numbers.sort_unstable_by_key(|entry| entry.0);
        let mut wide: Vec<(Box<[u32]>, V)> = self.rows.into_iter().collect();
        wide.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let mut rows = Vec::with_capacity((numbers.len() + wide.len()) * keys.variables());
        let mut values = Vec::with_capacity(numbers.len() + wide.len());
        for (number, value) in numbers {
            rows.extend(keys.values(number));
            values.push(value);
        }
        for (row, value) in wide {
            rows.extend_from_slice(&row);
            values.push(value);
        }
        (rows, values)
    }

    fn check(&mut self) -> Result<(), EliminationError> {
        let needed = self.numbers.len() + self.rows.len();
        let limit = self.limits.table_entries;
        if needed > limit {
            return Err(EliminationError::TableTooLarge {
                needed: needed as f64,
                limit,
            });
        }
        if needed > self.admitted {
            let width = self.rows.keys().next().map_or(0, |row| row.len());
            let row = if width == 0 { 0 } else { ROW + 4 * width };
            let entry = ENTRY * (size_of::<usize>() + size_of::<V>()) + row;
            (self.memory).check(self.limits, (needed * entry) as u64)?;
            // The admitted number exceeds the needed number by a sixteenth, so that not every batch queries the available memory.
            self.admitted = needed + needed / 16;
        }
        Ok(())
    }
}

impl<S: Semiring> Sink<S> for SparseSink<'_, S::Value> {
    fn take(&mut self, batch: &Batch<S::Value>, key: &RowKey) -> Result<(), EliminationError> {
        for (row, product) in batch.product.iter().enumerate() {
            if S::is_zero(product) {
                continue;
            }
            match key {
                RowKey::Number(register) => {
                    add::<S, _>(self.numbers.entry(batch.registers[*register][row]), product);
                }
                RowKey::Values(registers) => {
                    let values = registers.iter().map(|&r| batch.registers[r][row] as u32);
                    add::<S, _>(self.rows.entry(values.collect()), product);
                }
            }
        }
        self.check()
    }
}

fn add<S: Semiring, K>(entry: Entry<'_, K, S::Value>, product: &S::Value) {
    match entry {
        Entry::Vacant(place) => {
            place.insert(product.clone());
        }
        Entry::Occupied(mut sum) => S::accumulate(sum.get_mut(), product),
    }
}

/// A sink that stores the largest product, and among equal products the first in the row-major order of assignments.
#[derive(Debug, Default)]
pub(super) struct BestSink {
    /// The largest product and the row-major index of its assignment; `None` if the sink has received no product.
    pub(super) best: Option<(f64, usize)>,
}

impl Sink<MaxProduct> for BestSink {
    fn take(&mut self, batch: &Batch<f64>, key: &RowKey) -> Result<(), EliminationError> {
        if let RowKey::Number(register) = key {
            for (&place, &product) in batch.registers[*register].iter().zip(&batch.product) {
                let is_better = self
                    .best
                    .is_none_or(|(most, at)| product > most || product == most && place < at);
                if is_better && product > f64::NEG_INFINITY {
                    self.best = Some((product, place));
                }
            }
        }
        Ok(())
    }
}
