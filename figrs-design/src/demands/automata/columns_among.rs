//! Automaton for the demand (a requirement on a game level) that each column is in a given list of columns.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::{Automaton, Verdict};
use figrs_models::mdmc::Tile;

/// Automaton that accepts levels in which each column is in a given list. The state of the automaton is a node of the prefix tree of the listed
/// columns, in which each column is read from the bottom up.
#[derive(Debug)]
pub(in crate::demands) struct ColumnsAmong {
    columns: Range<usize>,
    next: FxHashMap<(u32, Tile), u32>,
}

impl ColumnsAmong {
    /// Creates the automaton that accepts only the columns in `among`, each given by its tiles from the top.
    pub(in crate::demands) fn new(columns: Range<usize>, among: &[Vec<Tile>]) -> Self {
        let mut next: FxHashMap<(u32, Tile), u32> = FxHashMap::default();
        for column in among {
            let mut node = 0;
            for &tile in column.iter().rev() {
                let new = next.len() as u32 + 1;
                node = *next.entry((node, tile)).or_insert(new);
            }
        }
        Self { columns, next }
    }
}

impl Automaton for ColumnsAmong {
    fn span(&self) -> Range<usize> {
        self.columns.clone()
    }

    fn start(&self) -> Vec<u32> {
        vec![0]
    }

    fn phase(&self, column: usize) -> Vec<usize> {
        vec![usize::from(column + 1 == self.columns.end)]
    }

    fn reads(&self, _row: usize, _column: usize) -> bool {
        true
    }

    fn read(&self, _cell: (usize, usize), state: &mut Vec<u32>, tile: Tile) -> bool {
        let next = self.next.get(&(state[0], tile));
        state[0] = next.copied().unwrap_or(0);
        next.is_some()
    }

    fn end(&self, column: usize, state: &mut Vec<u32>) -> Verdict {
        state[0] = 0;
        Verdict::met_after(column + 1 == self.columns.end)
    }
}
