//! Deterministic automata for demands (requirements on a level); an automaton reads a level cell by cell, in columns from the left, and each column
//! from the bottom up.

mod accompanied;
mod cells;
mod columns_among;
mod numbers;
mod occurrences;
mod pattern_tracker;
mod profiles;
mod reader;
mod spaced;
mod symmetries;

use std::fmt::Debug;
use std::ops::Range;

pub(super) use accompanied::Accompanied;
pub(super) use cells::Cells;
pub(super) use columns_among::ColumnsAmong;
pub(super) use numbers::{NumberInArea, NumberInEach};
pub(super) use occurrences::Occurrences;
pub(super) use pattern_tracker::PatternTracker;
pub(super) use profiles::{Profile, RisingProfile};
pub(super) use reader::Reader;
pub(super) use spaced::Spaced;
pub(super) use symmetries::{Mirrored, Repeated};

use figrs_models::mdmc::Tile;

/// A finite automaton for a demand (a requirement on a game level). A state of the automaton is a list of machine words; states that accept the same
/// remaining columns of a level are equal.
pub(super) trait Automaton: Debug + Send + Sync {
    /// Returns the range of columns that the automaton reads; after the last column of this range, it is known whether the level meets the demand.
    fn span(&self) -> Range<usize>;

    fn start(&self) -> Vec<u32> {
        Vec::new()
    }

    /// Returns a list of numbers for a column; two columns have equal lists if the automaton treats them alike.
    fn phase(&self, column: usize) -> Vec<usize>;

    /// True if the tile in `row` and `column` may change the state of the automaton, or decide whether the level meets the demand.
    fn reads(&self, row: usize, column: usize) -> bool;

    /// Reads the tile of a cell, and changes the state of the automaton; returns false if the demand can no longer be met.
    fn read(&self, cell: (usize, usize), state: &mut Vec<u32>, tile: Tile) -> bool;

    /// Updates the state of the automaton at the end of a column. The result states whether the columns of the level read so far meet the demand,
    /// break it, or leave it open. The default implementation returns "open" before the last column that the automaton reads, and "met" at the end of
    /// that column.
    fn end(&self, column: usize, state: &mut Vec<u32>) -> Verdict {
        let _ = state;
        Verdict::met_after(column + 1 == self.span().end)
    }
}

/// Result of an automaton for the columns of a level read so far: the demand is met, broken or still open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The demand is open: later columns of the level decide whether the demand is met.
    Open,
    Met,
    Broken,
}

impl Verdict {
    fn decided(met: bool) -> Self {
        if met { Self::Met } else { Self::Broken }
    }

    fn met_after(is_last: bool) -> Self {
        if is_last { Self::Met } else { Self::Open }
    }
}
