//! Batches of partial assignments in a join, stored in columns, each with the product of the weights multiplied so far.

use std::ops::Range;

use super::compile::RegisterAdvance;
use crate::algebra::Semiring;

/// A batch of partial assignments in a join of tables. Each partial assignment of a batch has the product of the weights multiplied so far, and one
/// number in each register.
#[derive(Debug)]
pub(super) struct Batch<V> {
    pub(super) product: Vec<V>,
    /// For each register, the list of its numbers in all partial assignments of the batch; the list of an unused register is empty.
    pub(super) registers: Vec<Vec<usize>>,
    live: Vec<usize>,
}

impl<V> Default for Batch<V> {
    fn default() -> Self {
        Self {
            product: Vec::new(),
            registers: Vec::new(),
            live: Vec::new(),
        }
    }
}

/// The partial assignments that extend a batch: each extends a partial assignment of the batch by a value of the next variable.
#[derive(Clone, Debug)]
pub(super) enum RowExpansion<'a> {
    /// Every partial assignment of the batch is extended by every value of the next variable. The new partial assignments are sorted by value if
    /// there are fewer values than partial assignments, and otherwise by the partial assignment that each of them extends.
    Product {
        rows: Range<usize>,
        values: Range<usize>,
    },
    /// For each new partial assignment, the index of the partial assignment that it extends, and the added value.
    Pairs { rows: &'a [u32], values: &'a [u32] },
}

impl<V: Clone> Batch<V> {
    pub(super) fn clear(&mut self, registers: usize) {
        self.product.clear();
        for r in self.live.drain(..) {
            self.registers[r].clear();
        }
        if self.registers.len() < registers {
            self.registers.resize_with(registers, Vec::new);
        }
    }

    /// Marks the column of a register (its numbers in all partial assignments) as used, and returns the column to be filled.
    pub(super) fn activate_column(&mut self, register: usize) -> &mut Vec<usize> {
        self.live.push(register);
        &mut self.registers[register]
    }

    /// Copies the product of each partial assignment of the batch `parent` to the partial assignments that extend it.
    pub(super) fn carry_product(&mut self, parent: &Self, spread: &RowExpansion) {
        let out = &mut self.product;
        match spread {
            RowExpansion::Product { rows, values } if rows.len() >= values.len() => {
                for _ in values.clone() {
                    out.extend_from_slice(&parent.product[rows.clone()]);
                }
            }
            RowExpansion::Product { rows, values } => {
                for product in &parent.product[rows.clone()] {
                    out.extend(std::iter::repeat_n(product, values.len()).cloned());
                }
            }
            RowExpansion::Pairs { rows, .. } => {
                out.extend(rows.iter().map(|&p| parent.product[p as usize].clone()));
            }
        }
    }

    /// Copies a register (a column of numbers) of the batch `parent` to the new partial assignments, and adds to each of its numbers the offset that
    /// the value of the new variable causes. Creates the register of the new batch if the batch `parent` does not use it.
    pub(super) fn extend_register(
        &mut self,
        parent: &Self,
        spread: &RowExpansion,
        advance: &RegisterAdvance,
    ) {
        let &RegisterAdvance {
            register,
            stride,
            start,
        } = advance;
        let out = self.activate_column(register);
        let before = &parent.registers[register];
        match (spread, start) {
            (RowExpansion::Product { rows, values }, Some(base)) if rows.len() >= values.len() => {
                for value in values.clone() {
                    out.extend(std::iter::repeat_n(base + value * stride, rows.len()));
                }
            }
            (RowExpansion::Product { rows, values }, Some(base)) => {
                for _ in rows.clone() {
                    out.extend(values.clone().map(|value| base + value * stride));
                }
            }
            (RowExpansion::Product { rows, values }, None) if rows.len() >= values.len() => {
                for value in values.clone() {
                    let step = value * stride;
                    out.extend(before[rows.clone()].iter().map(|offset| offset + step));
                }
            }
            (RowExpansion::Product { rows, values }, None) => {
                for offset in &before[rows.clone()] {
                    out.extend(values.clone().map(|value| offset + value * stride));
                }
            }
            (RowExpansion::Pairs { values, .. }, Some(base)) => {
                out.extend(values.iter().map(|&value| base + value as usize * stride));
            }
            (RowExpansion::Pairs { rows, values }, None) => {
                let pairs = rows.iter().zip(*values);
                out.extend(pairs.map(|(&p, &value)| before[p as usize] + value as usize * stride));
            }
        }
    }

    /// Adds to a register of each partial assignment the offset that its value of one variable causes; creates the register if it is not in use.
    pub(super) fn advance(&mut self, advance: &RegisterAdvance, values: &[u32]) {
        let &RegisterAdvance {
            register,
            stride,
            start,
        } = advance;
        if let Some(base) = start {
            let column = values.iter().map(|&value| base + value as usize * stride);
            self.activate_column(register).extend(column);
        } else {
            for (offset, &value) in self.registers[register].iter_mut().zip(values) {
                *offset += value as usize * stride;
            }
        }
    }

    pub(super) fn retain(&mut self, alive: &[bool]) {
        compact(&mut self.product, alive);
        for &r in &self.live {
            compact(&mut self.registers[r], alive);
        }
    }
}

pub(super) fn compact<T>(column: &mut Vec<T>, alive: &[bool]) {
    let mut row = alive.iter();
    column.retain(|_| row.next().copied().unwrap_or(true));
}

/// Decision to check products of table entries for overflow and underflow, or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RangeChecks {
    /// Products need no check, because no product of entries of the tables can overflow or underflow.
    Needless,
    Needed,
}

/// Multiplies one product by one table entry; returns `true` if the result overflowed or underflowed.
fn multiply_one<S: Semiring, const CHECKED: bool>(
    product: &mut S::Value,
    factor: &S::Value,
) -> bool {
    let next = S::mul(product, factor);
    let lost = CHECKED && S::is_out_of_range(product, factor, &next);
    *product = next;
    lost
}

/// Multiplies each product by an entry of the list `entries`, whose index is in `offsets`; returns `true` if a result overflowed or underflowed.
pub(super) fn multiply<S: Semiring>(
    products: &mut [S::Value],
    entries: &[S::Value],
    offsets: &[usize],
    care: RangeChecks,
) -> bool {
    fn run<S: Semiring, const CHECKED: bool>(
        products: &mut [S::Value],
        entries: &[S::Value],
        offsets: &[usize],
    ) -> bool {
        let mut lost = false;
        for (product, &offset) in products.iter_mut().zip(offsets) {
            lost |= multiply_one::<S, CHECKED>(product, &entries[offset]);
        }
        lost
    }
    match care {
        RangeChecks::Needless => run::<S, false>(products, entries, offsets),
        RangeChecks::Needed => run::<S, true>(products, entries, offsets),
    }
}

/// Multiplies the products of a new batch by the entries of a table whose last unassigned variable is the batch's new variable;
/// returns `true` if a result overflowed or underflowed.
///
/// `before` contains an offset in the table for each partial assignment of the previous batch; `advance` describes how the new variable's value
/// changes this offset.
pub(super) fn multiply_spread<S: Semiring>(
    products: &mut [S::Value],
    entries: &[S::Value],
    before: &[usize],
    spread: &RowExpansion,
    advance: &RegisterAdvance,
    care: RangeChecks,
) -> bool {
    match care {
        RangeChecks::Needless => spread_out::<S, false>(products, entries, before, spread, advance),
        RangeChecks::Needed => spread_out::<S, true>(products, entries, before, spread, advance),
    }
}

fn spread_out<S: Semiring, const CHECKED: bool>(
    products: &mut [S::Value],
    entries: &[S::Value],
    before: &[usize],
    spread: &RowExpansion,
    &RegisterAdvance { stride, start, .. }: &RegisterAdvance,
) -> bool {
    let mut lost = false;
    match (spread, start) {
        (RowExpansion::Product { rows, values }, _) if rows.len() >= values.len() => {
            for (value, chunk) in values.clone().zip(products.chunks_exact_mut(rows.len())) {
                let entries = &entries[start.unwrap_or(0) + value * stride..];
                if start.is_some() {
                    for product in chunk {
                        lost |= multiply_one::<S, CHECKED>(product, &entries[0]);
                    }
                } else {
                    for (product, &offset) in chunk.iter_mut().zip(&before[rows.clone()]) {
                        lost |= multiply_one::<S, CHECKED>(product, &entries[offset]);
                    }
                }
            }
        }
        (RowExpansion::Product { rows, values }, _) => {
            for (row, chunk) in rows.clone().zip(products.chunks_exact_mut(values.len())) {
                let offset = start.unwrap_or_else(|| before[row]) + values.start * stride;
                if stride == 1 {
                    for (product, entry) in chunk.iter_mut().zip(&entries[offset..]) {
                        lost |= multiply_one::<S, CHECKED>(product, entry);
                    }
                } else {
                    for (product, entry) in chunk
                        .iter_mut()
                        .zip(entries[offset..].iter().step_by(stride))
                    {
                        lost |= multiply_one::<S, CHECKED>(product, entry);
                    }
                }
            }
        }
        (RowExpansion::Pairs { values, .. }, Some(base)) => {
            for (product, &value) in products.iter_mut().zip(*values) {
                lost |=
                    multiply_one::<S, CHECKED>(product, &entries[base + value as usize * stride]);
            }
        }
        (RowExpansion::Pairs { rows, values }, None) => {
            for (product, (&row, &value)) in products.iter_mut().zip(rows.iter().zip(*values)) {
                let offset = before[row as usize] + value as usize * stride;
                lost |= multiply_one::<S, CHECKED>(product, &entries[offset]);
            }
        }
    }
    lost
}
