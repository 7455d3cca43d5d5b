//! Sets of worlds of a block (a batch of worlds that are evaluated together).

use std::cell::OnceCell;
use std::rc::Rc;

use figrs_core::element::footprint::ALLOCATION;

/// A set of worlds of a block (worlds that are evaluated together), stored as a bit mask. Clones are cheap.
#[derive(Clone, Debug)]
pub(crate) struct Selection(Rc<RowMask>);

#[derive(Debug)]
struct RowMask {
    mask: Vec<u64>,
    count: usize,
    width: usize,
    list: OnceCell<Vec<u32>>,
}

impl Selection {
    pub(crate) fn all(width: usize) -> Self {
        let mut mask = vec![u64::MAX; width.div_ceil(64)];
        if let (Some(last), rest @ 1..) = (mask.last_mut(), width % 64) {
            *last = (1 << rest) - 1;
        }
        Self::with_count(mask, width, width)
    }

    pub(crate) fn from_mask(mask: Vec<u64>, width: usize) -> Self {
        let count = mask.iter().map(|word| word.count_ones() as usize).sum();
        Self::with_count(mask, count, width)
    }

    /// Creates the set of the worlds `rows`, which must be in ascending order.
    pub(crate) fn from_rows(rows: Vec<u32>, width: usize) -> Self {
        let mut mask = vec![0; width.div_ceil(64)];
        for &row in &rows {
            mask[row as usize / 64] |= 1 << (row % 64);
        }
        let selection = Self::with_count(mask, rows.len(), width);
        // The list of a new selection has not been set before.
        let _ = selection.0.list.set(rows);
        selection
    }

    fn with_count(mask: Vec<u64>, count: usize, width: usize) -> Self {
        Self(Rc::new(RowMask {
            mask,
            count,
            width,
            list: OnceCell::new(),
        }))
    }

    /// Returns the memory address of the set's bit mask; clones of the set have the same address.
    pub(super) fn address(&self) -> usize {
        Rc::as_ptr(&self.0).addr()
    }

    /// Returns the approximate size of the set in bytes, including the list of its worlds.
    pub(super) fn bytes(&self) -> usize {
        let list = self.0.count * size_of::<u32>();
        size_of::<RowMask>() + size_of_val(&*self.0.mask) + list + 2 * ALLOCATION
    }

    pub(crate) fn mask(&self) -> &[u64] {
        &self.0.mask
    }

    pub(crate) fn len(&self) -> usize {
        self.0.count
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.count == 0
    }

    /// Returns the number of worlds of the block, including the worlds that do not belong to the set.
    pub(crate) fn width(&self) -> usize {
        self.0.width
    }

    pub(crate) fn is_all(&self) -> bool {
        self.0.count == self.0.width
    }

    /// Returns the worlds of the set in ascending order.
    pub(crate) fn rows(&self) -> &[u32] {
        self.0.list.get_or_init(|| {
            let mut rows = Vec::with_capacity(self.0.count);
            for_each_row(&self.0.mask, |row| rows.push(row as u32));
            rows
        })
    }

    pub(crate) fn same_as(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0) || self.0.mask == other.0.mask
    }

    pub(crate) fn is_within(&self, mask: &[u64]) -> bool {
        self.0.mask.iter().zip(mask).all(|(a, b)| a & !b == 0)
    }

    pub(crate) fn intersection(&self, others: &Self) -> Self {
        if others.is_all() {
            return self.clone();
        }
        self.and(others.mask())
    }

    pub(crate) fn and(&self, mask: &[u64]) -> Self {
        if self.is_within(mask) {
            return self.clone();
        }
        let both = self.0.mask.iter().zip(mask).map(|(a, b)| a & b);
        Self::from_mask(both.collect(), self.0.width)
    }

    pub(crate) fn minus(&self, mask: &[u64]) -> Self {
        let rest = self.0.mask.iter().zip(mask).map(|(a, b)| a & !b);
        Self::from_mask(rest.collect(), self.0.width)
    }

    pub(crate) fn or(&self, other: &Self) -> Self {
        let either = self.0.mask.iter().zip(&other.0.mask).map(|(a, b)| a | b);
        Self::from_mask(either.collect(), self.0.width)
    }

    /// For each world of the set, returns its index in the list of `other`, which must contain all these worlds.
    pub(crate) fn positions_in(&self, other: &Self) -> Vec<u32> {
        if other.is_all() {
            return self.rows().to_vec();
        }
        let (theirs, ours) = (other.rows(), self.rows());
        if ours.len() * 16 < theirs.len() {
            let find = |row| theirs.binary_search(row).unwrap_or_default() as u32;
            return ours.iter().map(find).collect();
        }
        let mut at = 0;
        let walk = ours.iter().map(|row| {
            while theirs[at] < *row {
                at += 1;
            }
            at as u32
        });
        walk.collect()
    }
}

pub(crate) fn for_each_row(mask: &[u64], mut each: impl FnMut(usize)) {
    for (i, &word) in mask.iter().enumerate() {
        let mut word = word;
        if word == u64::MAX {
            (i * 64..i * 64 + 64).for_each(&mut each);
            continue;
        }
        while word != 0 {
            each(i * 64 + word.trailing_zeros() as usize);
            word &= word - 1;
        }
    }
}

pub(crate) fn first_row(mask: &[u64]) -> Option<usize> {
    let word = mask.iter().position(|&word| word != 0)?;
    Some(word * 64 + mask[word].trailing_zeros() as usize)
}

/// Returns the bit mask of those worlds of `rows` for which `test` is true; the argument of `test` is the index of the world in the list of `rows`.
pub(super) fn mask_where(rows: &Selection, mut test: impl FnMut(usize) -> bool) -> Vec<u64> {
    let mut mask = vec![0; rows.mask().len()];
    let mut position = 0;
    for_each_row(rows.mask(), |row| {
        mask[row / 64] |= u64::from(test(position)) << (row % 64);
        position += 1;
    });
    mask
}

/// Returns the order in which the sorted lists of two disjoint sets of worlds are merged: for each world of the union, its index in the concatenation
/// of the two lists.
pub(super) fn interleave(first: &Selection, second: &Selection) -> Vec<u32> {
    let (a, b) = (first.rows(), second.rows());
    let mut order = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        let from_first = j == b.len() || (i < a.len() && a[i] < b[j]);
        if from_first {
            order.push(i as u32);
            i += 1;
        } else {
            order.push((a.len() + j) as u32);
            j += 1;
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_rows() {
        let all = Selection::all(70);
        assert!(all.is_all() && all.len() == 70 && all.rows().len() == 70);
        let some = Selection::from_rows(vec![3, 64, 69], 70);
        assert_eq!(all.minus(some.mask()).len(), 67);
        let two = some.and(Selection::from_rows(vec![3, 69], 70).mask());
        assert_eq!(two.rows(), [3, 69]);
        assert_eq!(two.positions_in(&some), [0, 2]);
        assert_eq!(two.positions_in(&all), [3, 69]);
        assert!(two.is_within(some.mask()) && !some.is_within(two.mask()));
        assert!(two.or(&some).same_as(&some));
        assert_eq!(first_row(some.minus(two.mask()).mask()), Some(64));
    }
}
