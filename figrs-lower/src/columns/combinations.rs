//! Indices of combinations of parent values, in the order of their first occurrence.

use rustc_hash::FxHashMap;

/// Maximum size of a table that is indexed by a pair of dictionary codes.
const DENSE: usize = 1 << 16;
const UNKNOWN: u32 = u32::MAX;

/// A map from pairs of dictionary codes to successive indices.
#[derive(Debug, Default)]
struct PairNumbering {
    met: Vec<(u32, u32)>,
    /// The indices of pairs, at the place `left << shift | right`; used while this table is small.
    dense: Vec<u32>,
    shift: u32,
    hashed: FxHashMap<(u32, u32), u32>,
    sparse: bool,
}

impl PairNumbering {
    /// Makes room for pairs of dictionary codes up to `left` and `right`.
    fn reserve(&mut self, left: u32, right: u32) {
        let fits = |table: &Self| {
            right >> table.shift == 0 && ((left as usize) << table.shift) < table.dense.len()
        };
        if self.sparse || fits(self) {
            return;
        }
        let bits = |most: u32| 32 - most.leading_zeros();
        let (rows, shift) = (bits(left), bits(right).max(self.shift));
        let rows = rows.max(
            (self.dense.len() >> self.shift)
                .checked_ilog2()
                .unwrap_or(0),
        );
        if rows + shift > DENSE.ilog2() {
            self.sparse = true;
            let pairs = self.met.iter().zip(0..);
            self.hashed = pairs.map(|(&pair, id)| (pair, id)).collect();
            self.dense = Vec::new();
            return;
        }
        self.shift = shift;
        self.dense = vec![UNKNOWN; 1 << (rows + shift)];
        for (&(left, right), id) in self.met.iter().zip(0..) {
            self.dense[(left as usize) << shift | right as usize] = id;
        }
    }

    /// Replaces the left code of each pair by the index of the pair. A previous call of [`reserve`](Self::reserve) must have made room for the codes.
    fn number(&mut self, left: &mut [u32], right: &[u32]) {
        for (left, &right) in left.iter_mut().zip(right) {
            let next = self.met.len() as u32;
            let id = if self.sparse {
                self.hashed.entry((*left, right)).or_insert(UNKNOWN)
            } else {
                &mut self.dense[(*left as usize) << self.shift | right as usize]
            };
            if *id == UNKNOWN {
                *id = next;
                self.met.push((*left, right));
            }
            *left = *id;
        }
    }
}

/// A map from combinations of the dictionary codes of several parents to successive indices.
#[derive(Debug, Default)]
pub(super) struct CombinationNumbering {
    pairs: Vec<PairNumbering>,
}

impl CombinationNumbering {
    /// Replaces the first parent's code in each world by the index of the combination of all parents' codes; `others` has the codes of the other
    /// parents.
    pub(super) fn number<L: AsRef<[u32]>>(&mut self, numbers: &mut [u32], others: &[L]) {
        self.pairs.resize_with(others.len(), PairNumbering::default);
        for (pairs, column) in self.pairs.iter_mut().zip(others) {
            let column = column.as_ref();
            let most = |codes: &[u32]| codes.iter().copied().max().unwrap_or(0);
            pairs.reserve(most(numbers), most(column));
            pairs.number(numbers, column);
        }
    }

    pub(super) fn bytes(&self) -> usize {
        const PAIR: usize = size_of::<(u32, u32)>();
        let each = |pairs: &PairNumbering| {
            // The hash table stores a pair with its index and with one byte of its hash.
            (pairs.met.capacity() + 2 * pairs.hashed.capacity()) * PAIR + size_of_val(&*pairs.dense)
        };
        self.pairs.iter().map(each).sum()
    }

    pub(super) fn codes(&self, number: u32, parents: usize) -> Vec<u32> {
        let mut codes = vec![0; parents];
        let mut number = number;
        for (at, pairs) in self.pairs.iter().enumerate().rev() {
            let (left, right) = pairs.met[number as usize];
            codes[at + 1] = right;
            number = left;
        }
        if let Some(first) = codes.first_mut() {
            *first = number;
        }
        codes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combinations_keep_their_numbers() {
        let mut combinations = CombinationNumbering::default();
        let mut known: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
        for round in 1..200u32 {
            let column = |parent: u32| -> Vec<u32> {
                (0..50)
                    .map(|row| row * round * (parent + 3) % (7 * round))
                    .collect()
            };
            let columns = [column(0), column(1), column(2)];
            let mut numbers = columns[0].clone();
            combinations.number(&mut numbers, &columns[1..]);
            for (row, &number) in numbers.iter().enumerate() {
                let codes: Vec<u32> = columns.iter().map(|column| column[row]).collect();
                assert_eq!(combinations.codes(number, 3), codes);
                assert_eq!(*known.entry(codes).or_insert(number), number);
            }
        }
        assert!(combinations.pairs.iter().any(|pairs| pairs.sparse));
    }
}
