//! The values of one element in the worlds (rows) of a block.

use std::rc::Rc;

use figrs_core::element::function::ALLOCATION;
use figrs_core::value::support::AnyColumn;

use super::block::Block;
use super::classes::{Class, codes, restrict_classes};
use super::dictionary::Dictionary;
use super::selection::{Selection, first_row, mask_where};

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

impl Block {
    /// Returns the values of a target in the surviving worlds, after all roots have been evaluated.
    pub fn target(&mut self, target: usize) -> TargetColumn<'_> {
        let slot = self.target_slot(target);
        self.follow_resampling(slot);
        let rows = self.weights.alive().clone();
        let no_values = || {
            let element = &self.instructions[slot.index()].element;
            Column::Typed(Rc::from(element.no_column()))
        };
        let column = self.values[slot.index()]
            .as_ref()
            .map_or_else(no_values, |stored| {
                stored.column.restrict(&stored.rows, &rows)
            });
        let (values, dictionary) = match column {
            Column::Bits(bits) => (TargetColumnValues::Bits(bits), None),
            Column::Codes(codes, dictionary) => {
                (TargetColumnValues::Codes(codes), Some(dictionary))
            }
            Column::Classes(classes, dictionary) => {
                let codes = codes(&classes, &rows);
                (TargetColumnValues::Codes(Rc::new(codes)), Some(dictionary))
            }
            Column::Typed(values) => (TargetColumnValues::Typed(values), None),
        };
        TargetColumn {
            rows,
            values,
            dictionary: dictionary.map(|dictionary| self.dictionary(dictionary)),
        }
    }
}

/// The values of a target in the surviving worlds of a block.
#[derive(Debug)]
pub struct TargetColumn<'a> {
    rows: Selection,
    values: TargetColumnValues,
    /// The dictionary of the codes, if the values are stored as codes.
    dictionary: Option<&'a Dictionary>,
}

#[derive(Debug)]
enum TargetColumnValues {
    Bits(Rc<Vec<u64>>),
    Codes(Rc<Vec<u32>>),
    Typed(Rc<dyn AnyColumn>),
}

/// The values of a column, in their storage format.
#[derive(Debug)]
pub enum ColumnValues<'a> {
    /// Truth values, with one bit for each world of the block.
    Bits(&'a [u64]),
    /// Dictionary codes, in the order of the worlds.
    Codes(&'a [u32]),
    /// A typed list of values, in the order of the worlds.
    Typed(&'a dyn AnyColumn),
}

impl TargetColumn<'_> {
    /// Returns the surviving worlds, in ascending order.
    pub fn rows(&self) -> &[u32] {
        self.rows.rows()
    }

    /// Returns the first surviving world.
    pub fn first_row(&self) -> Option<usize> {
        first_row(self.rows.mask())
    }

    /// Returns the surviving worlds as a bit mask.
    pub fn mask(&self) -> &[u64] {
        self.rows.mask()
    }

    /// Returns the values, in their storage format.
    pub fn values(&self) -> ColumnValues<'_> {
        match &self.values {
            TargetColumnValues::Bits(bits) => ColumnValues::Bits(bits),
            TargetColumnValues::Codes(codes) => ColumnValues::Codes(codes),
            TargetColumnValues::Typed(values) => ColumnValues::Typed(&**values),
        }
    }

    /// Returns the number of values in the dictionary; zero if the column has no dictionary.
    pub fn codes(&self) -> usize {
        self.dictionary.map_or(0, Dictionary::len)
    }

    /// Returns the value with the code `code`.
    pub fn value(&self, code: u32) -> Option<&dyn std::any::Any> {
        self.dictionary.map(|values| values.any(code as usize))
    }
}
