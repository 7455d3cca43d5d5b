//! Rule for whole boards: a path connects each marked cell to the next one; the total length of the paths may have bounds.

use std::collections::VecDeque;
use std::mem::swap;
use std::ops::RangeInclusive;

use super::BoardRule;
use super::padded::Padded;
use crate::grid::{Ground, Size};

/// Requires a walk that visits the marked cells in order, over cells that are not walls; the total length of the shortest paths between successive
/// marked cells may have bounds.
///
/// If no path connects two successive marked cells, a lower bound on the number of missing steps is computed: the distance, without regard to walls,
/// from one of these cells to the nearest cell that is reached from the other. If paths are missing, the violation of the rule is the sum of the
/// lower bounds on the numbers of missing steps. If paths connect all marked cells, the violation is half the amount by which the total length of the
/// paths misses its bounds, rounded up. For each pair of successive marks with a mark that no cell or several cells have, the violation of the rule
/// grows by one.
///
/// **Complexity.** The rule makes an A* search only after a change of the board that can affect the path, such as a wall on the known path or another
/// marked cell.
#[derive(Clone, Debug)]
pub struct WayRule<F> {
    grid: Padded,
    reads: F,
    steps: Option<RangeInclusive<u32>>,
    ground: Vec<Ground>,
    places: Vec<Vec<usize>>,
    now: Found,
    before: Found,
    is_searched: bool,
    on_way: Vec<bool>,
    reached: Vec<(u32, u32)>,
    search: u32,
    /// The cells that the A* search has yet to expand, each with the next cell on the path from it.
    queue: VecDeque<(usize, usize)>,
    looked_at: u64,
}

/// The shortest paths between successive marked cells, for those pairs of cells that a path connects.
#[derive(Clone, Debug, Default)]
struct Found {
    way: Vec<usize>,
    /// Number of steps of all paths together; `None` unless paths connect all marked cells.
    length: Option<u32>,
    violation: u32,
}

impl<F> WayRule<F> {
    /// Creates the rule for a walk that visits `stops` marked cells; `stops` is from 2 to 8. The function `reads` returns the [`Ground`] of a cell,
    /// given the cell's index and value; the first mark is the lowest bit of [`Ground::Marked`].
    pub fn new(size: Size, stops: usize, reads: F) -> Self {
        let grid = Padded::new(size);
        Self {
            grid,
            reads,
            steps: None,
            ground: vec![Ground::Wall; grid.cells],
            places: vec![Vec::new(); stops.clamp(2, 8)],
            now: Found::default(),
            before: Found::default(),
            is_searched: false,
            on_way: vec![false; grid.cells],
            reached: vec![(0, 0); grid.cells],
            search: 0,
            queue: VecDeque::new(),
            looked_at: 0,
        }
    }

    /// Bounds the total length, in steps, of the shortest paths between successive marked cells.
    #[must_use]
    pub fn steps(self, steps: RangeInclusive<u32>) -> Self {
        let steps = Some(steps);
        Self { steps, ..self }
    }

    fn set(&mut self, place: usize, ground: Ground) {
        let (old, new) = (self.ground[place].marks(), ground.marks());
        for (mark, places) in self.places.iter_mut().enumerate() {
            match (old >> mark & 1, new >> mark & 1) {
                (0, 1) => places.push(place),
                (1, 0) => places.retain(|&other| other != place),
                _ => {}
            }
        }
        self.ground[place] = ground;
    }

    fn find(&mut self) {
        for &place in &self.now.way {
            self.on_way[place] = false;
        }
        swap(&mut self.now, &mut self.before);
        self.now.way.clear();
        let (mut length, mut violation) = (Some(0), 0);
        for leg in 1..self.places.len() {
            let ends = (self.places[leg - 1].as_slice(), self.places[leg].as_slice());
            let steps = match ends {
                (&[from], &[to]) => self.leg(from, to),
                _ => Err(1),
            };
            match steps {
                Ok(steps) => length = length.map(|length| length + steps),
                Err(missing) => {
                    length = None;
                    violation += missing;
                }
            }
        }
        if let (Some(length), Some(steps)) = (length, &self.steps) {
            let out = steps.start().saturating_sub(length) + length.saturating_sub(*steps.end());
            violation = out.div_ceil(2);
        }
        for &place in &self.now.way {
            self.on_way[place] = true;
        }
        self.now.length = length;
        self.now.violation = violation;
    }

    /// Adds a shortest path between the cells `from` and `to` to the known path, and returns the number of steps between these cells; if no path
    /// exists, returns a lower bound on the number of missing steps.
    fn leg(&mut self, from: usize, to: usize) -> Result<u32, u32> {
        self.search = self.search.wrapping_add(1);
        if self.search == 0 {
            self.reached.fill((0, 0));
            self.search = 1;
        }
        if self.ground[from] == Ground::Wall || self.ground[to] == Ground::Wall {
            return Err(1 + self.grid.steps(from, to));
        }
        let stride = self.grid.stride;
        let (row, column) = (from / stride, from % stride);
        let mut missing = self.grid.steps(from, to);
        // The search starts from the end, so that the predecessor of each cell is the next cell on the path. Cells are expanded in the order of the
        // number of steps so far plus the straight distance to `from`; each step changes this sum by zero or two.
        self.queue.clear();
        self.queue.push_back((to, to));
        while let Some((at, before)) = self.queue.pop_front() {
            if self.reached[at].0 == self.search {
                continue;
            }
            self.reached[at] = (self.search, before as u32);
            self.looked_at += 1;
            if at == from {
                let (mut place, mut steps) = (from, 0);
                while place != to {
                    self.now.way.push(place);
                    place = self.reached[place].1 as usize;
                    steps += 1;
                }
                self.now.way.push(to);
                return Ok(steps);
            }
            let (at_row, at_column) = (at / stride, at % stride);
            missing = missing.min((at_row.abs_diff(row) + at_column.abs_diff(column)) as u32);
            let is_nearer = [
                at_row > row,
                at_column < column,
                at_row < row,
                at_column > column,
            ];
            for (next, is_nearer) in self.grid.beside(at).into_iter().zip(is_nearer) {
                if self.reached[next].0 == self.search || self.ground[next] == Ground::Wall {
                    continue;
                }
                match is_nearer {
                    true => self.queue.push_front((next, at)),
                    false => self.queue.push_back((next, at)),
                }
            }
        }
        Err(missing)
    }
}

impl<C, F: Fn(usize, &C) -> Ground + Send> BoardRule<C> for WayRule<F> {
    fn read(&mut self, cells: &[C]) -> Option<u32> {
        for (at, cell) in cells.iter().enumerate() {
            self.set(self.grid.place(at), (self.reads)(at, cell));
        }
        self.find();
        Some(self.now.violation)
    }

    fn change(&mut self, cells: &[C], changed: &[usize]) -> Option<u32> {
        let is_joined = self.now.length.is_some();
        let mut matters = false;
        for &at in changed {
            let (place, ground) = (self.grid.place(at), (self.reads)(at, &cells[at]));
            let old = self.ground[place];
            let opens = old == Ground::Wall && ground != Ground::Wall;
            let closes = old != Ground::Wall && ground == Ground::Wall;
            matters |= old.marks() != ground.marks()
                || (!is_joined && (opens || closes))
                || (closes && self.on_way[place])
                || (opens && self.steps.is_some());
            self.set(place, ground);
        }
        self.is_searched = matters;
        if matters {
            self.find();
        }
        Some(self.now.violation)
    }

    fn undo(&mut self, cells: &[C], changed: &[usize]) {
        for &at in changed {
            self.set(self.grid.place(at), (self.reads)(at, &cells[at]));
        }
        if !self.is_searched {
            return;
        }
        for &place in &self.now.way {
            self.on_way[place] = false;
        }
        swap(&mut self.now, &mut self.before);
        for &place in &self.now.way {
            self.on_way[place] = true;
        }
    }

    fn measure(&self) -> Option<f64> {
        self.now.length.map(f64::from)
    }

    fn looked_at(&mut self) -> u64 {
        std::mem::take(&mut self.looked_at)
    }

    /// True if paths can connect all marked cells when every cell that need not be a wall is open.
    fn may_be_kept<'v>(&self, values: &dyn Fn(usize) -> &'v [C]) -> bool
    where
        C: 'v,
    {
        let grid = self.grid;
        let (mut is_open, mut marks) = (vec![false; grid.cells], vec![0; grid.cells]);
        for at in 0..grid.inside() {
            for value in values(at) {
                let ground = (self.reads)(at, value);
                is_open[grid.place(at)] |= ground != Ground::Wall;
                marks[grid.place(at)] |= ground.marks();
            }
        }
        let all = (0..self.places.len()).fold(0, |marks, mark| marks | 1 << mark);
        let mut left = Vec::new();
        for start in 0..grid.cells {
            let mut found = 0;
            left.extend(is_open[start].then_some(start));
            is_open[start] = false;
            while let Some(at) = left.pop() {
                found |= marks[at];
                for next in grid.beside(at) {
                    if std::mem::take(&mut is_open[next]) {
                        left.push(next);
                    }
                }
            }
            if found & all == all {
                return true;
            }
        }
        false
    }
}
