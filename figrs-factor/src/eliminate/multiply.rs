//! Products, a column at a time.

use super::batch::RowExpansion;
use super::program::RegisterAdvance;
use crate::algebra::Semiring;

/// Range checks of products: needless or needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RangeChecks {
    /// No product of the tables can leave the range.
    Needless,
    Needed,
}

/// Multiplies one product; returns `true` if it was lost.
fn multiply_one<S: Semiring, const CHECKED: bool>(
    product: &mut S::Value,
    factor: &S::Value,
) -> bool {
    let next = S::mul(product, factor);
    let lost = CHECKED && S::is_out_of_range(product, factor, &next);
    *product = next;
    lost
}

/// Multiplies products by the entries of a table at these offsets; returns `true` if one was lost.
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

/// Multiplies the products of a new batch by the entries of a table that its variable completes; returns `true` if one
/// was lost.
///
/// `before` are the offsets of the parent's rows, which `advance` moves by the new variable.
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
