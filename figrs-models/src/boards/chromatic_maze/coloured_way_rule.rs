//! Rule that a path over tiles of similar colours leads from start to finish, with bounds on the path's length.

use std::collections::VecDeque;
use std::ops::RangeInclusive;

use super::{Hue, RelativeTile};
use crate::grid::{BoardRule, Size};

/// Requires a path from start to finish over tiles of equal or neighbouring colours, with bounds on the length of a shortest path.
///
/// If no path exists, the violation of the rule is a lower bound on the distance in steps between the tiles that can be reached from one end of the
/// path and the other end. The rule forbids boards that do not have exactly one start and one finish.
///
/// **Complexity.** The rule makes one breadth-first search after each change of the board.
#[derive(Clone, Debug)]
pub(super) struct ColouredWayRule {
    size: Size,
    steps: Option<RangeInclusive<u32>>,
    tiles: Vec<RelativeTile>,
    colours: Vec<u8>,
    length: Option<u32>,
    /// For each tile, the index of the last breadth-first search that reached the tile.
    reached: Vec<u64>,
    searches: u64,
    queue: VecDeque<(usize, u32)>,
    looked_at: u64,
}

impl ColouredWayRule {
    pub(super) fn new(size: Size, steps: Option<RangeInclusive<u32>>) -> Self {
        Self {
            size,
            steps,
            tiles: Vec::new(),
            colours: Vec::new(),
            length: None,
            reached: vec![0; size.cells()],
            searches: 0,
            queue: VecDeque::new(),
            looked_at: 0,
        }
    }

    /// Updates the stored tiles that have changed, and the colours of all tiles. A tile stores its colour relative to the colour of the tile before;
    /// a changed tile therefore shifts the colours of all tiles up to the next changed tile.
    fn follow(&mut self, cells: &[RelativeTile], changed: &[usize]) {
        let wheel = Hue::WHEEL.len() as u8;
        let mut changed = changed.to_vec();
        changed.sort_unstable();
        let mut turn = 0;
        for (place, &at) in changed.iter().enumerate() {
            turn = (turn + cells[at].turn + wheel - self.tiles[at].turn) % wheel;
            self.tiles[at] = cells[at];
            let next = changed.get(place + 1).copied();
            if turn > 0 {
                for colour in &mut self.colours[at..next.unwrap_or(cells.len())] {
                    *colour = (*colour + turn) % wheel;
                }
            }
        }
    }

    fn violation(&mut self) -> Option<u32> {
        let wheel = Hue::WHEEL.len() as u8;
        let place = |marks| self.tiles.iter().position(|tile| tile.marks == marks);
        let (first, second) = (place(1)?, place(2)?);
        let goal = self.size.position(second);
        let apart = |at: usize| {
            let at = self.size.position(at);
            (at.row.abs_diff(goal.row) + at.column.abs_diff(goal.column)) as u32
        };
        self.length = None;
        self.searches += 1;
        let mut missing = u32::MAX;
        self.queue.clear();
        self.queue.push_back((first, 0));
        self.reached[first] = self.searches;
        while let Some((at, steps)) = self.queue.pop_front() {
            self.looked_at += 1;
            missing = missing.min(apart(at));
            if at == second {
                self.length = Some(steps);
                break;
            }
            for next in self.size.beside(at) {
                let turn = (self.colours[next] + wheel - self.colours[at]) % wheel;
                if self.reached[next] != self.searches && matches!(turn, 0 | 1 | 5) {
                    self.reached[next] = self.searches;
                    self.queue.push_back((next, steps + 1));
                }
            }
        }
        Some(match (self.length, &self.steps) {
            (None, _) => missing,
            (Some(_), None) => 0,
            (Some(length), Some(steps)) => {
                steps.start().saturating_sub(length) + length.saturating_sub(*steps.end())
            }
        })
    }
}

impl BoardRule<RelativeTile> for ColouredWayRule {
    fn read(&mut self, cells: &[RelativeTile]) -> Option<u32> {
        self.tiles = cells.to_vec();
        let wheel = Hue::WHEEL.len() as u8;
        let colours = cells.iter().scan(0, |colour, tile| {
            *colour = (*colour + tile.turn) % wheel;
            Some(*colour)
        });
        self.colours = colours.collect();
        let ends = cells.iter().filter(|tile| tile.is_end()).count();
        if ends != 2 {
            return None;
        }
        self.violation()
    }

    fn change(&mut self, cells: &[RelativeTile], changed: &[usize]) -> Option<u32> {
        self.follow(cells, changed);
        self.violation()
    }

    fn undo(&mut self, cells: &[RelativeTile], changed: &[usize]) {
        self.follow(cells, changed);
    }

    fn measure(&self) -> Option<f64> {
        self.length.map(f64::from)
    }

    fn looked_at(&mut self) -> u64 {
        std::mem::take(&mut self.looked_at)
    }
}
