//! The values of one element in the worlds (rows) of a block.

use std::rc::Rc;

use super::classes::{Class, codes, restrict_classes};
use super::selection::{Selection, mask_where};
use figrs_core::element::footprint::ALLOCATION;
use figrs_core::value::column::AnyColumn;

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

/// The values of an element in some worlds of a block.
#[derive(Clone, Debug)]
pub(crate) enum Column {
    /// Truth values: one bit for each world of the block, even for worlds that are not selected.
    Bits(Rc<Vec<u64>>),
    /// Dictionary codes (indices in a list of values), in the order of the selected worlds.
    Codes(Rc<Vec<u32>>, DictionaryId),
    /// Disjoint sets of worlds with equal values, each with the dictionary code of its value. Their union is the set of selected worlds.
    Classes(Rc<[Class]>, DictionaryId),
    /// A typed list of values, in the order of the selected worlds.
    Typed(Rc<dyn AnyColumn>),
}

/// The values of an element, and the worlds that have a value.
#[derive(Debug)]
pub(crate) struct StoredColumn {
    pub(super) rows: Selection,
    pub(super) column: Column,
    /// Number of resamplings of the worlds before the values were stored.
    pub(super) generation: usize,
}

impl Column {
    /// Returns the memory address of the values, which clones of the column share.
    pub(super) fn address(&self) -> usize {
        match self {
            Self::Bits(bits) => Rc::as_ptr(bits).addr(),
            Self::Codes(codes, _) => Rc::as_ptr(codes).addr(),
            Self::Classes(classes, _) => Rc::as_ptr(classes).addr(),
            Self::Typed(values) => Rc::as_ptr(values).addr(),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        let values = match self {
            Self::Bits(bits) => size_of_val(&***bits),
            Self::Codes(codes, _) => size_of_val(&***codes),
            Self::Classes(classes, _) => classes.iter().map(Class::bytes).sum(),
            Self::Typed(values) => values.bytes(),
        };
        values + 2 * ALLOCATION
    }

    /// Returns the values for the worlds `rows`, which must be among the column's worlds `own`.
    pub(super) fn restrict(&self, own: &Selection, rows: &Selection) -> Self {
        if matches!(self, Self::Bits(_)) || rows.same_as(own) {
            return self.clone();
        }
        if let Self::Classes(classes, dictionary) = self {
            return Self::Classes(restrict_classes(classes, rows), *dictionary);
        }
        self.at(&rows.positions_in(own))
    }

    /// Returns the values at the indices `positions`; a column of bits or classes is returned unchanged.
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

    pub(super) fn constant(rows: &Selection, code: u32, dictionary: DictionaryId) -> Self {
        let rows = rows.clone();
        Self::Classes(Rc::new([Class { rows, code }]), dictionary)
    }

    /// Converts a column of classes (sets of worlds with equal values) to a list of codes; any other column is returned unchanged.
    pub(super) fn listed(&self, own: &Selection) -> Self {
        match self {
            Self::Classes(classes, dictionary) => {
                Self::Codes(Rc::new(codes(classes, own)), *dictionary)
            }
            Self::Bits(_) | Self::Codes(..) | Self::Typed(_) => self.clone(),
        }
    }

    /// Converts a list of truth values to bits; any other list is stored unchanged.
    pub(super) fn packed(values: Box<dyn AnyColumn>, rows: &Selection) -> Self {
        match values.as_any().downcast_ref::<Vec<bool>>() {
            Some(truths) => Self::Bits(Rc::new(mask_where(rows, |at| truths[at]))),
            None => Self::Typed(Rc::from(values)),
        }
    }
}
