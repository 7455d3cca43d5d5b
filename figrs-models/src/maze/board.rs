//! Perfect mazes that are complete: a pointer for each room.

use std::fmt;

use super::Pointer;
use crate::grid::{GridError, Size};

/// A perfect maze, as a pointer of each room towards the first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Maze {
    rows: usize,
    columns: usize,
    pointers: Vec<Pointer>,
}

impl Maze {
    /// Pointers of all rooms in scan order, which lead to the first.
    pub(crate) fn new(rows: usize, columns: usize, pointers: Vec<Pointer>) -> Self {
        Self {
            rows,
            columns,
            pointers,
        }
    }

    /// Pointers of all rooms in scan order.
    ///
    /// **Errors.** [`GridError::Length`]; [`GridError::NotPerfect`] if they do not lead from every room to the first.
    pub fn from_pointers(size: Size, pointers: Vec<Pointer>) -> Result<Self, GridError> {
        GridError::same_length("pointers", size, pointers.len())?;
        let maze = Self::new(size.rows(), size.columns(), pointers);
        let lost = maze.distances().iter().position(Option::is_none);
        lost.map_or(Ok(maze), |room| {
            let room = size.position(room);
            Err(GridError::NotPerfect { room })
        })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Pointers of all rooms, in scan order.
    pub fn pointers(&self) -> &[Pointer] {
        &self.pointers
    }

    /// Number of passages to the left or right.
    pub fn horizontal_links(&self) -> usize {
        let pointers = self.pointers.iter();
        pointers.filter(|pointer| pointer.is_horizontal()).count()
    }

    /// The room that a room points to; `None` for the first room and outside the maze.
    pub(super) fn target(&self, (row, column): (usize, usize)) -> Option<(usize, usize)> {
        let pointer = self.pointers.get(row * self.columns + column)?;
        pointer.target((self.rows, self.columns), (row, column))
    }

    /// True if there is a passage between two rooms.
    pub(crate) fn is_open(&self, a: (usize, usize), b: (usize, usize)) -> bool {
        self.target(a) == Some(b) || self.target(b) == Some(a)
    }

    /// Distance in steps of each room from the first, found by following the pointers to a room whose distance is known;
    /// `None` where they do not lead to the first.
    pub(super) fn distances(&self) -> Vec<Option<usize>> {
        let index = |(row, column): (usize, usize)| row * self.columns + column;
        // Memo of distances; `None` for rooms that were not visited yet.
        let mut known: Vec<Option<Option<usize>>> = vec![None; self.pointers.len()];
        let mut way = Vec::new();
        for start in 0..known.len() {
            let mut room = Some((start / self.columns, start % self.columns));
            while let Some(at) = room.filter(|&at| known[index(at)].is_none()) {
                // For as long as the way goes on; a cycle comes back to such a room.
                known[index(at)] = Some(None);
                way.push(index(at));
                room = self.target(at);
            }
            let mut distance = room.and_then(|at| known[index(at)]?);
            for room in way.drain(..).rev() {
                distance = if room == 0 {
                    Some(0)
                } else {
                    distance.map(|steps| steps + 1)
                };
                known[room] = Some(distance);
            }
        }
        known.into_iter().map(Option::flatten).collect()
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
