//! Lists of values that codes refer to.

use std::any::Any;
use std::rc::Rc;

use super::block::{Block, Slot};
use super::column::{Book, Column, mask_where};
use super::selection::Selection;
use crate::column::AnyColumn;
use crate::node::AnyElement;
use crate::support::{Support, SupportBuilder};

/// A list of distinct values.
#[derive(Debug)]
pub(crate) enum Values {
    Fixed(Support),
    Growing(SupportBuilder),
}

impl Values {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Fixed(values) => values.len(),
            Self::Growing(values) => values.len(),
        }
    }

    pub(super) fn any(&self, code: usize) -> &dyn Any {
        match self {
            Self::Fixed(values) => values.any(code),
            Self::Growing(values) => values.any(code),
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
    pub(super) fn add_book(&mut self, values: Values) -> Book {
        self.books.push(values);
        Book(self.books.len() as u32 - 1)
    }

    pub(super) fn book(&self, book: Book) -> &Values {
        &self.books[book.0 as usize]
    }

    /// A list to which values of an element can be added.
    pub(super) fn growing(&mut self, element: &AnyElement) -> Book {
        self.add_book(Values::Growing(element.no_values()))
    }

    /// The code of a value in a growing list, which takes it up if it is new.
    pub(super) fn enter_value(&mut self, book: Book, value: &dyn Any) -> u32 {
        match &mut self.books[book.0 as usize] {
            Values::Growing(values) => values
                .insert(value)
                .expect("a list has the type of its element")
                as u32,
            Values::Fixed(values) => values.index_of(value).unwrap_or_default() as u32,
        }
    }

    /// The codes of a slot's own list for codes of another, whose values it takes up.
    pub(super) fn translated(&mut self, slot: Slot, codes: &[u32], from: Book) -> Vec<u32> {
        const UNKNOWN: u32 = u32::MAX;
        let to = self.own_book(slot);
        if from == to {
            return codes.to_vec();
        }
        let memo = &mut self.instructions[slot.index()].memo;
        let table = memo.translations.entry(from).or_default();
        let mut translated = Vec::with_capacity(codes.len());
        for &code in codes {
            let at = code as usize;
            if at >= table.len() {
                table.resize(at + 1, UNKNOWN);
            }
            if table[at] == UNKNOWN {
                let pair = [from.0 as usize, to.0 as usize];
                let [source, target] = self.books.get_disjoint_mut(pair).expect("two lists");
                if let Values::Growing(values) = target {
                    let entered = values.insert(source.any(at)).expect("lists of one type");
                    table[at] = entered as u32;
                }
            }
            translated.push(table[at]);
        }
        translated
    }

    /// The values of a column in the order of the rows.
    pub(super) fn typed(&self, column: &Column, rows: &Selection) -> Rc<dyn AnyColumn> {
        match column {
            Column::Typed(values) => values.clone(),
            Column::Codes(codes, book) => Rc::from(self.book(*book).decode(codes)),
            Column::Bits(bits) => {
                let bit = |&row: &u32| bits[row as usize / 64] >> (row % 64) & 1 == 1;
                Rc::new(rows.rows().iter().map(bit).collect::<Vec<bool>>())
            }
        }
    }

    /// A column of truth values as bits, any other as it is.
    pub(super) fn packed(&self, values: Box<dyn AnyColumn>, rows: &Selection) -> Column {
        match values.as_any().downcast_ref::<Vec<bool>>() {
            Some(truths) => Column::Bits(Rc::new(mask_where(rows, |at| truths[at]))),
            None => Column::Typed(Rc::from(values)),
        }
    }
}
