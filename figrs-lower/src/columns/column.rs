//! The values of one element in the worlds (rows) of a block.

use std::borrow::Cow;
use std::rc::Rc;

use super::block::Block;
use super::dictionary::Dictionaries;
use super::selection::{Selection, first_row, for_each_row, mask_where};
use figrs_core::element::footprint::ALLOCATION;
use figrs_core::element::node::AnyElement;
use figrs_core::value::support::AnyColumn;
use rustc_hash::FxHashMap;

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

/// The values of a target in the surviving worlds of a block.
#[derive(Debug)]
pub struct TargetColumn<'a> {
    element: &'a AnyElement,
    rows: Selection,
    column: Column,
    dictionaries: &'a Dictionaries,
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

    /// Returns the values as bits, one for each world of the block, if they are truth values.
    pub fn bits(&self) -> Option<&[u64]> {
        match &self.column {
            Column::Bits(bits) => Some(bits),
            _ => None,
        }
    }

    /// True if the values are stored as a typed list, because they rarely repeat.
    pub fn is_typed(&self) -> bool {
        matches!(&self.column, Column::Typed(values) if !values.is_empty())
    }

    /// Returns the values, in the order of the surviving worlds.
    pub fn typed(&self) -> Rc<dyn AnyColumn> {
        self.dictionaries.typed(&self.column, &self.rows)
    }

    /// Returns the distinct values in the order of first occurrence, and for each surviving world the index of its value. The result does not depend
    /// on the storage format of the values.
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
                (codes(classes, &self.rows).into(), Some(*dictionary))
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

    /// Returns the distinct values in the order of first occurrence. The second result has, for each value and each of `sets`, the number of surviving
    /// worlds of the set that have the value; the counts of one value follow each other. Each surviving world must be in exactly one of `sets`. The
    /// result does not depend on the storage format of the values.
    pub fn counts(&self, sets: &[&[u64]]) -> (Box<dyn AnyColumn>, Vec<u32>) {
        let Column::Classes(classes, dictionary) = &self.column else {
            let (values, codes) = self.coded();
            let mut set_of = vec![0; self.rows.width()];
            for (number, set) in sets.iter().enumerate().skip(1) {
                for_each_row(set, |row| set_of[row] = number);
            }
            let mut counts = vec![0; values.len() * sets.len()];
            for (&code, &row) in codes.iter().zip(self.rows()) {
                counts[code as usize * sets.len() + set_of[row as usize]] += 1;
            }
            return (values, counts);
        };
        let dictionary = self.dictionaries.get(*dictionary);
        let mut sorted: Vec<&Class> = classes.iter().collect();
        sorted.sort_by_key(|class| first_row(class.rows.mask()));
        let (mut values, mut counts) = (self.element.no_column(), Vec::new());
        let mut starts = FxHashMap::<u32, usize>::default();
        for class in sorted {
            let start = *starts.entry(class.code).or_insert_with(|| {
                values.push(dictionary.any(class.code as usize));
                counts.resize(counts.len() + sets.len(), 0);
                counts.len() - sets.len()
            });
            match sets {
                [_] => counts[start] += class.rows.len() as u32,
                sets => {
                    let own = counts[start..].iter_mut().zip(sets);
                    own.for_each(|(count, set)| *count += class.rows.and(set).len() as u32);
                }
            }
        }
        (values, counts)
    }
}

/// Maximum number of classes (sets of worlds with equal values) of a column.
pub(super) const MAX_CLASSES: usize = 128;

/// A set of worlds in which an element has the same value; the value is given by its dictionary code.
///
/// In a recursive model, the recursion ends with a constant in some worlds at each level, and all remaining computations are the same in these
/// worlds. If worlds with equal values are one class, the work at a level does not depend on their number.
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

/// Returns the dictionary code of the value in each world.
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

/// Returns the classes, restricted to the worlds `rows`.
pub(super) fn restrict_classes(classes: &[Class], rows: &Selection) -> Rc<[Class]> {
    let parts = classes.iter().map(|class| Class {
        rows: class.rows.and(rows.mask()),
        code: class.code,
    });
    parts.filter(|class| !class.rows.is_empty()).collect()
}

/// Returns the mask of the worlds in the classes for which `test` is true.
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

/// Returns the classes of `a` and of `b` together; returns `None` if there are too many classes.
pub(super) fn concatenate_classes(a: &[Class], b: &[Class]) -> Option<Rc<[Class]>> {
    let all = a.iter().chain(b).cloned();
    (a.len() + b.len() <= MAX_CLASSES).then(|| all.collect())
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
        let left = restrict_classes(&classes, &some);
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
        assert_eq!(
            concatenate_classes(&classes, &halves).map(|all| all.len()),
            Some(5)
        );
        assert!(
            concatenate_classes(&vec![classes[0].clone(); MAX_CLASSES], &halves[..1]).is_none()
        );
    }
}
