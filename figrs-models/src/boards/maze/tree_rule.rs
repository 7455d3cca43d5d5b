//! Rule that the pointers of a maze's rooms form a tree, with bounds on the length of the path from the last room to the first.

use std::ops::RangeInclusive;

use super::Pointer;
use super::passage_moves::WaysFromPair;
use crate::grid::{BoardRule, Size};

/// Requires that the pointers lead from every room to the first room, and that the number of steps from the last room to the first is in a range.
///
/// The rule forbids mazes with a room from which the pointers do not lead to the first room. The violation of the rule is half the amount by which
/// the number of steps of the path misses the range, rounded up.
///
/// **Complexity.** A change of one passage may reverse the pointers along a path; the work for such a change is proportional to the number of rooms
/// that leave or join the path from the last room. After a change that does not reverse the pointers along a path, the rule reads the whole board
/// again.
pub(super) struct TreeRule {
    size: Size,
    steps: Option<RangeInclusive<u32>>,
    targets: Vec<usize>,
    on_way: Vec<bool>,
    length: u32,
    pair: WaysFromPair,
    ways: [Vec<usize>; 2],
    /// The number of steps of the path before the last change; `None` if the rule read the whole board again.
    before: Option<u32>,
    left: Vec<usize>,
    came: Vec<usize>,
    looked_at: u64,
}

impl TreeRule {
    pub(super) fn new(size: Size, steps: Option<RangeInclusive<u32>>) -> Self {
        Self {
            size,
            steps,
            targets: Vec::new(),
            on_way: Vec::new(),
            length: 0,
            pair: WaysFromPair::new(size.cells()),
            ways: Default::default(),
            before: None,
            left: Vec::new(),
            came: Vec::new(),
            looked_at: 0,
        }
    }

    fn violation(&self) -> u32 {
        self.steps.as_ref().map_or(0, |range| {
            let (least, most) = (*range.start(), *range.end());
            let out = least.saturating_sub(self.length) + self.length.saturating_sub(most);
            out.div_ceil(2)
        })
    }

    fn target(&self, cells: &[Pointer], at: usize) -> usize {
        cells[at].room(at, self.size.columns())
    }

    /// Updates the path from the last room after a change that reverses the pointers along some path; returns `None` if the pointers now form a
    /// cycle.
    fn turn(&mut self, cells: &[Pointer], turned: &[usize]) -> Option<()> {
        let (Some(&first), Some(&cut)) = (turned.first(), turned.last()) else {
            return Some(());
        };
        let (joined, parted) = (self.target(cells, first), self.targets[cut]);
        // If the old path from `joined` passes `cut`, the new pointers form a cycle; otherwise the paths from `joined` and `parted` do not change.
        let targets = &self.targets;
        self.pair
            .meet([joined, parted], |room| targets[room], &mut self.ways);
        self.looked_at += self.ways.iter().map(|way| way.len() as u64).sum::<u64>();
        if self.ways[0].last() == Some(&cut) {
            return None;
        }
        for &at in turned {
            self.targets[at] = self.target(cells, at);
        }
        if let Some(entry) = turned.iter().position(|&at| self.on_way[at]) {
            self.left.extend_from_slice(&turned[entry + 1..]);
            self.left.extend_from_slice(&self.ways[1]);
            self.came.extend_from_slice(&turned[..entry]);
            self.came.extend_from_slice(&self.ways[0]);
            self.follow(true);
            self.length = self.length + self.came.len() as u32 - self.left.len() as u32;
        }
        Some(())
    }

    /// Marks the rooms that joined the path from the last room and unmarks the rooms that left it; does the reverse if `is_ahead` is false.
    fn follow(&mut self, is_ahead: bool) {
        for &room in &self.left {
            self.on_way[room] = !is_ahead;
        }
        for &room in &self.came {
            self.on_way[room] = is_ahead;
        }
    }

    /// True if the change of the maze reverses the pointers along a path: each room of `changed` pointed to the next one, and each except the first
    /// now points to the one before it.
    fn is_turn(&self, cells: &[Pointer], changed: &[usize]) -> bool {
        changed
            .windows(2)
            .all(|pair| self.targets[pair[0]] == pair[1] && self.target(cells, pair[1]) == pair[0])
    }
}

impl BoardRule<Pointer> for TreeRule {
    fn read(&mut self, cells: &[Pointer]) -> Option<u32> {
        self.before = None;
        let targets = (0..cells.len()).map(|at| self.target(cells, at));
        self.targets = targets.collect();
        // A path visits no room twice.
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
                room = self.targets[room];
            }
            for room in way {
                ends[room] = true;
            }
        }
        self.on_way = vec![false; rooms];
        (self.length, self.on_way[0]) = (0, true);
        let mut room = rooms - 1;
        while room != 0 {
            self.on_way[room] = true;
            self.length += 1;
            room = self.targets[room];
        }
        Some(self.violation())
    }

    fn change(&mut self, cells: &[Pointer], changed: &[usize]) -> Option<u32> {
        if !self.is_turn(cells, changed) {
            return self.read(cells);
        }
        self.before = Some(self.length);
        self.left.clear();
        self.came.clear();
        self.turn(cells, changed)?;
        Some(self.violation())
    }

    fn undo(&mut self, cells: &[Pointer], changed: &[usize]) {
        let Some(before) = self.before else {
            self.read(cells);
            return;
        };
        for &at in changed {
            self.targets[at] = self.target(cells, at);
        }
        self.length = before;
        self.follow(false);
    }

    fn looked_at(&mut self) -> u64 {
        std::mem::take(&mut self.looked_at)
    }

    fn measure(&self) -> Option<f64> {
        Some(f64::from(self.length))
    }
}
