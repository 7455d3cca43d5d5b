//! Automata for demands on the number of tiles in each section (a group of adjacent columns) of a game level.

use std::ops::Range;

use super::{Automaton, Verdict};
use figrs_models::mdmc::{Tile, TileClass};

/// Divides the columns of a level into sections of nearly equal size.
#[derive(Clone, Debug)]
struct Sections {
    columns: Range<usize>,
    number: usize,
}

impl Sections {
    /// Returns the index of the section of columns that contains the column, and true if the section ends with this column.
    fn of(&self, column: usize) -> (usize, bool) {
        let length = self.columns.len();
        let end = |section: usize| self.columns.start + (section + 1) * length / self.number;
        let mut sections = 0..self.number;
        let section = sections.find(|&section| column < end(section));
        let section = section.unwrap_or(self.number - 1);
        (section, column + 1 == end(section))
    }
}

/// Automaton that accepts levels in which the number of tiles of a class in each section of columns is in a range given for that section. The state
/// of the automaton is the number of tiles of the class read so far in the current section of columns.
#[derive(Debug)]
pub(in crate::demands) struct Profile {
    class: TileClass,
    rows: Range<usize>,
    sections: Sections,
    numbers: Vec<(usize, usize)>,
}

impl Profile {
    /// Creates the automaton for an area of a level that has at least as many columns as sections.
    pub(in crate::demands) fn new(
        class: TileClass,
        (rows, columns): (Range<usize>, Range<usize>),
        numbers: Vec<(usize, usize)>,
    ) -> Self {
        let number = numbers.len();
        Self {
            class,
            rows,
            sections: Sections { columns, number },
            numbers,
        }
    }
}

impl Automaton for Profile {
    fn span(&self) -> Range<usize> {
        self.sections.columns.clone()
    }

    fn start(&self) -> Vec<u32> {
        vec![0]
    }

    fn phase(&self, column: usize) -> Vec<usize> {
        let (section, ends) = self.sections.of(column);
        vec![section, usize::from(ends)]
    }

    fn reads(&self, row: usize, _column: usize) -> bool {
        self.rows.contains(&row)
    }

    fn read(&self, (_, column): (usize, usize), state: &mut Vec<u32>, tile: Tile) -> bool {
        let (least, most) = self.numbers[self.sections.of(column).0];
        state[0] += u32::from(self.class.contains(tile));
        if most == usize::MAX {
            state[0] = state[0].min(least as u32);
        }
        state[0] as usize <= most
    }

    fn end(&self, column: usize, state: &mut Vec<u32>) -> Verdict {
        let (section, ends) = self.sections.of(column);
        if !ends {
            return Verdict::Open;
        }
        if (state[0] as usize) < self.numbers[section].0 {
            return Verdict::Broken;
        }
        state[0] = 0;
        Verdict::met_after(section + 1 == self.numbers.len())
    }
}

/// Automaton that accepts levels in which each section of columns has at least as many tiles of a class as the section before. The state of the
/// automaton holds two numbers of tiles of the class: those in the current section of columns and those in the section before.
#[derive(Debug)]
pub(in crate::demands) struct RisingProfile {
    class: TileClass,
    rows: Range<usize>,
    sections: Sections,
}

impl RisingProfile {
    /// Creates the automaton for an area of a level that has at least as many columns as sections.
    pub(in crate::demands) fn new(
        class: TileClass,
        (rows, columns): (Range<usize>, Range<usize>),
        number: usize,
    ) -> Self {
        Self {
            class,
            rows,
            sections: Sections { columns, number },
        }
    }
}

impl Automaton for RisingProfile {
    fn span(&self) -> Range<usize> {
        self.sections.columns.clone()
    }

    fn start(&self) -> Vec<u32> {
        vec![0, 0]
    }

    fn phase(&self, column: usize) -> Vec<usize> {
        let (section, ends) = self.sections.of(column);
        let is_last = section + 1 == self.sections.number;
        vec![usize::from(is_last), usize::from(ends)]
    }

    fn reads(&self, row: usize, _column: usize) -> bool {
        self.rows.contains(&row)
    }

    fn read(&self, (_, column): (usize, usize), state: &mut Vec<u32>, tile: Tile) -> bool {
        if self.class.contains(tile) {
            state[1] += 1;
            if self.sections.of(column).0 + 1 == self.sections.number {
                // In the last section, all numbers of tiles that are at least the number in the section before give the same result.
                state[1] = state[1].min(state[0]);
            }
        }
        true
    }

    fn end(&self, column: usize, state: &mut Vec<u32>) -> Verdict {
        let (section, ends) = self.sections.of(column);
        if !ends {
            return Verdict::Open;
        }
        if state[1] < state[0] {
            return Verdict::Broken;
        }
        state.rotate_left(1);
        state[1] = 0;
        Verdict::met_after(section + 1 == self.sections.number)
    }
}
