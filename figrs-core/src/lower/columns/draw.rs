//! Random values for the rows of a block.

use std::any::Any;
use std::borrow::Cow;
use std::rc::Rc;

use super::bernoulli::{draw_each, draw_groups};
use super::block::{Block, ColumnSlot};
use super::column::{Column, DictionaryId};
use super::dictionary::Dictionary;
use super::selection::{Selection, for_each_row};
use crate::element::alias::Alias;
use crate::element::node::{AnyElement, AtomicOp, Endless, FiniteOutcomes};
use crate::error::ModelError;
use crate::random::Stream;
use crate::value::datum::Datum;

/// Sampling method of an atomic element.
#[derive(Debug)]
pub(super) enum AtomicSampler {
    /// True with this probability.
    Flip(f64),
    /// One of some values, whose codes are those of the book.
    Finite(CodeSampler, DictionaryId),
    /// By its own function, since its values cannot be listed.
    Open { continuous: bool },
}

/// One of some codes.
#[derive(Debug)]
pub(super) enum CodeSampler {
    Certain(u32),
    Alias(Alias),
}

impl AtomicSampler {
    /// Bytes that it takes besides its own size.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Finite(drawn, _) => drawn.bytes(),
            Self::Flip(_) | Self::Open { .. } => 0,
        }
    }
}

impl PooledSampler {
    /// Bytes that it takes besides its own size.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Flip(_) => 0,
            Self::Codes(drawn) => drawn.bytes(),
        }
    }
}

impl CodeSampler {
    fn bytes(&self) -> usize {
        match self {
            Self::Certain(_) => 0,
            Self::Alias(alias) => alias.bytes(),
        }
    }

    pub(super) fn new(probabilities: &[f64], codes: &[u32]) -> Self {
        match codes {
            [code] => Self::Certain(*code),
            _ => Self::Alias(Alias::new(probabilities, codes)),
        }
    }

    /// A value for each of some rows; those of several are written into an empty list.
    fn column(
        &self,
        rows: &Selection,
        book: DictionaryId,
        mut list: Vec<u32>,
        rng: &mut Stream,
    ) -> Column {
        match self {
            Self::Certain(code) => Column::same(rows, *code, book),
            Self::Alias(alias) => {
                list.extend((0..rows.len()).map(|_| alias.draw(rng)));
                Column::Codes(Rc::new(list), book)
            }
        }
    }
}

/// A choice that different rows make among different distributions.
#[derive(Debug)]
pub(super) enum PooledSampler {
    Flip(f64),
    Codes(CodeSampler),
}

/// The probability that a finite truth value is true.
pub(super) fn probability_of_true(outcomes: &FiniteOutcomes) -> f64 {
    let truth = outcomes.support.index_of(&true);
    truth.map_or(0.0, |at| outcomes.probabilities[at])
}

impl Block {
    /// Sampling method of an atomic element, prepared when it is first reached.
    pub(super) fn prepare(
        &mut self,
        slot: ColumnSlot,
        op: &dyn AtomicOp,
    ) -> Result<Rc<AtomicSampler>, ModelError> {
        if let Some(prepared) = &self.instructions[slot.index()].prepared {
            return Ok(prepared.clone());
        }
        let element = self.instructions[slot.index()].element.clone();
        let is_bool = self.instructions[slot.index()].is_bool;
        let prepared = match checked_outcomes(&element, op)? {
            Ok(outcomes) if is_bool => AtomicSampler::Flip(probability_of_true(&outcomes)),
            Ok(outcomes) => {
                let codes: Vec<u32> = (0..outcomes.support.len() as u32).collect();
                let drawn = CodeSampler::new(&outcomes.probabilities, &codes);
                AtomicSampler::Finite(drawn, self.add_book(Dictionary::Fixed(outcomes.support)))
            }
            Err(endless) => AtomicSampler::Open {
                continuous: endless == Endless::Continuous,
            },
        };
        self.bytes.added(prepared.bytes());
        let prepared = Rc::new(prepared);
        self.instructions[slot.index()].prepared = Some(prepared.clone());
        Ok(prepared)
    }

    /// Values of an atomic element.
    pub(super) fn draw_atomic(
        prepared: &AtomicSampler,
        (element, op): (&AnyElement, &dyn AtomicOp),
        rows: &Selection,
        rng: &mut Stream,
    ) -> Result<Column, ModelError> {
        Ok(match prepared {
            AtomicSampler::Flip(p) => Column::Bits(Rc::new(draw_groups(
                rng,
                &[(rows.mask(), *p)],
                rows.mask().len(),
            ))),
            AtomicSampler::Finite(drawn, book) => {
                let list = Vec::with_capacity(rows.len());
                drawn.column(rows, *book, list, rng)
            }
            AtomicSampler::Open { .. } => {
                let values = op.sample_many(rows.len(), rng);
                let values = values.map_err(|fault| element.fault(fault))?;
                Self::packed(values, rows)
            }
        })
    }

    /// The same value in all rows.
    pub(super) fn constant(&mut self, slot: ColumnSlot, value: &Datum, rows: &Selection) -> Column {
        if let Some(&truth) = value.get::<bool>() {
            let bits = if truth {
                rows.mask().to_vec()
            } else {
                vec![0; rows.mask().len()]
            };
            return Column::Bits(Rc::new(bits));
        }
        let book = self.own_book(slot);
        let code = self.enter_value(book, value.as_any());
        Column::same(rows, code, book)
    }

    /// The growing dictionary of values of a slot.
    pub(super) fn own_book(&mut self, slot: ColumnSlot) -> DictionaryId {
        if let Some(book) = self.instructions[slot.index()].book {
            return book;
        }
        let element = self.instructions[slot.index()].element.clone();
        let book = self.growing(&element);
        self.instructions[slot.index()].book = Some(book);
        book
    }
}

/// The outcomes of an atomic element whose parameters are right.
pub(super) fn checked_outcomes(
    element: &AnyElement,
    op: &dyn AtomicOp,
) -> Result<Result<FiniteOutcomes, Endless>, ModelError> {
    op.check().map_err(|problem| element.invalid(problem))?;
    op.outcomes().map_err(|fault| element.fault(fault))
}

/// A choice for each row, among the distributions of groups of rows: row after row, or truth values 64 at a time; others
/// than truth values as codes of a book, in an empty list.
pub(super) fn draw_ready(
    rows: &Selection,
    groups: &RowGroups,
    ready: &[&PooledSampler],
    codes: Option<(DictionaryId, Vec<u32>)>,
    rng: &mut Stream,
) -> Column {
    let Some((book, mut list)) = codes else {
        let p = |group: usize| match ready[group] {
            PooledSampler::Flip(p) => *p,
            PooledSampler::Codes(_) => 0.0,
        };
        let bits = match groups {
            RowGroups::Masks(masks) => {
                let groups = masks
                    .iter()
                    .enumerate()
                    .map(|(group, mask)| (&mask[..], p(group)));
                draw_groups(rng, &groups.collect::<Vec<_>>(), rows.mask().len())
            }
            RowGroups::Rows(numbers) => {
                let mut next = numbers.iter();
                draw_each(rng, rows.mask(), |_| {
                    next.next().map_or(0.0, |&group| p(group as usize))
                })
            }
        };
        return Column::Bits(Rc::new(bits));
    };
    if let [PooledSampler::Codes(only)] = ready {
        return only.column(rows, book, list, rng);
    }
    let numbers = groups.numbers(rows);
    list.extend(numbers.iter().map(|&group| match ready[group as usize] {
        PooledSampler::Codes(CodeSampler::Certain(code)) => *code,
        PooledSampler::Codes(CodeSampler::Alias(alias)) => alias.draw(rng),
        PooledSampler::Flip(_) => 0,
    }));
    Column::Codes(Rc::new(list), book)
}

/// Rows in groups, numbered from zero in the order of their first rows.
#[derive(Debug)]
pub(super) enum RowGroups {
    /// A mask for each group.
    Masks(Vec<Vec<u64>>),
    /// The group of each row.
    Rows(Vec<u32>),
}

impl RowGroups {
    /// The group of each row.
    pub(super) fn numbers(&self, rows: &Selection) -> Cow<'_, [u32]> {
        match self {
            Self::Rows(numbers) => Cow::Borrowed(numbers),
            Self::Masks(masks) => {
                let mut by_row = vec![0; rows.width()];
                for (group, mask) in masks.iter().enumerate() {
                    for_each_row(mask, |row| by_row[row] = group as u32);
                }
                rows.rows()
                    .iter()
                    .map(|&row| by_row[row as usize])
                    .collect()
            }
        }
    }

    /// Number of rows of each of `count` groups.
    pub(super) fn sizes(&self, count: usize) -> Vec<usize> {
        match self {
            Self::Masks(masks) => {
                let ones = |mask: &Vec<u64>| mask.iter().map(|word| word.count_ones()).sum::<u32>();
                masks.iter().map(|mask| ones(mask) as usize).collect()
            }
            Self::Rows(numbers) => {
                let mut sizes = vec![0; count];
                for &group in numbers {
                    sizes[group as usize] += 1;
                }
                sizes
            }
        }
    }

    /// The rows of each group that is not among the `few`, and in ascending order all rows of those that are, each with its group.
    pub(super) fn parted(
        &self,
        rows: &Selection,
        few: &[bool],
    ) -> (Vec<Option<Selection>>, Vec<(u32, u32)>) {
        let mut rest = Vec::new();
        let many = match self {
            Self::Masks(masks) => {
                let selected = masks
                    .iter()
                    .zip(few)
                    .enumerate()
                    .map(|(group, (mask, few))| {
                        if *few {
                            for_each_row(mask, |row| rest.push((row as u32, group as u32)));
                            return None;
                        }
                        Some(Selection::from_mask(mask.clone(), rows.width()))
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

    /// The rows of each of `count` groups.
    pub(super) fn selections(&self, rows: &Selection, count: usize) -> Vec<Selection> {
        if let (Self::Rows(_), 1) = (self, count) {
            return vec![rows.clone()];
        }
        let (all, _) = self.parted(rows, &vec![false; count]);
        all.into_iter().flatten().collect()
    }
}

/// The likelihood of a value under an atomic element.
pub(super) fn likelihood(
    element: &AnyElement,
    op: &dyn AtomicOp,
    value: &dyn Any,
) -> Result<(f64, f64), ModelError> {
    let log = op.log_prob(value).map_err(|fault| element.fault(fault))?;
    Ok((log.exp(), log))
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
        let masks = (0..3).map(|of| {
            let all = rows.rows().iter().filter(|&&row| group(row) == of);
            Selection::from_rows(all.copied().collect(), width)
                .mask()
                .to_vec()
        });
        let both = [RowGroups::Masks(masks.collect()), RowGroups::Rows(numbers)];
        let sizes = both.each_ref().map(|groups| groups.sizes(3));
        assert_eq!(sizes[0], sizes[1]);
        assert_eq!(sizes[0].iter().sum::<usize>(), rows.len());
        for few in [[false, true, true], [false; 3], [true; 3]] {
            let [(many, rest), (others, other_rest)] =
                both.each_ref().map(|g| g.parted(&rows, &few));
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
}
