//! The values of one element in the rows of a block.

use std::rc::Rc;

use super::classes::{Class, codes, restrict_classes};
use super::selection::{Selection, mask_where};
use figrs_core::element::footprint::ALLOCATION;
use figrs_core::value::column::AnyColumn;

/// The index of a dictionary of values in a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct DictionaryId(pub(super) u32);

/// The index of an element in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ColumnSlot(pub(super) u32);

impl ColumnSlot {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The values of an element in some rows.
#[derive(Clone, Debug)]
pub(crate) enum Column {
    /// Truth values: one bit for each row of the block, including the rows that are not selected.
    Bits(Rc<Vec<u64>>),
    /// Dictionary codes: positions in a list of values, in the order of the selected rows.
    Codes(Rc<Vec<u32>>, DictionaryId),
    /// Disjoint sets of rows that together are the selected rows; each set has the position of its value in a list.
    Classes(Rc<[Class]>, DictionaryId),
    /// Values, in the order of the selected rows.
    Typed(Rc<dyn AnyColumn>),
}

/// Values with the rows that they belong to.
#[derive(Debug)]
pub(crate) struct StoredColumn {
    pub(super) rows: Selection,
    pub(super) column: Column,
    /// Number of times that the rows had been resampled before the values were stored.
    pub(super) generation: usize,
}

impl Column {
    /// Address of the values, which clones of a column share.
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
    pub(super) fn restrict(&self, own: &Selection, rows: &Selection) -> Self {
        if matches!(self, Self::Bits(_)) || rows.same_as(own) {
            return self.clone();
        }
        if let Self::Classes(classes, dictionary) = self {
            return Self::Classes(restrict_classes(classes, rows), *dictionary);
        }
        self.at(&rows.positions_in(own))
    }

    /// The values at some positions of the list; columns stored as sets of rows are returned unchanged.
    pub(super) fn at(&self, positions: &[u32]) -> Self {
        match self {
            Self::Bits(_) | Self::Classes(..) => self.clone(),
            Self::Codes(codes, dictionary) => {
                let part = positions.iter().map(|&at| codes[at as usize]);
                Self::Codes(Rc::new(part.collect()), *dictionary)
            }
            Self::Typed(values) => Self::Typed(Rc::from(values.gather(positions))),
        }
    }

    /// A column with the same value in all rows.
    pub(super) fn constant(rows: &Selection, code: u32, dictionary: DictionaryId) -> Self {
        let rows = rows.clone();
        Self::Classes(Rc::new([Class { rows, code }]), dictionary)
    }

    /// The column as a list of codes if it is stored as classes; any other column unchanged.
    pub(super) fn listed(&self, own: &Selection) -> Self {
        match self {
            Self::Classes(classes, dictionary) => {
                Self::Codes(Rc::new(codes(classes, own)), *dictionary)
            }
            Self::Bits(_) | Self::Codes(..) | Self::Typed(_) => self.clone(),
        }
    }

    /// A column of truth values as bits, any other column unchanged.
    pub(super) fn packed(values: Box<dyn AnyColumn>, rows: &Selection) -> Self {
        match values.as_any().downcast_ref::<Vec<bool>>() {
            Some(truths) => Self::Bits(Rc::new(mask_where(rows, |at| truths[at]))),
            None => Self::Typed(Rc::from(values)),
        }
    }
}
