//! Automaton for the demand that a pattern occurs a given number of times in a game level.

use std::ops::Range;

use super::{Automaton, PatternTracker, Verdict};
use figrs_models::mdmc::Tile;

/// Automaton that accepts levels in which a pattern occurs `least` to `most` times. The automaton's state holds the partial matches of the pattern,
/// and the number of occurrences so far, capped at a number above which further occurrences do not change the result.
#[derive(Debug)]
pub(in crate::demands) struct Occurrences {
    pub(in crate::demands) tracker: PatternTracker,
    pub(in crate::demands) least: usize,
    pub(in crate::demands) most: Option<usize>,
}

impl Occurrences {
    fn enough(&self) -> usize {
        self.most.map_or(self.least, |most| most.saturating_add(1))
    }
}

impl Automaton for Occurrences {
    fn span(&self) -> Range<usize> {
        self.tracker.span()
    }

    fn start(&self) -> Vec<u32> {
        let mut state = self.tracker.start(self.span().start);
        state.push(0);
        state
    }

    fn phase(&self, column: usize) -> Vec<usize> {
        let last = usize::from(column + 1 == self.span().end);
        vec![self.tracker.phase(column), last]
    }

    fn reads(&self, row: usize, _column: usize) -> bool {
        self.tracker.reads(row)
    }

    fn read(&self, (row, _): (usize, usize), state: &mut Vec<u32>, tile: Tile) -> bool {
        let words = self.tracker.words();
        self.tracker.read(row, &mut state[..words], tile);
        true
    }

    fn end(&self, column: usize, state: &mut Vec<u32>) -> Verdict {
        let words = self.tracker.words();
        let found = self.tracker.end(column, &mut state[..words]).len();
        let number = (state[words] as usize + found).min(self.enough());
        state[words] = number as u32;
        let is_too_many = self.most.is_some_and(|most| number > most);
        if is_too_many {
            Verdict::Broken
        } else if column + 1 == self.span().end {
            Verdict::decided(number >= self.least)
        } else if self.most.is_none() && number >= self.least {
            Verdict::Met
        } else {
            Verdict::Open
        }
    }
}
