//! Shortest paths on a board.

use std::collections::VecDeque;

use super::Size;

impl Size {
    /// Returns the cells of a shortest path from `from` to `to`, including both, by steps between adjacent cells that `passable` allows. Cells are
    /// given as indices in scan order. The search is breadth-first.
    pub(crate) fn shortest_way(
        self,
        from: usize,
        to: usize,
        passable: impl Fn(usize, usize) -> bool,
    ) -> Option<Vec<usize>> {
        let mut next = vec![None; self.cells()];
        next[to] = Some(to);
        let mut queue = VecDeque::from([to]);
        while let Some(cell) = queue.pop_front() {
            for beside in self.beside(cell) {
                if next[beside].is_none() && passable(beside, cell) {
                    next[beside] = Some(cell);
                    queue.push_back(beside);
                }
            }
        }
        let (mut way, mut cell) = (vec![from], from);
        while cell != to {
            cell = next[cell]?;
            way.push(cell);
        }
        Some(way)
    }
}
