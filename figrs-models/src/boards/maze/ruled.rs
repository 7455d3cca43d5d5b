//! A maze as independent pointers and rules, for Markov chains.

use std::ops::RangeInclusive;

use figrs_core::stream;

use super::{PerfectMaze, Pointer};
use crate::board::RuledCells;
use crate::grid::{BoardRule, Position, Size};

impl PerfectMaze {
    /// Pointers and rules. A step turns the pointer of one room.
    ///
    /// Without bounds on steps they are joined: the pointers of another maze can be taken over one after another, a room after that which it points to
    /// there, and no cycle comes of it, since the way of that one to the first room is already that of the other maze.
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
            .rule(rule)
            .without_exchanges();
        // A maze of a usual way, and one of nearly the longest, which clues may exclude.
        let usual = self.sample(&mut stream(0, 0));
        ruled = ruled.start(usual.cells().to_vec());
        if self.clues.is_empty() {
            ruled = ruled.start(snake(size));
        }
        match self.steps {
            Some(_) => ruled,
            None => ruled.joined(),
        }
    }
}

/// One way through all rooms, row by row, or column by column where that ends in the last room.
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

/// Every room leads to the first by following the pointers, and the number of steps from the last is in a range.
///
/// A board on which a room leads to no end is forbidden. The violation is half the distance of the steps from the range, rounded up.
///
/// **Complexity.** A change follows the way of the room that is now pointed to.
struct TreeRule {
    size: Size,
    steps: Option<RangeInclusive<u32>>,
    targets: Vec<u32>,
    /// The rooms from the last to the first.
    way: Vec<u32>,
    /// The same before the last change.
    before: Vec<u32>,
    is_turned: bool,
    on_way: Vec<bool>,
}

impl TreeRule {
    fn new(size: Size, steps: Option<RangeInclusive<u32>>) -> Self {
        Self {
            size,
            steps,
            targets: Vec::new(),
            way: Vec::new(),
            before: Vec::new(),
            is_turned: false,
            on_way: vec![false; size.cells()],
        }
    }

    fn target(&self, at: usize, pointer: Pointer) -> u32 {
        let target = pointer.target(self.size, self.size.position(at));
        target.map_or(at, |target| self.size.index(target)) as u32
    }

    /// True if a room leads to the first.
    fn ends(&self, at: usize) -> bool {
        let mut room = self.targets[at];
        // A way comes to no room twice.
        for _ in 0..self.targets.len() {
            if room == 0 || room as usize == at {
                break;
            }
            room = self.targets[room as usize];
        }
        room == 0
    }

    fn follow(&mut self) {
        self.mark(false);
        std::mem::swap(&mut self.way, &mut self.before);
        self.way.clear();
        let mut room = self.targets.len() as u32 - 1;
        self.way.push(room);
        while room != 0 {
            room = self.targets[room as usize];
            self.way.push(room);
        }
        self.mark(true);
    }

    fn mark(&mut self, is_on: bool) {
        for &room in &self.way {
            self.on_way[room as usize] = is_on;
        }
    }

    fn violation(&self) -> u32 {
        let steps = self.way.len() as u32 - 1;
        self.steps.as_ref().map_or(0, |range| {
            let out = range.start().saturating_sub(steps) + steps.saturating_sub(*range.end());
            out.div_ceil(2)
        })
    }
}

impl BoardRule<Pointer> for TreeRule {
    fn read(&mut self, cells: &[Pointer]) -> Option<u32> {
        let targets = cells.iter().enumerate();
        self.targets = targets
            .map(|(at, &pointer)| self.target(at, pointer))
            .collect();
        // A way that ends comes to no room twice.
        let rooms = self.targets.len();
        let mut ends = vec![false; rooms];
        ends[0] = true;
        for start in 0..rooms {
            let (mut room, mut way) = (start, Vec::new());
            while !ends[room] {
                if way.len() == rooms {
                    return None;
                }
                way.push(room);
                room = self.targets[room] as usize;
            }
            for room in way {
                ends[room] = true;
            }
        }
        self.follow();
        Some(self.violation())
    }

    fn change(&mut self, cells: &[Pointer], changed: &[usize]) -> Option<u32> {
        for &at in changed {
            self.targets[at] = self.target(at, cells[at]);
        }
        self.is_turned = false;
        if changed.iter().any(|&at| !self.ends(at)) {
            return None;
        }
        self.is_turned = changed.iter().any(|&at| self.on_way[at]);
        if self.is_turned {
            self.follow();
        }
        Some(self.violation())
    }

    fn undo(&mut self, cells: &[Pointer], changed: &[usize]) {
        for &at in changed {
            self.targets[at] = self.target(at, cells[at]);
        }
        if self.is_turned {
            self.mark(false);
            std::mem::swap(&mut self.way, &mut self.before);
            self.mark(true);
        }
    }

    fn measure(&self) -> Option<f64> {
        Some(self.way.len() as f64)
    }
}
