//! A maze as independent pointers and rules, for Markov chains.

use figrs_core::stream;

use super::passage_moves::PassageMoves;
use super::tree_rule::TreeRule;
use super::{PerfectMaze, Pointer};
use crate::board::RuledCells;
use crate::grid::{Position, Size};

impl PerfectMaze {
    /// Returns the pointers as independent choices, and the rules. A step of the Markov chain opens one passage and closes another.
    ///
    /// If the path has no bounds, Markov chains reach every maze, because one maze can take over the pointers of another maze one after another. To
    /// avoid cycles, a room takes over its pointer after the target of this pointer. Each change of a pointer opens one passage of the room and
    /// closes another.
    pub(super) fn ruled(&self) -> RuledCells<Pointer> {
        let size = self.size();
        let choices = |at: usize| match at {
            0 => vec![(Pointer::Root, 1.0)],
            at => {
                let at = size.position(at);
                let choices = self.choices(at);
                choices
                    .filter(|(pointer, _)| pointer.target(size, at).is_some())
                    .collect()
            }
        };
        let rule = TreeRule::new(size, self.steps.map(|(least, most)| least..=most));
        let mut ruled = RuledCells::new(size, choices)
            .clues(self.clues.iter().map(|(at, _)| at))
            .rule(rule)
            .moves(PassageMoves::new(size));
        // One Markov chain starts from a typical maze, and one from a maze with nearly the longest solution, unless clues exclude this maze.
        let usual = self.sample(&mut stream(0, 0));
        ruled = ruled.start(usual.cells().to_vec());
        if self.clues.is_empty() {
            ruled = ruled.start(snake(size));
        }
        match self.steps {
            Some(_) => ruled.nearly_joined(),
            None => ruled.joined(),
        }
    }
}

/// Returns a maze that is a single path through all rooms: row by row, or column by column if only this path ends in the last room.
fn snake(size: Size) -> Vec<Pointer> {
    let by_columns = size.rows().is_multiple_of(2) && !size.columns().is_multiple_of(2);
    let pointer = |Position { row, column }| {
        let (line, place, back, ahead, up) = match by_columns {
            false => (row, column, Pointer::Left, Pointer::Right, Pointer::Up),
            true => (column, row, Pointer::Up, Pointer::Down, Pointer::Left),
        };
        let last = match by_columns {
            false => size.columns() - 1,
            true => size.rows() - 1,
        };
        match (line.is_multiple_of(2), line, place) {
            (true, 0, 0) => Pointer::Root,
            (true, _, 0) => up,
            (true, ..) => back,
            (false, _, place) if place == last => up,
            (false, ..) => ahead,
        }
    };
    size.positions().map(pointer).collect()
}
