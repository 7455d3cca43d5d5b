//! Tracks the partial matches of a pattern: the positions in a level at which the first columns of the pattern match.

use std::ops::Range;

use crate::demands::pattern::Pattern;
use figrs_models::mdmc::Tile;

/// Tracks partial matches of a pattern (positions at which its first columns match) as bits in the state of an automaton.
///
/// The state of the tracker has one bit for each combination of an alternative form of the pattern, a top row and a number of matched columns. A bit
/// of the state is set if the tiles read so far agree with the partial match that the bit stands for.
#[derive(Clone, Debug)]
pub(in crate::demands) struct PatternTracker {
    pattern: Pattern,
    tops: Range<usize>,
    lefts: Range<usize>,
}

impl PatternTracker {
    /// Creates a tracker of a pattern for the rows `rows` and columns `columns` of a level, which must be large enough for the pattern.
    pub(in crate::demands) fn new(
        pattern: Pattern,
        rows: &Range<usize>,
        columns: &Range<usize>,
    ) -> Self {
        Self {
            tops: rows.start..rows.end + 1 - pattern.height(),
            lefts: columns.start..columns.end + 1 - pattern.width(),
            pattern,
        }
    }

    pub(in crate::demands) fn width(&self) -> usize {
        self.pattern.width()
    }

    pub(in crate::demands) fn height(&self) -> usize {
        self.pattern.height()
    }

    pub(in crate::demands) fn span(&self) -> Range<usize> {
        self.lefts.start..self.lefts.end + self.width() - 1
    }

    pub(in crate::demands) fn words(&self) -> usize {
        let bits = self.pattern.forms().len() * self.tops.len() * self.width();
        bits.div_ceil(32)
    }

    fn bit(&self, form: usize, top: usize, matched: usize) -> (usize, u32) {
        let place = (form * self.tops.len() + top - self.tops.start) * self.width() + matched;
        (place / 32, 1 << (place % 32))
    }

    /// Returns the tracker's state before the column `column` if no match has begun in an earlier column.
    pub(in crate::demands) fn start(&self, column: usize) -> Vec<u32> {
        let mut words = vec![0; self.words()];
        self.begin(column, &mut words);
        words
    }

    /// Begins a partial match of each alternative form of the pattern in the column `column`, at each possible top row.
    fn begin(&self, column: usize, words: &mut [u32]) {
        if self.lefts.contains(&column) {
            for form in 0..self.pattern.forms().len() {
                for top in self.tops.clone() {
                    let (word, bit) = self.bit(form, top, 0);
                    words[word] |= bit;
                }
            }
        }
    }

    /// Returns a number for a column; two columns have equal numbers if the tracker of the pattern treats them alike.
    pub(in crate::demands) fn phase(&self, column: usize) -> usize {
        usize::from(self.lefts.contains(&(column + 1)))
    }

    /// True if an occurrence of the pattern may contain a tile in the row `row`.
    pub(in crate::demands) fn reads(&self, row: usize) -> bool {
        (self.tops.start..self.tops.end + self.height() - 1).contains(&row)
    }

    /// Reads the tile in the row `row`, and drops the partial matches that the tile contradicts.
    pub(in crate::demands) fn read(&self, row: usize, words: &mut [u32], tile: Tile) {
        let first = (row + 1).saturating_sub(self.height()).max(self.tops.start);
        for (form, cells) in self.pattern.forms().iter().enumerate() {
            for top in first..self.tops.end.min(row + 1) {
                for matched in 0..self.width() {
                    let (word, bit) = self.bit(form, top, matched);
                    if words[word] & bit != 0 && !cells[(row - top, matched)].contains(tile) {
                        words[word] &= !bit;
                    }
                }
            }
        }
    }

    /// Ends the column `column`, and returns the top row of each occurrence of the pattern that ends in this column.
    pub(in crate::demands) fn end(&self, column: usize, words: &mut [u32]) -> Vec<usize> {
        let mut next = vec![0; words.len()];
        let mut ended = Vec::new();
        for form in 0..self.pattern.forms().len() {
            for top in self.tops.clone() {
                for matched in 0..self.width() {
                    let (word, bit) = self.bit(form, top, matched);
                    if words[word] & bit == 0 {
                        continue;
                    }
                    if matched + 1 == self.width() {
                        ended.push(top);
                    } else {
                        let (word, bit) = self.bit(form, top, matched + 1);
                        next[word] |= bit;
                    }
                }
            }
        }
        words.copy_from_slice(&next);
        self.begin(column + 1, words);
        ended.sort_unstable();
        ended.dedup();
        ended
    }
}
