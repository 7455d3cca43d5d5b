//! Groups of worlds with equal values of an element's parents, and indices for the combinations of these values.

use std::any::Any;
use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::block::{Block, CombinationMemo};
use super::column::{Column, ColumnSlot, DictionaryId};
use super::dictionary::Dictionary;
use super::selection::{Selection, first_row, for_each_row};
use figrs_core::value::support::SupportBuilder;

/// Maximum number of Boolean parents for which worlds are grouped by bit masks.
const MAX_MASKED_PARENTS: usize = 4;

/// Returns the columns of values as bit masks; `None` if a column does not consist of truth values, or if there are too many columns.
pub(super) fn all_bits(columns: &[Column]) -> Option<Vec<&[u64]>> {
    let bits = columns.iter().map(|column| match column {
        Column::Bits(bits) if columns.len() <= MAX_MASKED_PARENTS => Some(&bits[..]),
        _ => None,
    });
    bits.collect()
}

impl Block {
    /// Groups the worlds `rows` by the values of an element's parents. The groups of worlds are in the order of the first world of each group. The
    /// second result has, for each group of worlds, the index of the combination of parent values in this group.
    pub(super) fn partition(
        &mut self,
        slot: ColumnSlot,
        rows: &Selection,
        parents: &[ColumnSlot],
    ) -> (RowGroups, Vec<u32>) {
        let columns: Vec<Column> = parents
            .iter()
            .map(|&parent| self.read(parent, rows))
            .collect();
        self.note_dictionaries(slot, &columns);
        if let Some(bits) = all_bits(&columns) {
            let (numbers, masks) = self.part_by_masks(slot, rows, &bits);
            let selection = |mask| Selection::from_mask(mask, rows.width());
            let parts = masks.into_iter().map(selection);
            return (RowGroups::Sets(parts.collect()), numbers);
        }
        let mut numbers = self.combined(slot, rows, parents, &columns);
        let most = numbers.iter().copied().max().unwrap_or(0) as usize;
        let mut met = Vec::new();
        let mut group = |group: &mut u32, number: &mut u32| {
            if *group == u32::MAX {
                *group = met.len() as u32;
                met.push(*number);
            }
            *number = *group;
        };
        if most <= 4 * numbers.len() {
            let mut groups = vec![u32::MAX; most + 1];
            for number in &mut numbers {
                group(&mut groups[*number as usize], number);
            }
        } else {
            let mut groups = FxHashMap::<u32, u32>::default();
            for number in &mut numbers {
                group(groups.entry(*number).or_insert(u32::MAX), number);
            }
        }
        (RowGroups::Rows(numbers), met)
    }

    pub(super) fn combined(
        &mut self,
        slot: ColumnSlot,
        rows: &Selection,
        parents: &[ColumnSlot],
        columns: &[Column],
    ) -> Vec<u32> {
        let mut codes = columns.iter().enumerate().map(|(parent, column)| {
            let codes = match column {
                Column::Codes(codes, _) => return Cow::Borrowed(&codes[..]),
                Column::Classes(classes, _) => classes.codes(rows),
                Column::Bits(bits) => {
                    let bit = |&row: &u32| (bits[row as usize / 64] >> (row % 64) & 1) as u32;
                    rows.rows().iter().map(bit).collect()
                }
                Column::Typed(values) => {
                    let dictionary = self.encoder(slot, parent, parents[parent]);
                    self.dictionaries.encode(dictionary, &**values)
                }
            };
            Cow::Owned(codes)
        });
        let first: Cow<'_, [u32]> = codes.next().unwrap_or_default();
        let others: Vec<Cow<'_, [u32]>> = codes.collect();
        let mut numbers = match first {
            Cow::Owned(list) => list,
            Cow::Borrowed(codes) => {
                let mut list = self.buffers.list(codes.len());
                list.extend_from_slice(codes);
                list
            }
        };
        let combinations = &mut self.instructions[slot.index()].memo.combinations;
        combinations.number(&mut numbers, &others);
        numbers
    }

    /// Groups the worlds `rows` by the truth values `bits` of an element's parents. The groups of worlds are in the order of the first world of each
    /// group. The result has, for each group of worlds, the index of its combination of parent values, and the bit mask of its worlds.
    pub(super) fn part_by_masks(
        &mut self,
        slot: ColumnSlot,
        rows: &Selection,
        bits: &[&[u64]],
    ) -> (Vec<u32>, Vec<Vec<u64>>) {
        let mut parts: Vec<(usize, u32, Vec<u64>)> = Vec::new();
        for combination in 0..1u32 << bits.len() {
            let mut mask = rows.mask().to_vec();
            for (parent, bits) in bits.iter().enumerate() {
                let invert = if combination >> parent & 1 == 1 {
                    0
                } else {
                    u64::MAX
                };
                mask.iter_mut()
                    .zip(*bits)
                    .for_each(|(word, bits)| *word &= bits ^ invert);
            }
            if let Some(first) = first_row(&mask) {
                let codes = (0..bits.len()).map(|p| [combination >> p & 1]);
                let codes: Vec<[u32; 1]> = codes.collect();
                let mut number = codes.first().copied().unwrap_or_default();
                let memo = &mut self.instructions[slot.index()].memo;
                memo.combinations
                    .number(&mut number, codes.get(1..).unwrap_or_default());
                parts.push((first, number[0], mask));
            }
        }
        parts.sort_by_key(|part| part.0);
        parts
            .into_iter()
            .map(|(_, number, mask)| (number, mask))
            .unzip()
    }

    /// Clears the cached combinations of parent values if the codes of a parent's values belong to another dictionary than before.
    pub(super) fn note_dictionaries(&mut self, slot: ColumnSlot, columns: &[Column]) {
        let dictionaries = columns.iter().map(|column| match column {
            Column::Codes(_, dictionary) | Column::Classes(_, dictionary) => Some(*dictionary),
            Column::Bits(_) | Column::Typed(_) => None,
        });
        let memo = &mut self.instructions[slot.index()].memo;
        if memo.dictionaries.len() == columns.len()
            && memo.dictionaries.iter().copied().eq(dictionaries.clone())
        {
            return;
        }
        *memo = CombinationMemo {
            dictionaries: dictionaries.collect(),
            ..Default::default()
        };
    }

    /// Returns the dictionary that gives codes to the values of a parent whose values are not stored as codes.
    fn encoder(&mut self, slot: ColumnSlot, parent: usize, of: ColumnSlot) -> DictionaryId {
        let memo = &mut self.instructions[slot.index()].memo;
        memo.encoders
            .resize(memo.encoders.len().max(parent + 1), None);
        if let Some(dictionary) = memo.encoders[parent] {
            return dictionary;
        }
        let values: SupportBuilder = self.instructions[of.index()].element.no_values();
        let dictionary = self.add_dictionary(Dictionary::Growing(values));
        self.instructions[slot.index()].memo.encoders[parent] = Some(dictionary);
        dictionary
    }

    pub(super) fn with_values<R>(
        &self,
        slot: ColumnSlot,
        number: u32,
        parents: usize,
        call: impl FnOnce(&[&dyn Any]) -> R,
    ) -> R {
        let memo = &self.instructions[slot.index()].memo;
        let codes = memo.combinations.codes(number, parents);
        let value = |(parent, &code): (usize, &u32)| -> &dyn Any {
            let encoder = memo.encoders.get(parent).copied().flatten();
            match memo.dictionaries[parent].or(encoder) {
                Some(dictionary) => self.dictionary(dictionary).any(code as usize),
                None if code == 1 => &true,
                None => &false,
            }
        };
        let values: Vec<&dyn Any> = codes.iter().enumerate().map(value).collect();
        call(&values)
    }
}

/// Groups of worlds, ordered by the first world of each group.
#[derive(Debug)]
pub(super) enum RowGroups {
    /// The list has the set of worlds of each group.
    Sets(Vec<Selection>),
    /// The list has, for each world, the index of the world's group.
    Rows(Vec<u32>),
}

impl RowGroups {
    pub(super) fn numbers(&self, rows: &Selection) -> Cow<'_, [u32]> {
        match self {
            Self::Rows(numbers) => Cow::Borrowed(numbers),
            Self::Sets(sets) => {
                let mut by_row = vec![0; rows.width()];
                for (group, set) in sets.iter().enumerate() {
                    for_each_row(set.mask(), |row| by_row[row] = group as u32);
                }
                rows.rows()
                    .iter()
                    .map(|&row| by_row[row as usize])
                    .collect()
            }
        }
    }

    pub(super) fn sizes(&self, count: usize) -> Vec<usize> {
        match self {
            Self::Sets(sets) => sets.iter().map(Selection::len).collect(),
            Self::Rows(numbers) => {
                let mut sizes = vec![0; count];
                for &group in numbers {
                    sizes[group as usize] += 1;
                }
                sizes
            }
        }
    }

    /// Returns the set of worlds of each group; `None` for the groups that are marked in `few`. The second result lists the worlds of the groups
    /// marked in `few` in ascending order, each with the index of its group.
    pub(super) fn split_rare(
        &self,
        rows: &Selection,
        few: &[bool],
    ) -> (Vec<Option<Selection>>, Vec<(u32, u32)>) {
        let mut rest = Vec::new();
        let many = match self {
            Self::Sets(sets) => {
                let selected = sets.iter().zip(few).enumerate().map(|(group, (set, few))| {
                    if *few {
                        for_each_row(set.mask(), |row| rest.push((row as u32, group as u32)));
                        return None;
                    }
                    Some(set.clone())
                });
                selected.collect()
            }
            Self::Rows(numbers) => {
                let mut lists = vec![Vec::new(); few.len()];
                for (&row, &group) in rows.rows().iter().zip(numbers) {
                    if few[group as usize] {
                        rest.push((row, group));
                    } else {
                        lists[group as usize].push(row);
                    }
                }
                let lists = lists.into_iter().zip(few);
                let selection = |list| Selection::from_rows(list, rows.width());
                lists
                    .map(|(list, few)| (!few).then(|| selection(list)))
                    .collect()
            }
        };
        rest.sort_unstable();
        (many, rest)
    }

    pub(super) fn selections(&self, rows: &Selection, count: usize) -> Vec<Selection> {
        if let (Self::Rows(_), 1) = (self, count) {
            return vec![rows.clone()];
        }
        let (all, _) = self.split_rare(rows, &vec![false; count]);
        all.into_iter().flatten().collect()
    }
}

/// Maximum size of a table whose index is formed from two dictionary codes.
const DENSE: usize = 1 << 16;
const UNKNOWN: u32 = u32::MAX;

/// A map from pairs of dictionary codes to successive indices.
#[derive(Debug, Default)]
struct PairNumbering {
    met: Vec<(u32, u32)>,
    /// The index of each pair of codes, at the place `left << shift | right`; the table is used while it is small.
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

    /// Replaces the left code of each pair of codes by the index of the pair. A previous call of [`reserve`](Self::reserve) must have made room in
    /// the table for the codes.
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
    /// Replaces the code of the first parent's value in each world by the index of the combination of all parents' values; `others` has the codes of
    /// the other parents' values.
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
    fn groups_are_parted_alike_by_masks_and_by_rows() {
        let width = 130;
        let rows = Selection::from_rows(
            (0..width as u32).filter(|row| row % 5 != 1).collect(),
            width,
        );
        let group = |row: u32| {
            if row < 3 {
                2
            } else {
                u32::from(row.is_multiple_of(7))
            }
        };
        let numbers: Vec<u32> = rows.rows().iter().map(|&row| group(row)).collect();
        let sets = (0..3).map(|of| {
            let all = rows.rows().iter().filter(|&&row| group(row) == of);
            Selection::from_rows(all.copied().collect(), width)
        });
        let both = [RowGroups::Sets(sets.collect()), RowGroups::Rows(numbers)];
        let sizes = both.each_ref().map(|groups| groups.sizes(3));
        assert_eq!(sizes[0], sizes[1]);
        assert_eq!(sizes[0].iter().sum::<usize>(), rows.len());
        for few in [[false, true, true], [false; 3], [true; 3]] {
            let [(many, rest), (others, other_rest)] =
                both.each_ref().map(|g| g.split_rare(&rows, &few));
            let lists = |all: &[Option<Selection>]| -> Vec<Option<Vec<u32>>> {
                all.iter()
                    .map(|one| one.as_ref().map(|one| one.rows().to_vec()))
                    .collect()
            };
            assert_eq!((lists(&many), &rest), (lists(&others), &other_rest));
            assert!(rest.is_sorted() && rest.iter().all(|&(row, of)| group(row) == of));
            let parted = many.iter().flatten().map(Selection::len).sum::<usize>() + rest.len();
            assert_eq!(parted, rows.len());
        }
    }

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
