//! Automaton for demands on the distance from each occurrence of a pattern to the next occurrence of another pattern.

use std::ops::Range;

use super::{Automaton, PatternTracker, Verdict};
use figrs_models::mdmc::Tile;

/// Automaton that accepts levels in which, after each occurrence of the pattern `from`, the next occurrence of the pattern `to`, if there is one,
/// begins `least` to `most` columns further to the right.
///
/// The state of the automaton holds the partial matches of the patterns `from` and `to`, and the latest columns in which matches of these patterns
/// began. While some occurrences of the pattern `from` have no later occurrence of the pattern `to` yet, the state also holds the numbers of columns
/// read since the first and since the last of these occurrences.
#[derive(Debug)]
pub(in crate::demands) struct Spaced {
    pub(in crate::demands) from: PatternTracker,
    pub(in crate::demands) to: PatternTracker,
    pub(in crate::demands) least: usize,
    pub(in crate::demands) most: Option<usize>,
}

const FROM: u32 = 1;
const TO: u32 = 2;

impl Spaced {
    /// Returns the number of further columns that must be read before it is known whether the patterns begin in a given column.
    fn delay(&self) -> usize {
        self.from.width().max(self.to.width()) - 1
    }

    /// Returns the indices in the automaton's state at which the machine words of the trackers of the patterns `from` and `to` end. The machine words
    /// after those of the pattern trackers describe the columns in which matches began and whose distances are not checked yet.
    fn parts(&self) -> (usize, usize) {
        let from = self.from.words();
        (from, from + self.to.words())
    }

    /// Returns the distance up to which the automaton counts columns; all larger distances have the same state.
    fn far(&self) -> u32 {
        let most = self.most.map_or(0, |most| most.saturating_add(1));
        self.least.max(most).max(1).min(self.span().len()) as u32
    }

    /// Checks the distances from earlier occurrences of the pattern `from` to the occurrences of the pattern `to` that begin in a column. The list
    /// `waiting` is empty if each occurrence of `from` has an occurrence of `to` after it; otherwise, it holds the numbers of columns read since the
    /// first and the last occurrence of `from` that has none.
    fn judge(&self, begins: u32, waiting: &mut Vec<u32>) -> bool {
        for distance in &mut *waiting {
            *distance = (*distance + 1).min(self.far());
        }
        if begins & TO != 0
            && let [first, last] = waiting[..]
        {
            let is_far = self.most.is_some_and(|most| first as usize > most);
            if is_far || (last as usize) < self.least {
                return false;
            }
            waiting.clear();
        }
        if begins & FROM != 0 {
            if waiting.is_empty() {
                waiting.push(0);
            }
            waiting.truncate(1);
            waiting.push(0);
        }
        // Without an upper limit of the distance, only the last occurrence matters.
        if self.most.is_none() && waiting.len() == 2 {
            waiting[0] = waiting[1];
        }
        true
    }
}

impl Automaton for Spaced {
    fn span(&self) -> Range<usize> {
        let (from, to) = (self.from.span(), self.to.span());
        from.start.min(to.start)..from.end.max(to.end)
    }

    fn start(&self) -> Vec<u32> {
        let first = self.span().start;
        let mut state = self.from.start(first);
        state.extend(self.to.start(first));
        state.extend(vec![0; self.delay()]);
        state
    }

    fn phase(&self, column: usize) -> Vec<usize> {
        let last = usize::from(column + 1 == self.span().end);
        vec![self.from.phase(column), self.to.phase(column), last]
    }

    fn reads(&self, row: usize, _column: usize) -> bool {
        self.from.reads(row) || self.to.reads(row)
    }

    fn read(&self, (row, _): (usize, usize), state: &mut Vec<u32>, tile: Tile) -> bool {
        let (from, to) = self.parts();
        self.from.read(row, &mut state[..from], tile);
        self.to.read(row, &mut state[from..to], tile);
        true
    }

    fn end(&self, column: usize, state: &mut Vec<u32>) -> Verdict {
        let (from, to) = self.parts();
        let starts = !self.from.end(column, &mut state[..from]).is_empty();
        let ends = !self.to.end(column, &mut state[from..to]).is_empty();
        let delay = self.delay();
        let mut waiting = state.split_off(to + delay);
        // The columns whose distances are not checked yet, from the earliest to the current one.
        let mut begins = state.split_off(to);
        begins.push(0);
        if starts {
            begins[delay + 1 - self.from.width()] |= FROM;
        }
        if ends {
            begins[delay + 1 - self.to.width()] |= TO;
        }
        let is_last = column + 1 == self.span().end;
        let judged = if is_last { begins.len() } else { 1 };
        for begins in begins.drain(..judged) {
            if !self.judge(begins, &mut waiting) {
                return Verdict::Broken;
            }
        }
        state.extend(begins);
        state.extend(waiting);
        Verdict::met_after(is_last)
    }
}
