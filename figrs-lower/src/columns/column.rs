//! The values of one random variable in the worlds (rows) of a block.

use std::borrow::Cow;
use std::rc::Rc;

use super::block::Block;
use super::classes::{Class, Classes};
use super::dictionary::Dictionaries;
use super::selection::{Selection, first_row, for_each_row, mask_where};
use figrs_core::element::footprint::ALLOCATION;
use figrs_core::element::node::AnyElement;
use figrs_core::value::support::AnyColumn;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct DictionaryId(pub(super) u32);

/// The index of a random variable in a block of worlds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ColumnSlot(pub(super) u32);

impl ColumnSlot {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The values of a random variable in some worlds of a block.
#[derive(Clone, Debug)]
pub(crate) enum Column {
    /// Truth values: one bit for each world of the block, even for worlds whose value is not stored.
    Bits(Rc<Vec<u64>>),
    /// Dictionary codes (indices in a list of values), in the order of the worlds that have a value.
    Codes(Rc<Vec<u32>>, DictionaryId),
    /// Sets of worlds with equal values, and a list of dictionary codes for the values in the other worlds.
    Classes(Rc<Classes>, DictionaryId),
    /// A typed list of values, in the order of the worlds that have a value.
    Typed(Rc<dyn AnyColumn>),
}

/// The stored values of a random variable, and the set of worlds that have a value.
#[derive(Debug)]
pub(crate) struct StoredColumn {
    pub(super) rows: Selection,
    pub(super) column: Column,
    /// Number of resamplings of the block's worlds that took place before the values were stored.
    pub(super) generation: usize,
}

impl Column {
    /// Returns the memory address of the values in the column, which clones of the column share.
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
            Self::Classes(classes, _) => classes.bytes(),
            Self::Typed(values) => values.bytes(),
        };
        values + 2 * ALLOCATION
    }

    /// Returns the column restricted to the worlds `rows`, which must be among the column's worlds `own`.
    pub(super) fn restrict(&self, own: &Selection, rows: &Selection) -> Self {
        if matches!(self, Self::Bits(_)) || rows.same_as(own) {
            return self.clone();
        }
        if let Self::Classes(classes, dictionary) = self {
            return Self::Classes(Rc::new(classes.restrict(rows)), *dictionary);
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
        let classes = Classes {
            classes: vec![Class { rows, code }],
            rest: None,
        };
        Self::Classes(Rc::new(classes), dictionary)
    }

    /// Converts a column of classes (sets of worlds with equal values) to a list of codes; a column of another kind is returned unchanged.
    pub(super) fn listed(&self, own: &Selection) -> Self {
        match self {
            Self::Classes(classes, dictionary) => {
                Self::Codes(Rc::new(classes.codes(own)), *dictionary)
            }
            Self::Bits(_) | Self::Codes(..) | Self::Typed(_) => self.clone(),
        }
    }

    /// Converts a list of truth values to bits; a list of any other type is stored unchanged.
    pub(super) fn packed(values: Box<dyn AnyColumn>, rows: &Selection) -> Self {
        match values.as_any().downcast_ref::<Vec<bool>>() {
            Some(truths) => Self::Bits(Rc::new(mask_where(rows, |at| truths[at]))),
            None => Self::Typed(Rc::from(values)),
        }
    }
}

impl Block {
    /// Returns the values of a target in the surviving worlds, after all targets and all variables with evidence have been evaluated.
    pub fn target(&mut self, target: usize) -> TargetColumn<'_> {
        let slot = self.target_slot(target);
        self.follow_resampling(slot);
        let rows = self.weights.alive().clone();
        let element = &self.instructions[slot.index()].element;
        let no_values = || Column::Typed(Rc::from(element.no_column()));
        let stored = self.values[slot.index()].as_ref();
        let column = stored.map_or_else(no_values, |stored| {
            stored.column.restrict(&stored.rows, &rows)
        });
        TargetColumn {
            element,
            rows,
            column,
            dictionaries: &self.dictionaries,
        }
    }
}

/// The values of a target (queried variable) in the worlds of a block that survived the evidence.
#[derive(Debug)]
pub struct TargetColumn<'a> {
    element: &'a AnyElement,
    rows: Selection,
    column: Column,
    dictionaries: &'a Dictionaries,
}

impl TargetColumn<'_> {
    /// Returns the indices of the worlds that survived the evidence, in ascending order.
    pub fn rows(&self) -> &[u32] {
        self.rows.rows()
    }

    /// Returns the index of the first world that survived the evidence.
    pub fn first_row(&self) -> Option<usize> {
        first_row(self.rows.mask())
    }

    /// Returns the worlds that survived the evidence as a bit mask.
    pub fn mask(&self) -> &[u64] {
        self.rows.mask()
    }

    /// Returns the values of the target as bits, one for each world of the block, if the values are truth values.
    pub fn bits(&self) -> Option<&[u64]> {
        match &self.column {
            Column::Bits(bits) => Some(bits),
            _ => None,
        }
    }

    /// True if the values of the target are stored as a typed list, because they rarely repeat.
    pub fn is_typed(&self) -> bool {
        matches!(&self.column, Column::Typed(values) if !values.is_empty())
    }

    /// Returns the values of the target, in the order of the surviving worlds.
    pub fn typed(&self) -> Rc<dyn AnyColumn> {
        self.dictionaries.typed(&self.column, &self.rows)
    }

    /// Returns the distinct values of the target in the order of first occurrence, and for each surviving world the index of its value. The distinct
    /// values do not depend on the storage format of the column.
    pub fn coded(&self) -> (Box<dyn AnyColumn>, Vec<u32>) {
        const UNKNOWN: u32 = u32::MAX;
        let mut values = self.element.no_column();
        let (codes, dictionary): (Cow<'_, [u32]>, _) = match &self.column {
            Column::Bits(bits) => {
                let truth = |&row: &u32| (bits[row as usize / 64] >> (row % 64) & 1) as u32;
                (self.rows().iter().map(truth).collect(), None)
            }
            Column::Codes(codes, dictionary) => (Cow::Borrowed(codes), Some(*dictionary)),
            Column::Classes(classes, dictionary) => {
                (classes.codes(&self.rows).into(), Some(*dictionary))
            }
            Column::Typed(typed) => {
                // The distinct values are copied, so that they lie one after another and leave no gaps in the memory of this thread.
                let mut distinct = self.element.no_values();
                let codes = distinct.encode(&**typed).unwrap_or_default();
                return (distinct.into_column(), codes);
            }
        };
        let dictionary = dictionary.map(|dictionary| self.dictionaries.get(dictionary));
        let mut positions = vec![UNKNOWN; dictionary.map_or(2, |values| values.len())];
        let position = |&code: &u32| {
            let position = &mut positions[code as usize];
            if *position == UNKNOWN {
                *position = values.len() as u32;
                match dictionary {
                    Some(dictionary) => values.push(dictionary.any(code as usize)),
                    None => values.push(&(code == 1)),
                }
            }
            *position
        };
        let codes = codes.iter().map(position).collect();
        (values, codes)
    }

    /// Returns the distinct values of the target in the order of first occurrence. The second result has, for each value and each of `sets`, the
    /// number of surviving worlds of the set that have the value; the numbers for one value follow each other. Each surviving world must belong to
    /// exactly one of the sets `sets`. The distinct values do not depend on the storage format of the column.
    pub fn counts(&self, sets: &[&[u64]]) -> (Box<dyn AnyColumn>, Vec<u32>) {
        if let Column::Classes(classes, dictionary) = &self.column {
            let dictionary = self.dictionaries.get(*dictionary);
            let (codes, counts) = classes.counts(sets);
            let mut values = self.element.no_column();
            for code in codes {
                values.push(dictionary.any(code as usize));
            }
            return (values, counts);
        }
        let (values, codes) = self.coded();
        let mut set_of = vec![0; self.rows.width()];
        for (number, set) in sets.iter().enumerate().skip(1) {
            for_each_row(set, |row| set_of[row] = number);
        }
        let mut counts = vec![0; values.len() * sets.len()];
        for (&code, &row) in codes.iter().zip(self.rows()) {
            counts[code as usize * sets.len() + set_of[row as usize]] += 1;
        }
        (values, counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::dictionary::Dictionary;
    use figrs_core::element::{Constant, Element};

    #[test]
    fn counts_do_not_depend_on_the_storage_format() {
        let element: Element<u32> = Constant::new(0);
        let rows = Selection::from_rows(vec![0, 2, 3, 9, 64, 69], 70);
        let values: Vec<u32> = vec![7, 5, 5, 8, 7, 5];
        let mut dictionaries = Dictionaries::default();
        let own = dictionaries.add(Dictionary::Growing(element.erased().no_values()));
        for value in 0..10u32 {
            dictionaries.intern(own, &value);
        }
        let class = |rows: &[u32], code| Class {
            rows: Selection::from_rows(rows.to_vec(), 70),
            code,
        };
        let rest = Selection::from_rows(vec![2, 9], 70);
        let classes = Classes {
            classes: vec![class(&[3, 69], 5), class(&[0, 64], 7)],
            rest: Some((rest, Rc::new(vec![5, 8]))),
        };
        let columns = [
            Column::Typed(Rc::new(values.clone())),
            Column::Codes(Rc::new(values), own),
            Column::Classes(Rc::new(classes), own),
        ];
        let early = Selection::from_rows(vec![0, 2, 3], 70);
        let late = rows.minus(early.mask());
        for column in columns {
            let target = TargetColumn {
                element: element.erased(),
                rows: rows.clone(),
                column,
                dictionaries: &dictionaries,
            };
            let (values, counts) = target.counts(&[rows.mask()]);
            assert_eq!(
                values.as_any().downcast_ref::<Vec<u32>>(),
                Some(&vec![7, 5, 8])
            );
            assert_eq!(counts, [2, 3, 1]);
            let (_, counts) = target.counts(&[early.mask(), late.mask()]);
            assert_eq!(counts, [1, 1, 2, 1, 0, 1]);
        }
    }
}
