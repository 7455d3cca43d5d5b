//! Columns with few different values, stored as one set of worlds (a class) for each value.
//!
//! In a recursive model, the recursion ends with a constant in some worlds at each level, and all remaining computations are the same in these
//! worlds. If worlds with equal values are one class, the work at a level does not depend on their number.

use std::rc::Rc;

use super::selection::{Selection, for_each_row};

/// Maximum number of classes (sets of worlds with equal values) of a column.
pub(super) const MAX_CLASSES: usize = 128;

/// A set of worlds in which an element has the same value; the value is given by its dictionary code.
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
