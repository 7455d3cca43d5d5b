//! Columns in which many rows have the same value: kept as sets of rows, not row by row.
//!
//! A recursion ends at each level in a constant for some rows, and what is done with it on the way back is the same for all of
//! them: the work at a level then does not grow with the rows.

use std::rc::Rc;

use super::block::{Block, ColumnSlot};
use super::column::{Column, DictionaryId};
use super::selection::{Selection, for_each_row};
use crate::element::node::ApplyOp;
use crate::error::ModelError;

/// Maximum number of classes of a column.
const MAX_CLASSES: usize = 128;

/// Rows of one value, by its position in a list.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    pub(super) rows: Selection,
    pub(super) code: u32,
}

impl Class {
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + self.rows.bytes()
    }
}

impl Column {
    /// The same value in all rows.
    pub(super) fn same(rows: &Selection, code: u32, book: DictionaryId) -> Self {
        let rows = rows.clone();
        Self::Classes(Rc::new([Class { rows, code }]), book)
    }

    /// The column with a list in the place of classes.
    pub(super) fn listed(&self, own: &Selection) -> Self {
        match self {
            Self::Classes(classes, book) => Self::Codes(Rc::new(codes(classes, own)), *book),
            Self::Bits(_) | Self::Codes(..) | Self::Typed(_) => self.clone(),
        }
    }
}

/// The codes of classes, in the order of the rows.
pub(super) fn codes(classes: &[Class], rows: &Selection) -> Vec<u32> {
    if let [all] = classes {
        return vec![all.code; rows.len()];
    }
    let mut by_row = vec![0; rows.width()];
    for class in classes {
        for_each_row(class.rows.mask(), |row| by_row[row] = class.code);
    }
    if rows.is_all() {
        return by_row;
    }
    let rows = rows.rows().iter();
    rows.map(|&row| by_row[row as usize]).collect()
}

/// Restriction of classes to some rows.
pub(super) fn within(classes: &[Class], rows: &Selection) -> Rc<[Class]> {
    let parts = classes.iter().map(|class| Class {
        rows: class.rows.and(rows.mask()),
        code: class.code,
    });
    parts.filter(|class| !class.rows.is_empty()).collect()
}

/// The rows of the classes that pass a test, as a mask.
pub(super) fn mask_of(
    classes: &[Class],
    rows: &Selection,
    mut test: impl FnMut(&Class) -> bool,
) -> Vec<u64> {
    let mut mask = vec![0; rows.mask().len()];
    for class in classes {
        if test(class) {
            let words = mask.iter_mut().zip(class.rows.mask());
            words.for_each(|(word, more)| *word |= more);
        }
    }
    mask
}

/// Concatenation of two lists of classes, unless it would be too long.
pub(super) fn together(a: &[Class], b: &[Class]) -> Option<Rc<[Class]>> {
    let all = a.iter().chain(b).cloned();
    (a.len() + b.len() <= MAX_CLASSES).then(|| all.collect())
}

impl Block {
    /// The values of parts of some rows in classes, if each part is held so and they are few.
    pub(super) fn joined_classes(
        &mut self,
        slot: ColumnSlot,
        parts: &[(Selection, Column)],
    ) -> Option<Column> {
        let count = |(_, column): &(Selection, Column)| match column {
            Column::Classes(classes, _) => classes.len(),
            Column::Bits(_) | Column::Codes(..) | Column::Typed(_) => MAX_CLASSES + 1,
        };
        if parts.iter().map(count).sum::<usize>() > MAX_CLASSES {
            return None;
        }
        let book = self.own_book(slot);
        let mut all = Vec::new();
        for (_, column) in parts {
            if let Column::Classes(classes, own) = column {
                let table = self.translation(slot, *own);
                let code = |code| table.as_ref().map_or(code, |table| table[code as usize]);
                all.extend(classes.iter().map(|class| Class {
                    rows: class.rows.clone(),
                    code: code(class.code),
                }));
            }
        }
        Some(Column::Classes(all.into(), book))
    }

    /// The values of a function of one parent that is held in classes.
    pub(super) fn apply_to_classes(
        &mut self,
        slot: ColumnSlot,
        rows: &Selection,
        classes: &[Class],
        op: &dyn ApplyOp,
    ) -> Result<Column, ModelError> {
        let mut results: Vec<u32> = classes.iter().map(|class| class.code).collect();
        self.results(slot, 1, op, &mut results)?;
        let classes = classes.iter().zip(results).map(|(class, code)| Class {
            rows: class.rows.clone(),
            code,
        });
        let classes: Rc<[Class]> = classes.collect();
        Ok(if self.instructions[slot.index()].is_bool {
            Column::Bits(Rc::new(mask_of(&classes, rows, |class| class.code == 1)))
        } else {
            Column::Classes(classes, self.own_book(slot))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_lists_of_codes() {
        let part = |rows: &[u32]| Selection::from_rows(rows.to_vec(), 70);
        let class = |rows: &[u32], code| Class {
            rows: part(rows),
            code,
        };
        let classes = [class(&[3, 69], 5), class(&[0, 64], 7), class(&[2], 5)];
        assert_eq!(codes(&classes, &part(&[0, 2, 3, 64, 69])), [7, 5, 5, 7, 5]);
        let some = part(&[0, 2, 5]);
        let left = within(&classes, &some);
        assert_eq!(left.len(), 2);
        assert_eq!(codes(&left, &part(&[0, 2])), [7, 5]);
        let fives = mask_of(&classes, &some, |class| class.code == 5);
        assert_eq!(fives, part(&[2, 3, 69]).mask());
        assert_eq!(codes(&classes[..1], &part(&[3, 69])), [5, 5]);
        let all = Selection::all(2);
        let halves = [0, 1].map(|row| Class {
            rows: Selection::from_rows(vec![row], 2),
            code: row,
        });
        assert_eq!(codes(&halves, &all), [0, 1]);
        assert_eq!(together(&classes, &halves).map(|all| all.len()), Some(5));
        assert!(together(&vec![classes[0].clone(); MAX_CLASSES], &halves[..1]).is_none());
    }
}
