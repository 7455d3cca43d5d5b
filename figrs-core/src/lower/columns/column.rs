//! The values of one element in the rows of a block.

use std::rc::Rc;

use super::classes::{Class, within};
use super::selection::{Selection, for_each_row};
use crate::element::footprint::ALLOCATION;
use crate::value::column::AnyColumn;

/// The index of a dictionary of values in a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct DictionaryId(pub(super) u32);

/// Values of some rows.
#[derive(Clone, Debug)]
pub(crate) enum Column {
    /// Truth values, one bit for each row of the block, whether it is selected or not.
    Bits(Rc<Vec<u64>>),
    /// Dictionary codes: positions in a list of values, in the order of the selected rows.
    Codes(Rc<Vec<u32>>, DictionaryId),
    /// Disjoint sets of rows that make up the selected ones, each with the position of its value in a list.
    Classes(Rc<[Class]>, DictionaryId),
    /// Values, in the order of the selected rows.
    Typed(Rc<dyn AnyColumn>),
}

/// Values with the rows that they belong to.
#[derive(Debug)]
pub(crate) struct StoredColumn {
    pub(super) rows: Selection,
    pub(super) column: Column,
    /// Number of resamplings of the rows before.
    pub(super) generation: usize,
}

impl Column {
    /// Address of the values: clones share one.
    pub(super) fn address(&self) -> usize {
        match self {
            Self::Bits(bits) => Rc::as_ptr(bits).addr(),
            Self::Codes(codes, _) => Rc::as_ptr(codes).addr(),
            Self::Classes(classes, _) => Rc::as_ptr(classes).addr(),
            Self::Typed(values) => Rc::as_ptr(values).addr(),
        }
    }

    /// Approximate size of the values, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let values = match self {
            Self::Bits(bits) => size_of_val(&***bits),
            Self::Codes(codes, _) => size_of_val(&***codes),
            Self::Classes(classes, _) => classes.iter().map(Class::bytes).sum(),
            Self::Typed(values) => values.bytes(),
        };
        values + 2 * ALLOCATION
    }

    /// The values of some of the rows that this column belongs to.
    pub(super) fn part(&self, own: &Selection, rows: &Selection) -> Self {
        if matches!(self, Self::Bits(_)) || rows.same_as(own) {
            return self.clone();
        }
        if let Self::Classes(classes, book) = self {
            return Self::Classes(within(classes, rows), *book);
        }
        self.at(&rows.positions_in(own))
    }

    /// The values at some positions of the list; columns held as sets of rows stay as they are.
    pub(super) fn at(&self, positions: &[u32]) -> Self {
        match self {
            Self::Bits(_) | Self::Classes(..) => self.clone(),
            Self::Codes(codes, book) => {
                let part = positions.iter().map(|&at| codes[at as usize]);
                Self::Codes(Rc::new(part.collect()), *book)
            }
            Self::Typed(values) => Self::Typed(Rc::from(values.gather(positions))),
        }
    }
}

/// The rows of a list whose item at the row's position passes a test, as a mask.
pub(super) fn mask_where(rows: &Selection, mut test: impl FnMut(usize) -> bool) -> Vec<u64> {
    let mut mask = vec![0; rows.mask().len()];
    let mut position = 0;
    for_each_row(rows.mask(), |row| {
        mask[row / 64] |= u64::from(test(position)) << (row % 64);
        position += 1;
    });
    mask
}

/// Merge order of two disjoint selections: the positions of the items of both lists, the first list's items before the
/// second's, in the order of the union.
pub(super) fn interleave(first: &Selection, second: &Selection) -> Vec<u32> {
    let (a, b) = (first.rows(), second.rows());
    let mut order = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        let from_first = j == b.len() || (i < a.len() && a[i] < b[j]);
        if from_first {
            order.push(i as u32);
            i += 1;
        } else {
            order.push((a.len() + j) as u32);
            j += 1;
        }
    }
    order
}
