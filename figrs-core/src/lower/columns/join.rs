//! The values of the branches of a Chain in one column.

use std::rc::Rc;

use super::block::{Block, Slot};
use super::chain::Source;
use super::column::Column;
use super::run::Run;
use super::selection::Selection;
use crate::column::AnyColumn;
use crate::error::ModelError;

/// Lists of so many values are always translated.
const SHORT: usize = 64;

impl Run<'_> {
    /// Puts the values of the branches together.
    pub(super) fn join(
        &mut self,
        slot: Slot,
        rows: &Selection,
        sources: &[(Source, Selection)],
    ) -> Result<(), ModelError> {
        let mut parts: Vec<(Selection, Column)> = Vec::with_capacity(sources.len());
        for (source, part) in sources {
            let part = part.and(self.block.weights.alive().mask());
            if part.is_empty() {
                continue;
            }
            let column = match source {
                Source::Slot(of) => self.block.read(*of, &part),
                Source::Alone(number) => match self.alone[*number].take() {
                    Some(stored) => stored.column.part(&stored.rows, &part),
                    None => continue,
                },
            };
            parts.push((part, column));
        }
        let column = self.block.joined(slot, rows, &parts);
        self.settle(slot, rows, column, None)
    }
}

impl Block {
    /// The values of parts of some rows in one column.
    fn joined(&mut self, slot: Slot, rows: &Selection, parts: &[(Selection, Column)]) -> Column {
        if let [(part, column)] = parts
            && part.same_as(rows)
            && !matches!(column, Column::Codes(..))
        {
            return column.clone();
        }
        if self.instructions[slot.index()].is_bool {
            let mut all = vec![0; rows.mask().len()];
            for (part, column) in parts {
                if let Column::Bits(bits) = column {
                    let words = all.iter_mut().zip(bits.iter().zip(part.mask()));
                    words.for_each(|(word, (bits, mask))| *word |= bits & mask);
                }
            }
            return Column::Bits(Rc::new(all));
        }
        // To translate a long list for few rows would make deep recursions quadratic.
        let coded = |(_, column): &(Selection, Column)| match column {
            Column::Codes(codes, book) => self.book(*book).len() <= 4 * codes.len() + SHORT,
            Column::Bits(_) | Column::Typed(_) => false,
        };
        if parts.iter().all(coded) {
            let book = self.own_book(slot);
            let mut coded: Vec<Coded> = Vec::with_capacity(parts.len());
            for (part, column) in parts {
                if let Column::Codes(codes, own) = column {
                    coded.push(Coded {
                        part: part.clone(),
                        codes: codes.clone(),
                        table: self.translation(slot, *own),
                    });
                }
            }
            return Column::Codes(Rc::new(interleaved(rows, &coded)), book);
        }
        let mut all: Option<Box<dyn AnyColumn>> = None;
        let mut order = vec![0; rows.len()];
        for (part, column) in parts {
            let values = self.typed(column, part);
            let all = all.get_or_insert_with(|| values.fresh());
            let start = all.len() as u32;
            for (&at, i) in part.positions_in(rows).iter().zip(start..) {
                order[at as usize] = i;
            }
            all.append(&*values);
        }
        let empty = || self.instructions[slot.index()].element.no_column();
        Column::Typed(Rc::from(all.unwrap_or_else(empty))).at(&order)
    }
}

/// Codes of a part of some rows, and what they are in another list.
struct Coded {
    part: Selection,
    codes: Rc<Vec<u32>>,
    table: Option<Rc<Vec<u32>>>,
}

impl Coded {
    fn code(&self, at: usize) -> u32 {
        let code = self.codes[at];
        self.table
            .as_ref()
            .map_or(code, |table| table[code as usize])
    }

    fn codes(&self) -> Vec<u32> {
        (0..self.codes.len()).map(|at| self.code(at)).collect()
    }

    /// The code of all rows, if they have the same.
    fn same(&self) -> Option<u32> {
        let first = *self.codes.first()?;
        let same = self.codes.iter().all(|&code| code == first);
        same.then(|| self.code(0))
    }
}

/// The codes of disjoint parts of some rows as one list in the order of the rows.
fn interleaved(rows: &Selection, parts: &[Coded]) -> Vec<u32> {
    if let [all] = parts {
        return all.codes();
    }
    if let [a, b] = parts {
        // One branch of a recursion often ends in a constant.
        return match (a.same(), b.same()) {
            (Some(same), _) => merged(rows, &b.part, &b.codes(), |_| same),
            (_, Some(same)) => merged(rows, &a.part, &a.codes(), |_| same),
            (None, None) => {
                let others = b.codes();
                merged(rows, &a.part, &a.codes(), |at| others[at])
            }
        };
    }
    let mut all = vec![0; rows.len()];
    for coded in parts {
        for (&at, code) in coded.part.positions_in(rows).iter().zip(coded.codes()) {
            all[at as usize] = code;
        }
    }
    all
}

/// The items of a list for the rows of a part, and of another for the other rows. Which a row takes cannot be predicted, so
/// nothing branches on it.
fn merged(
    rows: &Selection,
    part: &Selection,
    list: &[u32],
    other: impl Fn(usize) -> u32,
) -> Vec<u32> {
    let others = rows.len() - part.len();
    let (mut i, mut j) = (0, 0);
    let mut all = Vec::with_capacity(rows.len());
    for (&word, &first) in rows.mask().iter().zip(part.mask()) {
        let mut word = word;
        let start = all.len();
        all.resize(start + word.count_ones() as usize, 0);
        for place in &mut all[start..] {
            let of_part = first >> word.trailing_zeros() & 1 == 1;
            // The last item stands in where a list has ended, and is not taken.
            let a = list[i.min(list.len() - 1)];
            let b = other(j.min(others.max(1) - 1));
            *place = if of_part { a } else { b };
            i += usize::from(of_part);
            j += usize::from(!of_part);
            word &= word - 1;
        }
    }
    all
}
