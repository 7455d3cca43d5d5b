//! Boards that are perfect mazes (every two rooms are connected by exactly one path), with a pointer for each room.

use std::fmt;

use super::Pointer;
use crate::grid::{Board, Position};

impl Board<Pointer> {
    /// Returns the number of horizontal passages of the maze.
    pub fn horizontal_links(&self) -> usize {
        let pointers = self.cells().iter();
        pointers.filter(|pointer| pointer.is_horizontal()).count()
    }

    /// Returns the room to which the pointer of the room `at` leads; `None` for the first room, and for a position outside the maze.
    fn target(&self, at: Position) -> Option<Position> {
        let size = self.size();
        let is_room = size.contains(at);
        is_room.then(|| self.cells()[size.index(at)].target(size, at))?
    }

    pub(crate) fn is_open(&self, a: Position, b: Position) -> bool {
        self.target(a) == Some(b) || self.target(b) == Some(a)
    }

    /// Returns the distance in steps of each room from the first room; `None` for a room from which the pointers do not lead to the first room.
    pub(super) fn distances(&self) -> Vec<Option<usize>> {
        let size = self.size();
        // Distances found so far; the outer `None` stands for a room that was not visited yet.
        let mut known: Vec<Option<Option<usize>>> = vec![None; size.cells()];
        let mut way = Vec::new();
        for start in 0..known.len() {
            let mut room = Some(size.position(start));
            while let Some(at) = room.filter(|&at| known[size.index(at)].is_none()) {
                // Marks the room as part of the current path; a path that returns to a marked room is a cycle.
                known[size.index(at)] = Some(None);
                way.push(size.index(at));
                room = self.target(at);
            }
            let mut distance = room.and_then(|at| known[size.index(at)]?);
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

    /// Returns the rooms on the path from the first to the last room, with the first and the last room; `None` if the pointers form no such path.
    pub fn solution(&self) -> Option<Vec<Position>> {
        let size = self.size();
        let mut room = size.position(size.cells() - 1);
        let mut way = vec![room];
        while let Some(next) = self.target(room) {
            if way.len() == size.cells() {
                return None;
            }
            way.push(next);
            room = next;
        }
        way.reverse();
        (size.index(room) == 0).then_some(way)
    }
}

/// Draws the walls of the maze as lines of text; the entrance is above the first room, and the exit is below the last room.
impl fmt::Display for Board<Pointer> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rows, columns) = (self.size().rows(), self.size().columns());
        let last = (rows - 1, columns - 1);
        f.write_str("+  +")?;
        f.write_str(&"--+".repeat(columns - 1))?;
        for row in 0..rows {
            f.write_str("\n|")?;
            for column in 0..columns {
                let (at, right) = (Position { row, column }, column + 1);
                let right = Position { row, column: right };
                let open = self.is_open(at, right);
                f.write_str(if open && column < last.1 {
                    "   "
                } else {
                    "  |"
                })?;
            }
            f.write_str("\n+")?;
            for column in 0..columns {
                let below = Position {
                    row: row + 1,
                    column,
                };
                let open = self.is_open(Position { row, column }, below);
                let exit = (row, column) == last;
                f.write_str(if open || exit { "  +" } else { "--+" })?;
            }
        }
        f.write_str("\n")
    }
}
