//! Dictionaries of a block: lists of distinct values, the codes that refer to them, and the buffers of codes.

use std::any::Any;
use std::collections::VecDeque;
use std::ops::Deref;
use std::rc::Rc;

use figrs_core::element::node::AnyElement;
use figrs_core::value::datum::Datum;
use figrs_core::value::support::{AnyColumn, Support, SupportBuilder};

use super::block::Block;
use super::column::{Column, ColumnSlot, DictionaryId};
use super::selection::Selection;

#[derive(Debug)]
pub(crate) enum Dictionary {
    Fixed(Support),
    Growing(SupportBuilder),
}

impl Deref for Dictionary {
    type Target = Support;

    fn deref(&self) -> &Support {
        match self {
            Self::Fixed(values) => values,
            Self::Growing(values) => values,
        }
    }
}

impl Dictionary {
    pub(super) fn code(&self, value: &dyn Any) -> Option<u32> {
        self.index_of(value).map(|code| code as u32)
    }
}

#[derive(Debug, Default)]
pub(super) struct Dictionaries(Vec<Dictionary>);

impl Dictionaries {
    pub(super) fn add(&mut self, values: Dictionary) -> DictionaryId {
        self.0.push(values);
        DictionaryId(self.0.len() as u32 - 1)
    }

    pub(super) fn get(&self, dictionary: DictionaryId) -> &Dictionary {
        &self.0[dictionary.0 as usize]
    }

    /// Returns the code of `value` in a growing dictionary; a value that the dictionary lacks is added.
    pub(super) fn intern(&mut self, dictionary: DictionaryId, value: &dyn Any) -> u32 {
        match &mut self.0[dictionary.0 as usize] {
            Dictionary::Growing(values) => values
                .insert(value)
                .expect("a list has the type of its element")
                as u32,
            Dictionary::Fixed(values) => values.index_of(value).unwrap_or_default() as u32,
        }
    }

    /// Returns the codes of `values` in a growing dictionary; values that the dictionary lacks are added.
    pub(super) fn encode(&mut self, dictionary: DictionaryId, values: &dyn AnyColumn) -> Vec<u32> {
        match &mut self.0[dictionary.0 as usize] {
            Dictionary::Growing(dictionary) => dictionary.encode(values).unwrap_or_default(),
            Dictionary::Fixed(_) => Vec::new(),
        }
    }

    /// Extends the table `table` by codes that were added to the dictionary `from`; the table maps codes of `from` to codes of `to`. Values that the
    /// dictionary `to` lacks are added to `to`.
    pub(super) fn translate(
        &mut self,
        from: DictionaryId,
        to: DictionaryId,
        table: &mut Rc<Vec<u32>>,
    ) {
        let pair = [from.0 as usize, to.0 as usize];
        let [source, target] = self.0.get_disjoint_mut(pair).expect("two lists");
        if table.len() < source.len()
            && let Dictionary::Growing(values) = target
        {
            let table = Rc::make_mut(table);
            for code in table.len()..source.len() {
                let entered = values.insert(source.any(code)).expect("lists of one type");
                table.push(entered as u32);
            }
        }
    }

    /// Returns the values of a column as a typed list, in the order of the worlds.
    pub(super) fn typed(&self, column: &Column, rows: &Selection) -> Rc<dyn AnyColumn> {
        match column {
            Column::Typed(values) => values.clone(),
            Column::Codes(codes, dictionary) => Rc::from(self.get(*dictionary).decode(codes)),
            Column::Classes(classes, dictionary) => {
                Rc::from(self.get(*dictionary).decode(&classes.codes(rows)))
            }
            Column::Bits(bits) => {
                let bit = |&row: &u32| bits[row as usize / 64] >> (row % 64) & 1 == 1;
                Rc::new(rows.rows().iter().map(bit).collect::<Vec<bool>>())
            }
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.0.iter().map(|values| values.bytes()).sum()
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

/// Maximum number of codes in the unused buffers that are kept for later lists of codes. Unused buffers are kept because the operating system would
/// be slow to allocate their memory again.
const MAX_RECYCLED_CODES: usize = 1 << 22;

#[derive(Default)]
pub(super) struct CodeBuffers {
    free: VecDeque<Vec<u32>>,
    room: usize,
}

impl CodeBuffers {
    pub(super) fn list(&mut self, len: usize) -> Vec<u32> {
        let mut list = self.free.pop_front().unwrap_or_default();
        self.room -= list.capacity();
        list.clear();
        list.reserve(len);
        list
    }

    /// Keeps the memory of an unused list of codes for another list.
    pub(super) fn recycle(&mut self, list: Vec<u32>) {
        if self.room + list.capacity() <= MAX_RECYCLED_CODES {
            self.room += list.capacity();
            self.free.push_front(list);
        }
    }

    /// Keeps the memory of the codes of previous worlds for other lists, unless there are further references to these codes. Of the unused buffers,
    /// those that were returned last are used first.
    pub(super) fn retire(&mut self, codes: Rc<Vec<u32>>) {
        if let Ok(codes) = Rc::try_unwrap(codes)
            && self.room + codes.capacity() <= MAX_RECYCLED_CODES
        {
            self.room += codes.capacity();
            self.free.push_back(codes);
        }
    }

    pub(super) fn clear(&mut self) {
        self.free.clear();
        self.room = 0;
    }
}

/// If a variable's dictionary has more values than this number, values that are computed world by world are stored in a typed list instead, because
/// they rarely repeat.
const MAX_DICTIONARY: usize = 1 << 10;
/// Number of bytes of a value above which values that are computed world by world are stored in a typed list instead of codes; a lookup in the
/// dictionary would take as long as computing the value.
const MAX_VALUE_BYTES: usize = 32;

impl Block {
    pub(super) fn add_dictionary(&mut self, values: Dictionary) -> DictionaryId {
        self.bytes.added(values.bytes());
        self.dictionaries.add(values)
    }

    pub(super) fn dictionary(&self, dictionary: DictionaryId) -> &Dictionary {
        self.dictionaries.get(dictionary)
    }

    /// Returns a dictionary for the values of `element` that starts empty and grows with new values.
    pub(super) fn growing_dictionary(&mut self, element: &AnyElement) -> DictionaryId {
        self.add_dictionary(Dictionary::Growing(element.no_values()))
    }

    /// Returns a table from the codes of the dictionary `from` to the codes of an element's own dictionary; missing values are added to the element's
    /// dictionary. Returns `None` if the dictionary `from` is the element's own dictionary.
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

    /// Returns the dictionary of the values `options`, which are all possible results of the function of an element.
    pub(super) fn options_dictionary(
        &mut self,
        slot: ColumnSlot,
        options: &Support,
    ) -> DictionaryId {
        if let Some(dictionary) = self.instructions[slot.index()].options {
            return dictionary;
        }
        let dictionary = self.add_dictionary(Dictionary::Fixed(options.clone()));
        self.instructions[slot.index()].options = Some(dictionary);
        dictionary
    }

    /// Converts values of an element to codes of its own dictionary, if the dictionary is short and the values are small. One column of codes can
    /// then hold the element's values in all worlds, if the values in the other worlds are codes as well. Floating-point numbers are not converted,
    /// because they rarely repeat, and because 0.0 and -0.0 would have the same code.
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
