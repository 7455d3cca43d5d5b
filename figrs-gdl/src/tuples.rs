//! Stores relations as lists of tuples of terms without variables, with indexes over parts of the tuples.

use std::ops::Range;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::syntax::{Pattern, SymbolId};
use super::terms::{Bindings, TermId, TermInterner};

/// A property of a tuple by which an index finds the tuple.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum TupleIndexKey {
    /// The argument at the position that this key contains equals the term that the key contains.
    Whole(u32, TermId),
    /// The argument at the position that this key contains is a term with the function symbol that the key contains.
    Function(u32, SymbolId),
    /// An argument of an argument of the tuple, given by its two positions, equals the term that this key contains.
    Inner(u32, u32, TermId),
}

/// The tuples of a relation, in the order in which they were added.
#[derive(Debug, Default)]
pub(super) struct Tuples {
    rows: IndexSet<Box<[TermId]>, FxBuildHasher>,
    index: FxHashMap<TupleIndexKey, Vec<u32>>,
    /// The tuples that the last round of semi-naive evaluation added, as a range of indices; joins do not use later tuples yet.
    pub(super) recent: Range<usize>,
}

/// A list of candidate tuples, which contains at least all tuples that match a pattern.
#[derive(Clone, Copy, Debug)]
pub(super) enum Candidates<'r> {
    All,
    These(&'r [u32]),
}

impl Tuples {
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn row(&self, number: usize) -> &[TermId] {
        &self.rows[number]
    }

    pub(super) fn number_of(&self, row: &[TermId]) -> Option<usize> {
        self.rows.get_index_of(row)
    }

    /// Adds the tuple `row`; returns `false` if the relation already contains `row`.
    pub(super) fn insert(&mut self, row: Box<[TermId]>, terms: &TermInterner) -> bool {
        let number = self.rows.len() as u32;
        let mut note = |part| self.index.entry(part).or_default().push(number);
        if self.rows.contains(&row) {
            return false;
        }
        for (i, &argument) in (0..).zip(&row) {
            note(TupleIndexKey::Whole(i, argument));
            let (function, inner) = terms.parts(argument);
            if !inner.is_empty() {
                note(TupleIndexKey::Function(i, function));
            }
            for (j, &term) in (0..).zip(inner) {
                note(TupleIndexKey::Inner(i, j, term));
            }
        }
        self.rows.insert(row);
        true
    }

    /// Removes the tuples for whose indices `keeps` returns `false`; the remaining tuples keep their order.
    pub(super) fn retain(&mut self, terms: &TermInterner, keeps: impl Fn(usize) -> bool) {
        let all = std::mem::take(self);
        for (number, row) in all.rows.into_iter().enumerate() {
            if keeps(number) {
                self.insert(row, terms);
            }
        }
        self.recent = self.len()..self.len();
    }

    /// Returns the shortest list of tuples that contains all tuples matching `patterns`.
    pub(super) fn candidates(
        &self,
        patterns: &[Pattern],
        terms: &TermInterner,
        bindings: &Bindings,
    ) -> Candidates<'_> {
        let mut best = Candidates::All;
        let mut shortest = self.rows.len();
        let mut look = |part: TupleIndexKey| {
            let rows = self.index.get(&part).map_or(&[][..], Vec::as_slice);
            if rows.len() < shortest {
                (shortest, best) = (rows.len(), Candidates::These(rows));
            }
        };
        for (i, pattern) in (0..).zip(patterns) {
            if let Some(term) = terms.known(pattern, bindings) {
                look(TupleIndexKey::Whole(i, term));
                continue;
            }
            let Pattern::Term(function, inner) = pattern else {
                continue;
            };
            look(TupleIndexKey::Function(i, *function));
            for (j, pattern) in (0..).zip(inner) {
                if let Some(term) = terms.known(pattern, bindings) {
                    look(TupleIndexKey::Inner(i, j, term));
                }
            }
        }
        best
    }
}

impl Candidates<'_> {
    /// Returns the first tuple of the list, from `position` on, whose index is in the range `within`; also returns the position after this tuple.
    pub(super) fn next(&self, position: usize, within: &Range<usize>) -> Option<(usize, usize)> {
        match self {
            Self::All => {
                let row = position.max(within.start);
                (row < within.end).then_some((row, row + 1))
            }
            Self::These(rows) => {
                let earlier =
                    rows[position..].partition_point(|&row| (row as usize) < within.start);
                let position = position + earlier;
                let &row = rows.get(position)?;
                ((row as usize) < within.end).then_some((row as usize, position + 1))
            }
        }
    }
}
