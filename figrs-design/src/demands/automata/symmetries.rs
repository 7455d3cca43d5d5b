//! Automata for areas of a game level that equal their mirror image, and for areas that repeat.

use std::ops::Range;

use super::Automaton;
use crate::demands::demand::Mirror;
use figrs_models::mdmc::{Tile, TileClass};

/// Returns a number that represents a tile when tiles are compared. If no class is given, each tile has its own number for the comparison; if a class
/// is given, the number is 1 for the tiles in the class and 0 for all others.
fn number(tile: Tile, by: Option<&TileClass>) -> u32 {
    match by {
        Some(class) => u32::from(class.contains(tile)),
        None => tile.symbol().map_or(0, u32::from),
    }
}

/// Automaton that accepts levels in which an area equals its mirror image. The state of the automaton holds the tiles whose mirror images have not
/// been read yet.
#[derive(Debug)]
pub(in crate::demands) struct Mirrored {
    pub(in crate::demands) rows: Range<usize>,
    pub(in crate::demands) columns: Range<usize>,
    pub(in crate::demands) mirror: Mirror,
    pub(in crate::demands) by: Option<TileClass>,
}

/// The half of an area in which a line (a column or a row) lies.
enum Half {
    First,
    /// The line is the middle line of the area, which is its own mirror image.
    Middle,
    Second,
}

fn half(lines: &Range<usize>, line: usize) -> Half {
    let image = lines.start + lines.end - 1 - line;
    match line.cmp(&image) {
        std::cmp::Ordering::Less => Half::First,
        std::cmp::Ordering::Equal => Half::Middle,
        std::cmp::Ordering::Greater => Half::Second,
    }
}

impl Automaton for Mirrored {
    fn span(&self) -> Range<usize> {
        self.columns.clone()
    }

    fn phase(&self, column: usize) -> Vec<usize> {
        let last = usize::from(column + 1 == self.columns.end);
        match self.mirror {
            Mirror::Rows => vec![last],
            Mirror::Columns => vec![last, half(&self.columns, column) as usize],
        }
    }

    fn reads(&self, row: usize, _column: usize) -> bool {
        self.rows.contains(&row)
    }

    fn read(&self, (row, column): (usize, usize), state: &mut Vec<u32>, tile: Tile) -> bool {
        let tile = number(tile, self.by.as_ref());
        let half = match self.mirror {
            Mirror::Columns => half(&self.columns, column),
            // Columns are read from the bottom up.
            Mirror::Rows => match half(&self.rows, row) {
                Half::First => Half::Second,
                Half::Middle => Half::Middle,
                Half::Second => Half::First,
            },
        };
        match half {
            Half::First => {
                state.push(tile);
                true
            }
            Half::Middle => true,
            Half::Second => {
                // For mirrored columns, the mirror image of the tile is in the lowest remaining cell of the last stored column; for mirrored rows, it
                // is in the last stored cell of this column.
                let left = match self.mirror {
                    Mirror::Columns => row + 1 - self.rows.start,
                    Mirror::Rows => 1,
                };
                state.remove(state.len() - left) == tile
            }
        }
    }
}

/// Automaton that accepts levels in which an area repeats every `period` columns. The state of the automaton holds the tiles of the latest columns of
/// the area.
#[derive(Debug)]
pub(in crate::demands) struct Repeated {
    pub(in crate::demands) rows: Range<usize>,
    pub(in crate::demands) columns: Range<usize>,
    /// Number of columns after which the area repeats; it is less than the number of columns of the area.
    pub(in crate::demands) period: usize,
    pub(in crate::demands) by: Option<TileClass>,
}

impl Automaton for Repeated {
    fn span(&self) -> Range<usize> {
        self.columns.clone()
    }

    fn phase(&self, column: usize) -> Vec<usize> {
        vec![
            usize::from(column - self.columns.start < self.period),
            usize::from(column + self.period >= self.columns.end),
            usize::from(column + 1 == self.columns.end),
        ]
    }

    fn reads(&self, row: usize, _column: usize) -> bool {
        self.rows.contains(&row)
    }

    fn read(&self, (_, column): (usize, usize), state: &mut Vec<u32>, tile: Tile) -> bool {
        let tile = number(tile, self.by.as_ref());
        if column - self.columns.start >= self.period && state.remove(0) != tile {
            return false;
        }
        if column + self.period < self.columns.end {
            state.push(tile);
        }
        true
    }
}
