//! Join of the tables of one bucket: multiplies the tables and sends the products to a sink.

use crate::limits::{Limits, MemoryAccount, Until};
use std::borrow::Cow;

use crate::graph::{Assignments, VarId};

use super::batch::{Batch, RangeChecks, RowExpansion, multiply_spread};
use super::compile::{CandidateSource, JoinProgram, compile};
use super::error::{EliminationError, check_interrupt};
use super::plan::MessageLayout;
use super::prepare::{
    Domain, EliminationTable, Entries, Message, PreparedTable, TableShape, prepare, shape,
};
use super::sink::{DenseSink, Sink, SparseSink};
use super::steps::{Buffers, Cursor, apply, shared_values, sweep};
use super::variable_order::order_variables;
use crate::algebra::{Semiring, ValueBounds};

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

    /// Subtracts `assignments` from the remaining number of partial assignments; returns an error if too few remain.
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

    /// Returns an error if the deadline has passed or the interrupt flag is set; only one of several calls makes this check.
    fn check_interrupt(&mut self) -> Result<(), EliminationError> {
        self.since += 1;
        if self.since >= BATCHES {
            self.since = 0;
            check_interrupt(&self.until)?;
        }
        Ok(())
    }
}

/// Multiplies `tables` over all assignments of `domain` with positive weight, and sends each product to `sink`, with a key.
///
/// The key of a product has the values of the variables `outputs`.
///
/// `join` is a backtracking join that extends batches of partial assignments instead of single partial assignments. A dense table is read at an
/// offset, to which each assigned value adds a multiple of a stride. A sparse table is read in a range of sorted rows, which each assigned value
/// narrows. A function table computes the value of its child (last variable).
///
/// **Complexity.** The time is proportional to the number of partial assignments that no zero excludes, times the number of tables. The memory holds
/// one batch of partial assignments for each variable. `join` does not recurse. **References.** Veldhuizen, *Leapfrog triejoin: a simple, worst-case
/// optimal join algorithm*, ICDT 2014.
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

    /// Fills the batch at `depth + 1` with further extensions of the partial assignments at `depth`; returns `false` if all extensions have been
    /// made.
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
