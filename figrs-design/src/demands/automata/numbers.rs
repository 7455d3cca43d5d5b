//! Automata that count the tiles of a class in an area of a game level, or in each window of adjacent columns.

use std::ops::Range;

use super::{Automaton, Verdict};
use figrs_models::mdmc::{Tile, TileClass};

/// Automaton that accepts levels with `least` to `most` tiles of a class in an area. The automaton's state is the number of tiles of the class so
/// far, capped at a number above which further tiles do not change the result.
#[derive(Debug)]
pub(in crate::demands) struct NumberInArea {
    pub(in crate::demands) class: TileClass,
    pub(in crate::demands) rows: Range<usize>,
    pub(in crate::demands) columns: Range<usize>,
    pub(in crate::demands) least: usize,
    pub(in crate::demands) most: usize,
}

impl NumberInArea {
    fn left(&self, column: usize) -> usize {
        (self.columns.end - 1 - column) * self.rows.len()
    }

    /// Returns the number up to which the automaton counts tiles; all larger numbers have the same state.
    fn enough(&self) -> usize {
        if self.most >= self.rows.len() * self.columns.len() {
            self.least
        } else {
            self.most + 1
        }
    }
}

impl Automaton for NumberInArea {
    fn span(&self) -> Range<usize> {
        self.columns.clone()
    }

    fn start(&self) -> Vec<u32> {
        vec![0]
    }

    fn phase(&self, column: usize) -> Vec<usize> {
        // The number of unread cells of the area matters only if it is below the number up to which the automaton counts.
        vec![self.left(column).min(self.enough())]
    }

    fn reads(&self, row: usize, _column: usize) -> bool {
        self.rows.contains(&row)
    }

    fn read(&self, _cell: (usize, usize), state: &mut Vec<u32>, tile: Tile) -> bool {
        if self.class.contains(tile) {
            state[0] = (state[0] + 1).min(self.enough() as u32);
        }
        true
    }

    fn end(&self, column: usize, state: &mut Vec<u32>) -> Verdict {
        let (number, left) = (state[0] as usize, self.left(column));
        let unlimited = self.enough() == self.least;
        if !unlimited && number > self.most || number.saturating_add(left) < self.least {
            Verdict::Broken
        } else if number >= self.least && (unlimited || number + left <= self.most) {
            Verdict::Met
        } else {
            Verdict::Open
        }
    }
}

/// Automaton that accepts levels with `least` to `most` tiles of a class in each window of `window` adjacent columns. For each of the latest tiles of
/// the class, the state of the automaton holds the number of columns that were read after the tile.
#[derive(Debug)]
pub(in crate::demands) struct NumberInEach {
    pub(in crate::demands) class: TileClass,
    pub(in crate::demands) rows: Range<usize>,
    pub(in crate::demands) columns: Range<usize>,
    /// Number of adjacent columns in a window; it is at most the number of columns of the area.
    pub(in crate::demands) window: usize,
    pub(in crate::demands) least: usize,
    pub(in crate::demands) most: usize,
}

impl NumberInEach {
    /// Returns the maximum number of tiles for each of which the automaton's state holds the number of columns read after the tile.
    fn kept(&self) -> usize {
        if self.most >= self.window * self.rows.len() {
            self.least
        } else {
            self.most + 1
        }
    }
}

impl Automaton for NumberInEach {
    fn span(&self) -> Range<usize> {
        self.columns.clone()
    }

    fn phase(&self, column: usize) -> Vec<usize> {
        let whole = column + 1 - self.columns.start >= self.window;
        vec![
            usize::from(whole),
            usize::from(column + 1 == self.columns.end),
        ]
    }

    fn reads(&self, row: usize, _column: usize) -> bool {
        self.rows.contains(&row)
    }

    fn read(&self, _cell: (usize, usize), state: &mut Vec<u32>, tile: Tile) -> bool {
        if self.class.contains(tile) {
            // The state lists the number of columns since each counted tile, from the oldest tile to the newest.
            state.push(0);
            if state.len() > self.kept() {
                state.remove(0);
            }
        }
        true
    }

    fn end(&self, column: usize, state: &mut Vec<u32>) -> Verdict {
        let (number, unlimited) = (state.len(), self.kept() == self.least);
        let whole = column + 1 - self.columns.start >= self.window;
        if !unlimited && number > self.most || whole && number < self.least {
            return Verdict::Broken;
        }
        for age in &mut *state {
            *age += 1;
        }
        state.retain(|&age| (age as usize) < self.window);
        Verdict::met_after(column + 1 == self.columns.end)
    }
}
