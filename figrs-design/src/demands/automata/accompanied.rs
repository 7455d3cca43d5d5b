//! Automaton for the demand (a requirement on a game level) that each occurrence of a pattern has an occurrence of another pattern near it.

use std::ops::{Range, RangeInclusive};

use super::{Automaton, PatternTracker, Verdict};
use figrs_models::mdmc::Tile;

/// Automaton that accepts levels in which each occurrence of the pattern `each` has an occurrence of the pattern `by` near it. The ranges `rows` and
/// `columns` limit the shift between the two patterns, from the first cell of `each` to the first cell of `by`.
///
/// The state of the automaton holds the partial matches of the patterns `each` and `by`, the occurrences of `each` that still need an occurrence of
/// `by` near them, and the latest occurrences of `by`.
#[derive(Debug)]
pub(in crate::demands) struct Accompanied {
    pub(in crate::demands) each: PatternTracker,
    pub(in crate::demands) by: PatternTracker,
    pub(in crate::demands) rows: RangeInclusive<isize>,
    pub(in crate::demands) columns: RangeInclusive<isize>,
    pub(in crate::demands) width: usize,
}

/// The place of an occurrence of a pattern: its top row, and the number of columns read since its first column.
type AgedPlace = (u32, u32);

impl Accompanied {
    fn parts(&self) -> (usize, usize) {
        let each = self.each.words();
        (each, each + self.by.words())
    }

    /// True if the pattern `by` may be arbitrarily far to the right of the occurrence of `each` that it must accompany.
    fn is_endless(&self) -> bool {
        *self.columns.end() >= self.width as isize
    }

    /// True if the pattern `by` may be arbitrarily far to the left of the occurrence of `each` that it must accompany.
    fn reaches_back(&self) -> bool {
        *self.columns.start() <= -(self.width as isize)
    }

    fn fits(&self, each: AgedPlace, by: AgedPlace) -> bool {
        let rows = by.0 as isize - each.0 as isize;
        let columns = each.1 as isize - by.1 as isize;
        self.rows.contains(&rows)
            && (self.reaches_back() || columns >= *self.columns.start())
            && (self.is_endless() || columns <= *self.columns.end())
    }

    /// Splits the state of the automaton into two lists: the occurrences of the pattern `each` that still need the pattern `by` near them, and the
    /// occurrences of `by`.
    fn places(words: &[u32]) -> (Vec<AgedPlace>, Vec<AgedPlace>) {
        let Some((&waiting, rest)) = words.split_first() else {
            return Default::default();
        };
        let pairs = rest.as_chunks::<2>().0.iter().map(|&[row, age]| (row, age));
        let mut waiting_places: Vec<AgedPlace> = pairs.collect();
        let others = waiting_places.split_off(waiting as usize);
        (waiting_places, others)
    }
}

impl Automaton for Accompanied {
    fn span(&self) -> Range<usize> {
        let (each, by) = (self.each.span(), self.by.span());
        each.start.min(by.start)..each.end.max(by.end)
    }

    fn start(&self) -> Vec<u32> {
        let first = self.span().start;
        let mut state = self.each.start(first);
        state.extend(self.by.start(first));
        state.push(0);
        state
    }

    fn phase(&self, column: usize) -> Vec<usize> {
        let last = usize::from(column + 1 == self.span().end);
        let is_after = usize::from(column + 1 >= self.each.span().end);
        vec![
            self.each.phase(column),
            self.by.phase(column),
            last,
            is_after,
        ]
    }

    fn reads(&self, row: usize, _column: usize) -> bool {
        self.each.reads(row) || self.by.reads(row)
    }

    fn read(&self, (row, _): (usize, usize), state: &mut Vec<u32>, tile: Tile) -> bool {
        let (each, by) = self.parts();
        self.each.read(row, &mut state[..each], tile);
        self.by.read(row, &mut state[each..by], tile);
        true
    }

    fn end(&self, column: usize, state: &mut Vec<u32>) -> Verdict {
        let (each, by) = self.parts();
        let begun = self.each.end(column, &mut state[..each]);
        let found = self.by.end(column, &mut state[each..by]);
        let (each_width, by_width) = (self.each.width() as u32, self.by.width() as u32);
        let (mut waiting, mut others) = Self::places(&state[by..]);
        others.extend(found.iter().map(|&row| (row as u32, by_width - 1)));
        waiting.extend(begun.iter().map(|&row| (row as u32, each_width - 1)));
        waiting.retain(|&place| !others.iter().any(|&other| self.fits(place, other)));
        let is_last = column + 1 == self.span().end;
        if is_last {
            return Verdict::decided(waiting.is_empty());
        }
        let (near, far) = (*self.columns.start(), *self.columns.end());
        // An occurrence of `by` that ends in a later column begins later than this column minus the width of `by`.
        let is_late = |&(_, age): &AgedPlace| age as isize + 2 - by_width as isize > far;
        if !self.is_endless() && waiting.iter().any(is_late) {
            return Verdict::Broken;
        }
        let is_over = column + 1 >= self.each.span().end;
        if is_over && waiting.is_empty() {
            return Verdict::Met;
        }
        // From this age of an occurrence of `each` on, any later occurrence of `by` is far enough to the right.
        let old = near
            .saturating_add(by_width as isize)
            .max(0)
            .max(each_width as isize) as u32;
        for (_, age) in &mut waiting {
            *age += 1;
            if self.is_endless() {
                *age = (*age).min(old);
            }
        }
        // The age of an occurrence of the pattern in the column where it ends.
        let newest = each_width as isize - 1;
        let long_ago = newest.saturating_sub(far).max(0) as u32;
        for (_, age) in &mut others {
            *age += 1;
            if self.reaches_back() {
                *age = (*age).min(long_ago.max(by_width));
            }
        }
        let can_be_near = |age: u32| self.reaches_back() || newest - age as isize >= near;
        others.retain(|&(_, age)| !is_over && can_be_near(age));
        for places in [&mut waiting, &mut others] {
            places.sort_unstable();
            places.dedup();
        }
        state.truncate(by);
        state.push(waiting.len() as u32);
        let places = waiting.iter().chain(&others);
        state.extend(places.flat_map(|&(row, age)| [row, age]));
        Verdict::Open
    }
}
