//! Dictionary codes for the values of elements in a block.

use std::rc::Rc;

use super::block::Block;
use super::column::{Column, ColumnSlot, DictionaryId};
use super::dictionary::Dictionary;
use super::selection::Selection;
use figrs_core::element::node::AnyElement;
use figrs_core::value::column::AnyColumn;
use figrs_core::value::datum::Datum;

/// If the dictionary of an element has more values than this number, values that are computed world by world are stored in a typed list instead,
/// because they rarely repeat.
const MAX_DICTIONARY: usize = 1 << 10;
/// If values are larger than this number of bytes, values that are computed world by world are stored in a typed list instead of codes, because a
/// lookup in the dictionary takes as long as their computation.
const MAX_VALUE_BYTES: usize = 32;

impl Block {
    pub(super) fn add_dictionary(&mut self, values: Dictionary) -> DictionaryId {
        self.bytes.added(values.bytes());
        self.dictionaries.add(values)
    }

    pub(super) fn dictionary(&self, dictionary: DictionaryId) -> &Dictionary {
        self.dictionaries.get(dictionary)
    }

    /// Returns a dictionary for the values of `element` to which values can be added.
    pub(super) fn growing_dictionary(&mut self, element: &AnyElement) -> DictionaryId {
        self.add_dictionary(Dictionary::Growing(element.no_values()))
    }

    /// Returns a table from the codes of the dictionary `from` to the codes of an element's own dictionary; missing values are added to the own
    /// dictionary. Returns `None` if both are the same dictionary.
    pub(super) fn translation(
        &mut self,
        slot: ColumnSlot,
        from: DictionaryId,
    ) -> Option<Rc<Vec<u32>>> {
        let to = self.own_dictionary(slot);
        if from == to {
            return None;
        }
        let memo = &mut self.instructions[slot.index()].memo;
        let table = memo.translations.entry(from).or_default();
        self.dictionaries.translate(from, to, table);
        Some(table.clone())
    }

    pub(super) fn constant(&mut self, slot: ColumnSlot, value: &Datum, rows: &Selection) -> Column {
        if let Some(&truth) = value.get::<bool>() {
            let bits = if truth {
                rows.mask().to_vec()
            } else {
                vec![0; rows.mask().len()]
            };
            return Column::Bits(Rc::new(bits));
        }
        let dictionary = self.own_dictionary(slot);
        let code = self.dictionaries.intern(dictionary, value.as_any());
        Column::constant(rows, code, dictionary)
    }

    /// Returns an element's own dictionary, to which values can be added.
    pub(super) fn own_dictionary(&mut self, slot: ColumnSlot) -> DictionaryId {
        if let Some(dictionary) = self.instructions[slot.index()].dictionary {
            return dictionary;
        }
        let element = self.instructions[slot.index()].element.clone();
        let dictionary = self.growing_dictionary(&element);
        self.instructions[slot.index()].dictionary = Some(dictionary);
        dictionary
    }

    /// Converts values of an element to codes of its own dictionary, if the dictionary is short and the values are small. One column of codes can
    /// then hold all values if the values in other worlds are codes as well. Floating-point numbers are not converted, because they rarely repeat,
    /// and because 0.0 and -0.0 would have the same code.
    pub(super) fn encoded(&mut self, slot: ColumnSlot, values: Box<dyn AnyColumn>) -> Column {
        let is_float = values.as_any().is::<Vec<f64>>() || values.as_any().is::<Vec<f32>>();
        // The capacity of a list to which values were added one by one is a power of two.
        let room = values.len().next_power_of_two().max(4);
        if is_float || values.bytes() > MAX_VALUE_BYTES * room {
            return Column::Typed(Rc::from(values));
        }
        let dictionary = self.own_dictionary(slot);
        if self.dictionary(dictionary).len() > MAX_DICTIONARY {
            return Column::Typed(Rc::from(values));
        }
        let code = |at| self.dictionaries.intern(dictionary, values.any(at));
        let codes: Vec<u32> = (0..values.len()).map(code).collect();
        Column::Codes(Rc::new(codes), dictionary)
    }
}
