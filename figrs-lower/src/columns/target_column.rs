//! Values of a target in the surviving worlds of a block.

use std::rc::Rc;

use super::block::Block;
use super::classes::codes;
use super::column::Column;
use super::dictionary::Dictionary;
use super::selection::{Selection, first_row};
use figrs_core::value::column::AnyColumn;

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
