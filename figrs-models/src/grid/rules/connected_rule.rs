//! Rule for whole boards: the cells of one colour are connected.

use std::collections::VecDeque;

use super::BoardRule;
use super::padded::Padded;
use crate::grid::Size;

/// Requires that the cells of some kind are connected, side by side or one above the other, and that at least one cell is of this kind. The violation
/// of the rule is the number of connected components minus one; it is one if no cell is of the required kind.
///
/// **Complexity.** After a change of a cell, the rule on connected cells examines the eight neighbours of the cell. If the eight neighbours do not
/// determine how many components the cell connects, the rule searches for the components from all sides of the cell; the searches advance in turn.
/// After a large change of the board, the rule reads the whole board again.
#[derive(Clone, Debug)]
pub struct ConnectedRule<F> {
    reads: F,
    grid: Padded,
    is_in: Vec<bool>,
    components: u32,
    before: u32,
    /// For each cell, the index of the last search that reached it, and the side of the changed cell from which this search started.
    reached: Vec<(u64, u8)>,
    now: u64,
    queues: [VecDeque<usize>; 4],
    looked_at: u64,
}

impl<F> ConnectedRule<F> {
    /// Creates the rule that the cells for which the function `reads` is true are connected; `reads` receives the index and the value of a cell.
    pub fn new(size: Size, reads: F) -> Self {
        let grid = Padded::new(size);
        Self {
            reads,
            grid,
            is_in: vec![false; grid.cells],
            components: 0,
            before: 0,
            reached: vec![(0, 0); grid.cells],
            now: 0,
            queues: Default::default(),
            looked_at: 0,
        }
    }

    fn violation(&self) -> u32 {
        self.components.abs_diff(1)
    }

    fn set(&mut self, place: usize, is_in: bool) {
        if is_in == self.is_in[place] {
            return;
        }
        let joined = self.components_beside(place);
        self.is_in[place] = is_in;
        if is_in {
            self.components = self.components + 1 - joined;
        } else {
            self.components = self.components - 1 + joined;
        }
    }

    /// Returns the number of connected components that touch the cell `place`, without counting the cell itself as part of a component.
    fn components_beside(&mut self, place: usize) -> u32 {
        let sides = self.grid.beside(place);
        let corners = [sides[0] + 1, sides[2] + 1, sides[2] - 1, sides[0] - 1];
        // Two neighbours of the cell are connected through the corner cell between them.
        let (mut parts, mut beside) = (0, 0);
        for side in 0..4 {
            let next = (side + 1) % 4;
            let is_in = self.is_in[sides[side]];
            let joined = self.is_in[corners[side]] && self.is_in[sides[next]];
            beside += u32::from(is_in);
            parts += u32::from(is_in && !joined);
        }
        // All sides and corners are cells of the kind, and therefore connected.
        if beside == 4 && parts == 0 {
            return 1;
        }
        if parts <= 1 {
            return parts;
        }
        // All neighbours belong to the only component.
        if !self.is_in[place] && self.components == 1 {
            return 1;
        }
        self.search(place, sides)
    }

    /// Returns the number of connected components that touch the cell `place`, by searches that start from its sides and advance in turn; two
    /// searches that meet are merged.
    fn search(&mut self, place: usize, sides: [usize; 4]) -> u32 {
        let Self {
            grid,
            is_in,
            reached,
            now,
            queues,
            looked_at,
            ..
        } = self;
        *now += 1;
        reached[place] = (*now, u8::MAX);
        // For each search, the search into which this search has been merged.
        let mut part = [0, 1, 2, 3];
        let mut is_open = [false; 4];
        for (side, &start) in sides.iter().enumerate() {
            queues[side].clear();
            if is_in[start] {
                queues[side].push_back(start);
                reached[start] = (*now, side as u8);
                is_open[side] = true;
            }
        }
        let is_started = is_open;
        let mut ended = 0;
        loop {
            let open = (0..4).filter(|&side| is_open[side]).count() as u32;
            if open <= 1 {
                return ended + open;
            }
            let mut is_one_empty = false;
            for side in 0..4 {
                let Some(at) = queues[side].pop_front() else {
                    is_one_empty |= is_started[side];
                    continue;
                };
                *looked_at += 1;
                for next in grid.beside(at) {
                    match reached[next] {
                        _ if !is_in[next] => {}
                        (when, _) if when < *now => {
                            reached[next] = (*now, side as u8);
                            queues[side].push_back(next);
                        }
                        (_, u8::MAX) => {}
                        (_, other) => {
                            let (from, to) = (part[usize::from(other)], part[side]);
                            if from != to {
                                part = part.map(|p| if p == from { to } else { p });
                                is_open[from] = false;
                            }
                        }
                    }
                }
            }
            if !is_one_empty {
                continue;
            }
            for (side, is_open) in is_open.iter_mut().enumerate() {
                let is_done = (0..4).all(|other| part[other] != side || queues[other].is_empty());
                if *is_open && is_done {
                    *is_open = false;
                    ended += 1;
                }
            }
        }
    }
}

impl<C, F: Fn(usize, &C) -> bool + Send> BoardRule<C> for ConnectedRule<F> {
    fn read(&mut self, cells: &[C]) -> Option<u32> {
        self.is_in.fill(false);
        self.components = 0;
        for (at, cell) in cells.iter().enumerate() {
            if (self.reads)(at, cell) {
                self.is_in[self.grid.place(at)] = true;
            }
        }
        let mut is_seen = vec![false; self.is_in.len()];
        let mut left = Vec::new();
        for place in 0..self.is_in.len() {
            if self.is_in[place] && !is_seen[place] {
                self.components += 1;
                left.push(place);
                is_seen[place] = true;
            }
            while let Some(at) = left.pop() {
                for next in self.grid.beside(at) {
                    if self.is_in[next] && !is_seen[next] {
                        is_seen[next] = true;
                        left.push(next);
                    }
                }
            }
        }
        Some(self.violation())
    }

    fn change(&mut self, cells: &[C], changed: &[usize]) -> Option<u32> {
        /// The rule reads the whole board again if at least one in `READ_ANEW` cells has changed, because searches from each of these cells would
        /// take longer.
        const READ_ANEW: usize = 32;
        let before = self.components;
        if changed.len() * READ_ANEW >= cells.len() && changed.len() > 1 {
            self.looked_at += cells.len() as u64;
            self.read(cells);
            self.before = before;
            return Some(self.violation());
        }
        self.before = before;
        for &at in changed {
            self.set(self.grid.place(at), (self.reads)(at, &cells[at]));
        }
        Some(self.violation())
    }

    fn looked_at(&mut self) -> u64 {
        std::mem::take(&mut self.looked_at)
    }

    fn undo(&mut self, cells: &[C], changed: &[usize]) {
        for &at in changed {
            self.is_in[self.grid.place(at)] = (self.reads)(at, &cells[at]);
        }
        self.components = self.before;
    }
}
