//! Dictionaries of a block: lists of distinct values. A code is an index in a dictionary.

use std::any::Any;
use std::rc::Rc;

use super::classes::codes;
use super::column::{Column, DictionaryId};
use super::selection::Selection;
use figrs_core::value::column::AnyColumn;
use figrs_core::value::datum::Datum;
use figrs_core::value::support::{Support, SupportBuilder};

#[derive(Debug)]
pub(crate) enum Dictionary {
    Fixed(Support),
    Growing(SupportBuilder),
}

impl Dictionary {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Fixed(values) => values.len(),
            Self::Growing(values) => values.len(),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Fixed(values) => values.bytes(),
            Self::Growing(values) => values.bytes(),
        }
    }

    pub(super) fn any(&self, code: usize) -> &dyn Any {
        match self {
            Self::Fixed(values) => values.any(code),
            Self::Growing(values) => values.any(code),
        }
    }

    pub(super) fn datum(&self, code: u32) -> Datum {
        match self {
            Self::Fixed(values) => values.datum(code as usize),
            Self::Growing(values) => values.datum(code as usize),
        }
    }

    pub(super) fn code(&self, value: &dyn Any) -> Option<u32> {
        let code = match self {
            Self::Fixed(values) => values.index_of(value),
            Self::Growing(values) => values.index_of(value),
        };
        code.map(|code| code as u32)
    }

    fn decode(&self, codes: &[u32]) -> Box<dyn AnyColumn> {
        match self {
            Self::Fixed(values) => values.decode(codes),
            Self::Growing(values) => values.decode(codes),
        }
    }
}

#[derive(Default)]
pub(super) struct Dictionaries(Vec<Dictionary>);

impl Dictionaries {
    pub(super) fn add(&mut self, values: Dictionary) -> DictionaryId {
        self.0.push(values);
        DictionaryId(self.0.len() as u32 - 1)
    }

    pub(super) fn get(&self, dictionary: DictionaryId) -> &Dictionary {
        &self.0[dictionary.0 as usize]
    }

    /// Returns the code of `value` in a growing dictionary; a new value is added.
    pub(super) fn intern(&mut self, dictionary: DictionaryId, value: &dyn Any) -> u32 {
        match &mut self.0[dictionary.0 as usize] {
            Dictionary::Growing(values) => values
                .insert(value)
                .expect("a list has the type of its element")
                as u32,
            Dictionary::Fixed(values) => values.index_of(value).unwrap_or_default() as u32,
        }
    }

    /// Returns the codes of `values` in a growing dictionary; new values are added.
    pub(super) fn encode(&mut self, dictionary: DictionaryId, values: &dyn AnyColumn) -> Vec<u32> {
        match &mut self.0[dictionary.0 as usize] {
            Dictionary::Growing(dictionary) => dictionary.encode(values).unwrap_or_default(),
            Dictionary::Fixed(_) => Vec::new(),
        }
    }

    /// Extends `table`, which maps codes of the dictionary `from` to codes of the dictionary `to`. Values that `to` does not have are added to it.
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

    /// Returns the values of a column in the order of the worlds.
    pub(super) fn typed(&self, column: &Column, rows: &Selection) -> Rc<dyn AnyColumn> {
        match column {
            Column::Typed(values) => values.clone(),
            Column::Codes(codes, dictionary) => Rc::from(self.get(*dictionary).decode(codes)),
            Column::Classes(classes, dictionary) => {
                Rc::from(self.get(*dictionary).decode(&codes(classes, rows)))
            }
            Column::Bits(bits) => {
                let bit = |&row: &u32| bits[row as usize / 64] >> (row % 64) & 1 == 1;
                Rc::new(rows.rows().iter().map(bit).collect::<Vec<bool>>())
            }
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.0.iter().map(Dictionary::bytes).sum()
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}
