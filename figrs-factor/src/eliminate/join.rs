//! Join of the tables of one bucket: multiplies the tables and sends the products to a sink (a dense table, power sums, a sparse list or a maximum).

use std::borrow::Cow;
use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use super::batch::{Batch, RangeChecks, RowExpansion, multiply_spread};
use super::compile::{CandidateSource, JoinProgram, RowKey, compile};
use super::error::{EliminationError, check_interrupt};
use super::plan::MessageLayout;
use super::prepare::{
    Domain, EliminationTable, Entries, Message, PreparedTable, TableShape, prepare, shape,
};
use super::steps::{Buffers, Cursor, apply, shared_values, sweep};
use super::variable_order::order_variables;
use crate::algebra::{LogSumProduct, MaxProduct, Semiring, ValueBounds};
use crate::graph::{Assignments, VarId};
use crate::limits::{Limits, MemoryAccount, Until};

/// Number of batches that a join processes between two checks of the deadline.
const BATCHES: u32 = 64;

/// Reusable buffers of joins, and the limits of the joins: deadline, interrupt and number of partial assignments.
#[derive(Debug)]
pub(super) struct JoinScratch<V> {
    until: Until,
    /// `true` if a product overflowed or underflowed.
    pub(super) lost: bool,
    since: u32,
    /// Number of partial assignments that the joins may still visit; the initial number is `max_assignments`.
    left: usize,
    max_assignments: usize,
    batches: Vec<Batch<V>>,
    cursors: Vec<Cursor>,
    rows: Vec<u32>,
    buffers: Buffers,
}

impl<V> JoinScratch<V> {
    pub(super) fn new(until: Until) -> Self {
        Self {
            until,
            lost: false,
            since: 0,
            left: usize::MAX,
            max_assignments: usize::MAX,
            batches: Vec::new(),
            cursors: Vec::new(),
            rows: Vec::new(),
            buffers: Buffers::default(),
        }
    }

    /// Sets the number of partial assignments that all joins that use the buffers may visit together.
    pub(super) fn with_assignment_limit(self, assignments: usize) -> Self {
        Self {
            left: assignments,
            max_assignments: assignments,
            ..self
        }
    }

    /// Subtracts `assignments` from the number of partial assignments that may still be visited; returns an error if too few remain.
    fn count_assignments(&mut self, assignments: usize) -> Result<(), EliminationError> {
        let Some(left) = self.left.checked_sub(assignments) else {
            return Err(EliminationError::TooManyOperations {
                needed: self.max_assignments as f64 + 1.0,
                limit: self.max_assignments as f64,
            });
        };
        self.left = left;
        Ok(())
    }

    /// Returns an error if the deadline has passed or the interrupt flag is set; to save time, only one of several successive calls makes this check.
    fn check_interrupt(&mut self) -> Result<(), EliminationError> {
        self.since += 1;
        if self.since >= BATCHES {
            self.since = 0;
            check_interrupt(&self.until)?;
        }
        Ok(())
    }
}

/// Multiplies `tables` over all assignments of `domain` with positive weight, and sends each product to `sink`, together with a key.
///
/// The key of a product consists of the values of the variables `outputs`.
///
/// The function `join` is a backtracking join (it assigns one variable after another) that extends batches of partial assignments instead of single
/// partial assignments. The join reads a dense table at an offset, to which each assigned value adds a multiple of a stride. The join reads a sparse
/// table in a range of sorted rows, which each assigned value narrows. A function table in the join computes the value of its child (last variable).
///
/// **Complexity.** The time is proportional to the number of partial assignments that no zero excludes, times the number of tables. The memory of the
/// join holds one batch of partial assignments for each variable. The function `join` does not call itself. **References.** Veldhuizen, *Leapfrog
/// triejoin: a simple, worst-case optimal join algorithm*, ICDT 2014.
pub(super) fn join<S: Semiring, K: Sink<S>>(
    tables: Vec<EliminationTable<'_, S>>,
    domain: &Domain,
    outputs: &[VarId],
    sink: &mut K,
    scratch: &mut JoinScratch<S::Value>,
) -> Result<(), EliminationError> {
    let outputs: Vec<usize> = outputs.iter().map(|&v| domain.position(v)).collect();
    let mut shapes: Vec<TableShape> = tables.iter().map(|table| shape(domain, table)).collect();
    let slots = order_variables(domain, &mut shapes);
    let program = compile(domain, &shapes, &slots, &outputs);
    let mut turns = vec![0; domain.variables.len()];
    for (i, slot) in slots.iter().enumerate() {
        turns[slot.variable] = i + 1;
    }
    let ready = tables.into_iter().zip(&shapes);
    let ready: Vec<_> = ready
        .map(|(table, shape)| prepare::<S>(table, shape, domain, &turns))
        .collect();
    if ready.iter().any(PreparedTable::is_empty) {
        return Ok(());
    }
    Join::<S> {
        program: &program,
        tables: &ready,
        care: range_checks(&ready),
    }
    .run(sink, scratch)
}

/// Multiplies `tables` as [`join`] does, and sums the products into a table over `output`.
///
/// **Errors.** Returns an error if a sparse result has more entries than the limits allow, or if this result and the memory in use exceed the memory
/// limit together. Returns all errors of [`join`].
pub(super) fn contract<S: Semiring>(
    tables: Vec<EliminationTable<'_, S>>,
    domain: &Domain,
    output: &[VarId],
    layout: MessageLayout,
    limits: &Limits,
    memory: MemoryAccount,
    scratch: &mut JoinScratch<S::Value>,
) -> Result<Message<S>, EliminationError> {
    let cards = output.iter().map(|&v| domain.cards[domain.position(v)]);
    let all = Assignments::rows(cards);
    let entries = if layout == MessageLayout::Dense {
        let mut sink = DenseSink(vec![S::zero(); all.count()]);
        join(tables, domain, output, &mut sink, scratch)?;
        Entries::Dense(Cow::Owned(sink.0))
    } else {
        let mut sink = SparseSink::new(limits, memory);
        join(tables, domain, output, &mut sink, scratch)?;
        let (rows, values) = sink.into_rows(&all);
        Entries::Sparse {
            rows: Cow::Owned(rows),
            weights: Cow::Owned(values),
        }
    };
    Ok(EliminationTable {
        scope: Cow::Owned(output.to_vec()),
        entries,
    })
}

/// Decides from bounds of the tables' entries if products must be checked for overflow and underflow.
fn range_checks<V: Clone>(tables: &[PreparedTable<V>]) -> RangeChecks {
    let sum = |exponent: fn(&ValueBounds) -> i32| -> i64 {
        tables
            .iter()
            .map(|table| i64::from(exponent(&table.extent)))
            .sum()
    };
    if sum(|extent| extent.low) < -1000 || sum(|extent| extent.high) > 1000 {
        RangeChecks::Needed
    } else {
        RangeChecks::Needless
    }
}

struct Join<'a, S: Semiring> {
    program: &'a JoinProgram,
    tables: &'a [PreparedTable<'a, S::Value>],
    care: RangeChecks,
}

impl<S: Semiring> Join<'_, S> {
    fn run<K: Sink<S>>(
        &self,
        sink: &mut K,
        scratch: &mut JoinScratch<S::Value>,
    ) -> Result<(), EliminationError> {
        let levels = &self.program.levels;
        if scratch.batches.len() < levels.len() {
            scratch.batches.resize_with(levels.len(), Batch::default);
        }
        if scratch.cursors.len() < levels.len() {
            scratch.cursors.resize_with(levels.len(), Cursor::default);
        }
        scratch.cursors[0].reset();
        let root = &mut scratch.batches[0];
        root.clear(self.program.registers);
        root.product.push(S::one());
        for advance in &levels[0].carry {
            root.activate_column(advance.register).extend(advance.start);
        }
        scratch.lost |= apply::<S>(
            self.tables,
            &levels[0].steps,
            root,
            &mut scratch.buffers,
            self.care,
        );
        let mut depth = 0;
        loop {
            scratch.check_interrupt()?;
            if depth + 1 == levels.len() {
                sink.take(&scratch.batches[depth], &self.program.key)?;
            } else if self.expand(depth, scratch) {
                depth += 1;
                scratch.count_assignments(scratch.batches[depth].product.len())?;
                let batch = &mut scratch.batches[depth];
                scratch.lost |= apply::<S>(
                    self.tables,
                    &levels[depth].steps,
                    batch,
                    &mut scratch.buffers,
                    self.care,
                );
                scratch.cursors[depth].reset();
                continue;
            }
            if depth == 0 {
                return Ok(());
            }
            depth -= 1;
        }
    }

    /// Fills the batch at depth `depth + 1` of the join with further extensions of the partial assignments at `depth`; returns `false` if all
    /// extensions have been made.
    fn expand(&self, depth: usize, scratch: &mut JoinScratch<S::Value>) -> bool {
        let JoinScratch {
            lost,
            batches,
            cursors,
            rows,
            buffers,
            ..
        } = scratch;
        let (parents, children) = batches.split_at_mut(depth + 1);
        let (parent, child) = (&parents[depth], &mut children[0]);
        let level = &self.program.levels[depth + 1];
        let cursor = &mut cursors[depth];
        child.clear(self.program.registers);
        let spread = match &level.source {
            CandidateSource::Root => return false,
            CandidateSource::All(card) => match cursor.next_product(parent.product.len(), *card) {
                Some((rows, values)) => RowExpansion::Product { rows, values },
                None => return false,
            },
            CandidateSource::Rows(narrows) => {
                shared_values(
                    self.tables,
                    narrows,
                    parent,
                    child,
                    cursor,
                    rows,
                    &mut buffers.values,
                );
                if rows.is_empty() {
                    return false;
                }
                RowExpansion::Pairs {
                    rows,
                    values: &buffers.values,
                }
            }
        };
        for advance in &level.carry {
            child.extend_register(parent, &spread, advance);
        }
        child.carry_product(parent, &spread);
        let mut zeros = false;
        for advance in &level.multiply {
            let table = &self.tables[advance.register];
            let before = &parent.registers[advance.register];
            *lost |= multiply_spread::<S>(
                &mut child.product,
                &table.values,
                before,
                &spread,
                advance,
                self.care,
            );
            zeros |= table.extent.has_zeros;
        }
        if zeros && !level.is_final {
            sweep::<S>(child, buffers);
        }
        true
    }
}

/// Number of entries of a hash map below which the growth of the map is not checked against the memory limit.
const DENSE_ENTRIES: usize = 1 << 16;
/// Memory of a growing hash map, as a multiple of the size of its entries.
///
/// While a hash map grows, the old table and a new table of twice its size exist, and neither is full.
const ENTRY: usize = 4;
/// Overhead of a row (a list of values) on the heap in bytes: its pointer, its length, and the overhead of the allocator.
const ROW: usize = 48;

/// Receiver of the products of a join; the key of a product selects the entry of the result to which the product is added.
pub(super) trait Sink<S: Semiring> {
    /// Adds the products of a batch of complete assignments to the result.
    fn take(&mut self, batch: &Batch<S::Value>, key: &RowKey) -> Result<(), EliminationError>;
}

/// A receiver of the products of a join that sums them in an array; the row-major index of an assignment selects the entry.
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

/// A receiver of products that computes sums of their powers (power sums), stored as logarithms in an array.
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

    /// Returns the logarithms of the power sums of `products` products for each entry; products that the sink did not receive count as zero.
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

/// A receiver of the products of a join that sums them in a hash map. The keys of the hash map are row-major indices, or lists of values if the
/// indices could overflow.
pub(super) struct SparseSink<'a, V> {
    numbers: FxHashMap<usize, V>,
    rows: FxHashMap<Box<[u32]>, V>,
    limits: &'a Limits,
    /// Memory of the messages, which excludes the entries of the hash map in this receiver of products.
    memory: MemoryAccount,
    /// Number of entries of the hash map for which the last check found enough memory.
    admitted: usize,
}

impl<'a, V> SparseSink<'a, V> {
    /// Creates a sink that returns an error if it gets more entries than a table may have, or if its entries and the memory in use exceed the memory
    /// limit together.
    pub(super) fn new(limits: &'a Limits, memory: MemoryAccount) -> Self {
        Self {
            numbers: FxHashMap::default(),
            rows: FxHashMap::default(),
            limits,
            memory,
            admitted: DENSE_ENTRIES,
        }
    }

    /// Returns the sorted keys of the entries as rows (lists of values), and the sum for each row; `keys` converts row-major indices to rows.
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

/// A receiver of the products of a join that stores the largest product, and among equal products the first in the row-major order of assignments.
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
