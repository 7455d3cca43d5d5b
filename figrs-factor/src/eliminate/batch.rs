//! Batches: partial assignments in columns.

use std::ops::Range;

use super::program::RegisterAdvance;

/// A batch of partial assignments: the product of each assignment so far, and the live registers.
#[derive(Debug)]
pub(super) struct Batch<V> {
    pub(super) product: Vec<V>,
    /// The columns by number of register; columns of registers that are not live are empty.
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

/// Derivation of the rows of a new batch from the rows of its parent.
#[derive(Clone, Debug)]
pub(super) enum RowExpansion<'a> {
    /// Each of these rows with each of these values, ordered by value if there are fewer values, else by row.
    Product {
        rows: Range<usize>,
        values: Range<usize>,
    },
    /// The row and the value of each new row.
    Pairs { rows: &'a [u32], values: &'a [u32] },
}

impl<V: Clone> Batch<V> {
    /// Empties the batch and makes room for `registers` columns.
    pub(super) fn clear(&mut self, registers: usize) {
        self.product.clear();
        for r in self.live.drain(..) {
            self.registers[r].clear();
        }
        if self.registers.len() < registers {
            self.registers.resize_with(registers, Vec::new);
        }
    }

    /// Marks a column as live and returns it to be filled.
    pub(super) fn activate_column(&mut self, register: usize) -> &mut Vec<usize> {
        self.live.push(register);
        &mut self.registers[register]
    }

    /// Copies the products of `parent` to the new rows.
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

    /// Copies a register of `parent` to the new rows and advances it, or starts it.
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

    /// Changes a register in place by the values of a variable, or starts it.
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

    /// Keeps the rows that are alive, in all columns.
    pub(super) fn retain(&mut self, alive: &[bool]) {
        compact(&mut self.product, alive);
        for &r in &self.live {
            compact(&mut self.registers[r], alive);
        }
    }
}

/// Removes the entries of a column that are not alive.
pub(super) fn compact<T>(column: &mut Vec<T>, alive: &[bool]) {
    let mut row = alive.iter();
    column.retain(|_| row.next().copied().unwrap_or(true));
}
