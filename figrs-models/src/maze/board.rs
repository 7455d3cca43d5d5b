//! A maze that is drawn.

use std::fmt;

use super::Pointer;

/// A perfect maze: where each room points.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Maze {
    rows: usize,
    columns: usize,
    pointers: Vec<Pointer>,
}

impl Maze {
    /// Pointers of all rooms in scan order, which lead to the first.
    pub(super) fn new(rows: usize, columns: usize, pointers: Vec<Pointer>) -> Self {
        Self {
            rows,
            columns,
            pointers,
        }
    }

    /// How many rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Where each room points, in scan order.
    pub fn pointers(&self) -> &[Pointer] {
        &self.pointers
    }

    /// How many passages lead to the left or right.
    pub fn horizontal_links(&self) -> usize {
        let pointers = self.pointers.iter();
        pointers.filter(|pointer| pointer.is_horizontal()).count()
    }

    /// Where a room points; `None` for the first room and outside the maze.
    fn target(&self, (row, column): (usize, usize)) -> Option<(usize, usize)> {
        let pointer = self.pointers.get(row * self.columns + column)?;
        pointer.target((self.rows, self.columns), (row, column))
    }

    /// Whether there is a passage between two rooms.
    fn is_open(&self, a: (usize, usize), b: (usize, usize)) -> bool {
        self.target(a) == Some(b) || self.target(b) == Some(a)
    }

    /// The rooms on the way from the first to the last, by row and column from 0, both included.
    pub fn solution(&self) -> Vec<(usize, usize)> {
        let mut room = (self.rows - 1, self.columns - 1);
        let mut way = vec![room];
        while let Some(next) = self.target(room) {
            way.push(next);
            room = next;
        }
        way.reverse();
        way
    }
}

/// Walls are drawn as lines; the maze is entered above the first room and left below the last.
impl fmt::Display for Maze {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let last = (self.rows - 1, self.columns - 1);
        f.write_str("+  +")?;
        f.write_str(&"--+".repeat(self.columns - 1))?;
        for row in 0..self.rows {
            f.write_str("\n|")?;
            for column in 0..self.columns {
                let open = self.is_open((row, column), (row, column + 1));
                f.write_str(if open && column < last.1 {
                    "   "
                } else {
                    "  |"
                })?;
            }
            f.write_str("\n+")?;
            for column in 0..self.columns {
                let open = self.is_open((row, column), (row + 1, column));
                let exit = (row, column) == last;
                f.write_str(if open || exit { "  +" } else { "--+" })?;
            }
        }
        f.write_str("\n")
    }
}
