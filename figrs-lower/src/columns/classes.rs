//! Columns whose values are equal in large sets of worlds (rows).
//!
//! In a recursive model, the recursion ends with a constant in some worlds at each level, and all remaining computations are the same in these
//! worlds. If worlds with equal values are stored as one class, the work at a level of the recursion does not depend on the number of these worlds.
//! The few worlds that are evaluated one by one have a list of codes, which stays unchanged while worlds of other levels are added.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::selection::{Selection, first_row, for_each_row};

/// Maximum number of classes (sets of worlds with equal values) in a column.
const MAX_CLASSES: usize = 128;
/// Maximum number of worlds of a column that belong to no class (set of worlds with equal values).
pub(super) const MAX_REST: usize = 1 << 8;
/// Ratio of the number of worlds in a block to the number of worlds in a set, above which the codes of the set are looked up by binary search.
const SPARSE: usize = 8;

/// Disjoint sets of worlds in which an element has equal values, with the dictionary codes of the values.
#[derive(Clone, Debug, Default)]
pub(crate) struct Classes {
    pub(super) classes: Vec<Class>,
    /// The worlds that belong to no class (set of worlds with equal values), and the list of the codes of their values.
    pub(super) rest: Option<(Selection, Rc<Vec<u32>>)>,
}

/// A set of worlds in which an element has the same value; the value is given by its dictionary code.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    pub(super) rows: Selection,
    pub(super) code: u32,
}

impl Classes {
    /// Returns the size of the classes in bytes, including the sets of worlds.
    pub(super) fn bytes(&self) -> usize {
        self.bytes_without_sets() + self.sets().map(Selection::bytes).sum::<usize>()
    }

    /// Returns the size of the classes in bytes without the sets of worlds, which other columns often share.
    pub(super) fn bytes_without_sets(&self) -> usize {
        let codes = self.rest.iter().map(|(_, codes)| size_of_val(&***codes));
        size_of_val(&*self.classes) + codes.sum::<usize>()
    }

    pub(super) fn sets(&self) -> impl Iterator<Item = &Selection> {
        let classes = self.classes.iter().map(|class| &class.rows);
        classes.chain(self.rest.iter().map(|(rows, _)| rows))
    }

    /// Iterates over the worlds that belong to no class (set of worlds with equal values), with the codes of their values.
    pub(super) fn rest(&self) -> impl Iterator<Item = (usize, u32)> {
        let rest = self.rest.iter();
        rest.flat_map(|(rows, codes)| {
            let rows = rows.rows().iter().map(|&row| row as usize);
            rows.zip(codes.iter().copied())
        })
    }

    /// Returns the codes of the classes (sets of worlds with equal values), followed by the codes of the other worlds.
    pub(super) fn entries(&self) -> Vec<u32> {
        let classes = self.classes.iter().map(|class| class.code);
        classes.chain(self.rest().map(|(_, code)| code)).collect()
    }

    /// Returns the same sets of worlds with other codes, in the order of [`entries`](Self::entries).
    pub(super) fn with_entries(&self, entries: &[u32]) -> Self {
        let (of_classes, of_rest) = entries.split_at(self.classes.len());
        let classes = self.classes.iter().zip(of_classes);
        let classes = classes.map(|(class, &code)| Class {
            rows: class.rows.clone(),
            code,
        });
        let rest = self.rest.as_ref();
        Self {
            classes: classes.collect(),
            rest: rest.map(|(rows, _)| (rows.clone(), Rc::new(of_rest.to_vec()))),
        }
    }

    /// Returns the union of columns with disjoint sets of worlds; `None` if there are too many classes of equal values, or several lists of other
    /// worlds.
    pub(super) fn union(parts: impl IntoIterator<Item = Self>) -> Option<Self> {
        let mut all = Self::default();
        for part in parts {
            all.classes.extend(part.classes);
            if all.classes.len() > MAX_CLASSES {
                return None;
            }
            match part.rest {
                Some(_) if all.rest.is_some() => return None,
                Some(rest) => all.rest = Some(rest),
                None => {}
            }
        }
        Some(all)
    }

    /// Returns the code of the value in each of the worlds `rows`; these must be all worlds that have a value.
    pub(super) fn codes(&self, rows: &Selection) -> Vec<u32> {
        // Worlds whose code is not set below are those of the first class.
        let (code, others) = match &self.classes[..] {
            [first, others @ ..] => (first.code, others),
            [] => (0, &[][..]),
        };
        if rows.len() < rows.width() / SPARSE || (others.is_empty() && self.rest.is_none()) {
            let mut codes = vec![code; rows.len()];
            for class in others {
                for at in class.rows.positions_in(rows) {
                    codes[at as usize] = class.code;
                }
            }
            if let Some((some, list)) = &self.rest {
                for (at, &code) in some.positions_in(rows).into_iter().zip(&**list) {
                    codes[at as usize] = code;
                }
            }
            return codes;
        }
        let mut by_row = vec![code; rows.width()];
        for class in others {
            for_each_row(class.rows.mask(), |row| by_row[row] = class.code);
        }
        for (row, code) in self.rest() {
            by_row[row] = code;
        }
        if rows.is_all() {
            return by_row;
        }
        let rows = rows.rows().iter();
        rows.map(|&row| by_row[row as usize]).collect()
    }

    /// Returns the code of the value in the world `row`.
    pub(super) fn code_in(&self, row: u32) -> Option<u32> {
        let (word, bit) = (row as usize / 64, row % 64);
        let has = |rows: &Selection| rows.mask()[word] >> bit & 1 == 1;
        let class = self.classes.iter().find(|class| has(&class.rows));
        class.map(|class| class.code).or_else(|| {
            let (rows, codes) = self.rest.as_ref()?;
            Some(codes[rows.rows().binary_search(&row).ok()?])
        })
    }

    /// Returns the classes of equal values, restricted to the worlds `rows`.
    pub(super) fn restrict(&self, rows: &Selection) -> Self {
        let classes = self.classes.iter().map(|class| Class {
            rows: class.rows.and(rows.mask()),
            code: class.code,
        });
        let rest = self.rest.as_ref().map(|(own, codes)| {
            let part = own.and(rows.mask());
            let positions = part.positions_in(own);
            let codes = positions.into_iter().map(|at| codes[at as usize]);
            (part, Rc::new(codes.collect()))
        });
        Self {
            classes: classes.filter(|class| !class.rows.is_empty()).collect(),
            rest: rest.filter(|(rows, _)| !rows.is_empty()),
        }
    }

    /// Returns the distinct codes of values, in the order of the first worlds that have them. The second result has, for each code of a value and
    /// each of the disjoint sets `sets`, the number of worlds of the set that have the code. The sets in `sets` must contain all worlds that have a
    /// value.
    pub(super) fn counts(&self, sets: &[&[u64]]) -> (Vec<u32>, Vec<u32>) {
        let classes = self.classes.iter().map(|class| {
            let first = first_row(class.rows.mask()).unwrap_or_default();
            let counts: Vec<usize> = match sets {
                [_] => vec![class.rows.len()],
                sets => sets.iter().map(|set| class.rows.and(set).len()).collect(),
            };
            (class.code, first, counts)
        });
        let rest = self.rest().map(|(row, code)| {
            let is_in = |set: &&[u64]| (set[row / 64] >> (row % 64) & 1) as usize;
            (code, row, sets.iter().map(is_in).collect())
        });
        let mut found = FxHashMap::<u32, (usize, Vec<usize>)>::default();
        for (code, first, counts) in classes.chain(rest) {
            let (earliest, all) = found
                .entry(code)
                .or_insert_with(|| (first, vec![0; sets.len()]));
            *earliest = first.min(*earliest);
            all.iter_mut()
                .zip(counts)
                .for_each(|(all, more)| *all += more);
        }
        let mut found: Vec<(u32, (usize, Vec<usize>))> = found.into_iter().collect();
        found.sort_unstable_by_key(|(_, (first, _))| *first);
        let codes = found.iter().map(|(code, _)| *code).collect();
        let counts = found.iter().flat_map(|(_, (_, counts))| counts);
        (codes, counts.map(|&count| count as u32).collect())
    }

    /// Returns the mask of the worlds for whose value's code the function `test` is true, among `words * 64` worlds. The function `test` is called
    /// with the codes of values in the order of [`entries`](Self::entries).
    pub(super) fn mask_of(&self, words: usize, mut test: impl FnMut(u32) -> bool) -> Vec<u64> {
        let mut mask = vec![0; words];
        for class in &self.classes {
            if test(class.code) {
                let words = mask.iter_mut().zip(class.rows.mask());
                words.for_each(|(word, more)| *word |= more);
            }
        }
        for (row, code) in self.rest() {
            mask[row / 64] |= u64::from(test(code)) << (row % 64);
        }
        mask
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(rows: &[u32]) -> Selection {
        Selection::from_rows(rows.to_vec(), 70)
    }

    fn classes(sets: &[(&[u32], u32)], rest: &[(u32, u32)]) -> Classes {
        let classes = sets.iter().map(|&(rows, code)| Class {
            rows: part(rows),
            code,
        });
        let (rows, codes): (Vec<u32>, Vec<u32>) = rest.iter().copied().unzip();
        Classes {
            classes: classes.collect(),
            rest: (!rest.is_empty()).then(|| (part(&rows), Rc::new(codes))),
        }
    }

    #[test]
    fn classes_and_other_worlds_are_lists_of_codes() {
        let all = classes(&[(&[3, 69], 5), (&[0, 64], 7)], &[(2, 5), (9, 8)]);
        let rows = part(&[0, 2, 3, 9, 64, 69]);
        let listed = all.codes(&rows);
        assert_eq!(listed, [7, 5, 5, 8, 7, 5]);
        for (&row, &code) in rows.rows().iter().zip(&listed) {
            assert_eq!(all.code_in(row), Some(code));
        }
        assert_eq!(all.code_in(1), None);
        let left = all.restrict(&part(&[0, 2, 5]));
        assert_eq!(left.entries(), [7, 5]);
        assert_eq!(left.codes(&part(&[0, 2])), [7, 5]);
        let fives = all.mask_of(2, |code| code == 5);
        assert_eq!(fives, part(&[2, 3, 69]).mask());
        let doubled: Vec<u32> = all.entries().iter().map(|code| 2 * code).collect();
        let twice: Vec<u32> = listed.iter().map(|code| 2 * code).collect();
        assert_eq!(all.with_entries(&doubled).codes(&rows), twice);
    }

    /// In the test, codes are looked up by binary search for few worlds, and in a list of all worlds otherwise.
    #[test]
    fn few_and_many_worlds_have_the_same_codes() {
        let few = classes(&[(&[3, 69], 5), (&[64], 7)], &[(9, 8)]);
        let rest: Vec<u32> = (10..60).collect();
        let many = Classes::union([few.clone(), classes(&[(&rest, 1)], &[])]).unwrap();
        assert_eq!(few.codes(&part(&[3, 9, 64, 69])), [5, 8, 7, 5]);
        let all: Vec<u32> = [3, 9].into_iter().chain(10..60).chain([64, 69]).collect();
        let listed = many.codes(&part(&all));
        assert_eq!((&listed[..2], &listed[52..]), (&[5, 8][..], &[7, 5][..]));
        assert!(listed[2..52].iter().all(|&code| code == 1));
    }

    #[test]
    fn unions_have_few_classes_and_one_list() {
        let one = classes(&[(&[3], 5)], &[]);
        let with_rest = classes(&[], &[(9, 8)]);
        let both = Classes::union([one.clone(), with_rest.clone()]).unwrap();
        assert_eq!(both.entries(), [5, 8]);
        assert!(Classes::union([both, with_rest]).is_none());
        assert!(Classes::union(vec![one; MAX_CLASSES + 1]).is_none());
    }
}
