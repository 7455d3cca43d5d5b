//! Dictionaries: lists of distinct values that codes refer to.

use std::any::Any;
use std::rc::Rc;

use super::block::{Block, ColumnSlot};
use super::classes::codes;
use super::column::{Column, DictionaryId, mask_where};
use super::selection::Selection;
use crate::element::node::AnyElement;
use crate::value::column::AnyColumn;
use crate::value::datum::Datum;
use crate::value::support::{Support, SupportBuilder};

/// A dictionary: a list of distinct values.
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

impl Block {
    pub(super) fn add_book(&mut self, values: Dictionary) -> DictionaryId {
        self.bytes.added(values.bytes());
        self.books.push(values);
        DictionaryId(self.books.len() as u32 - 1)
    }

    pub(super) fn book(&self, book: DictionaryId) -> &Dictionary {
        &self.books[book.0 as usize]
    }

    /// A dictionary to which values of an element can be added.
    pub(super) fn growing(&mut self, element: &AnyElement) -> DictionaryId {
        self.add_book(Dictionary::Growing(element.no_values()))
    }

    /// The code of a value in a growing dictionary; a new value is added.
    pub(super) fn enter_value(&mut self, book: DictionaryId, value: &dyn Any) -> u32 {
        match &mut self.books[book.0 as usize] {
            Dictionary::Growing(values) => values
                .insert(value)
                .expect("a list has the type of its element")
                as u32,
            Dictionary::Fixed(values) => values.index_of(value).unwrap_or_default() as u32,
        }
    }

    /// For each code of a dictionary the code in a slot's own one, to which its values are added; `None` if it is the same
    /// one.
    pub(super) fn translation(
        &mut self,
        slot: ColumnSlot,
        from: DictionaryId,
    ) -> Option<Rc<Vec<u32>>> {
        let to = self.own_book(slot);
        if from == to {
            return None;
        }
        let memo = &mut self.instructions[slot.index()].memo;
        let table = memo.translations.entry(from).or_default();
        let pair = [from.0 as usize, to.0 as usize];
        let [source, target] = self.books.get_disjoint_mut(pair).expect("two lists");
        if table.len() < source.len()
            && let Dictionary::Growing(values) = target
        {
            let table = Rc::make_mut(table);
            for code in table.len()..source.len() {
                let entered = values.insert(source.any(code)).expect("lists of one type");
                table.push(entered as u32);
            }
        }
        Some(table.clone())
    }

    /// The values of a column in the order of the rows.
    pub(super) fn typed(&self, column: &Column, rows: &Selection) -> Rc<dyn AnyColumn> {
        match column {
            Column::Typed(values) => values.clone(),
            Column::Codes(codes, book) => Rc::from(self.book(*book).decode(codes)),
            Column::Classes(classes, book) => {
                Rc::from(self.book(*book).decode(&codes(classes, rows)))
            }
            Column::Bits(bits) => {
                let bit = |&row: &u32| bits[row as usize / 64] >> (row % 64) & 1 == 1;
                Rc::new(rows.rows().iter().map(bit).collect::<Vec<bool>>())
            }
        }
    }

    /// A column of truth values as bits, any other as it is.
    pub(super) fn packed(values: Box<dyn AnyColumn>, rows: &Selection) -> Column {
        match values.as_any().downcast_ref::<Vec<bool>>() {
            Some(truths) => Column::Bits(Rc::new(mask_where(rows, |at| truths[at]))),
            None => Column::Typed(Rc::from(values)),
        }
    }
}
