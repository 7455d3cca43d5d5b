//! Rule for whole boards: no 2 by 2 square has a single colour.

use super::BoardRule;
use crate::grid::Size;

/// Requires that no 2 by 2 square consists only of cells of the first colour, or only of cells of the second colour. The violation of the rule is the
/// number of 2 by 2 squares of a single colour.
#[derive(Clone, Debug)]
pub struct SquareRule<F> {
    size: Size,
    reads: F,
    is_in: Vec<bool>,
    squares: u32,
    before: u32,
}

impl<F> SquareRule<F> {
    /// Creates the rule on 2 by 2 squares; a cell has the first colour if the function `reads` is true for its value, and the second colour
    /// otherwise.
    pub fn new(size: Size, reads: F) -> Self {
        Self {
            size,
            reads,
            is_in: Vec::new(),
            squares: 0,
            before: 0,
        }
    }

    /// Returns the number of 2 by 2 squares of one colour whose upper left cell is in the given rows and columns.
    fn squares(&self, rows: std::ops::Range<usize>, columns: std::ops::Range<usize>) -> u32 {
        let across = self.size.columns();
        let rows = rows.start..rows.end.min(self.size.rows().saturating_sub(1));
        let columns = columns.start..columns.end.min(across.saturating_sub(1));
        let mut squares = 0;
        for row in rows {
            for first in columns.clone().map(|column| row * across + column) {
                let colour = self.is_in[first];
                let others = [first + 1, first + across, first + across + 1];
                squares += u32::from(others.iter().all(|&cell| self.is_in[cell] == colour));
            }
        }
        squares
    }

    fn around(&self, at: usize) -> u32 {
        let (row, column) = (at / self.size.columns(), at % self.size.columns());
        self.squares(
            row.saturating_sub(1)..row + 1,
            column.saturating_sub(1)..column + 1,
        )
    }
}

impl<C, F: Fn(&C) -> bool + Send> BoardRule<C> for SquareRule<F> {
    fn read(&mut self, cells: &[C]) -> Option<u32> {
        self.is_in = cells.iter().map(&self.reads).collect();
        self.squares = self.squares(0..self.size.rows(), 0..self.size.columns());
        Some(self.squares)
    }

    fn change(&mut self, cells: &[C], changed: &[usize]) -> Option<u32> {
        self.before = self.squares;
        for &at in changed {
            let is_in = (self.reads)(&cells[at]);
            if is_in != self.is_in[at] {
                let before = self.around(at);
                self.is_in[at] = is_in;
                self.squares = self.squares + self.around(at) - before;
            }
        }
        Some(self.squares)
    }

    fn undo(&mut self, cells: &[C], changed: &[usize]) {
        for &at in changed {
            self.is_in[at] = (self.reads)(&cells[at]);
        }
        self.squares = self.before;
    }
}
