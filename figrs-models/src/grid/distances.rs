//! Constraint on the length of a walk over a grid that visits marked cells in order.

use std::collections::VecDeque;
use std::ops::RangeInclusive;

use super::limits::{WAY_CELLS, WAY_COLUMNS, WAY_STOPS};
use super::walk::{OpenEdges, Walk};
use super::{GridError, Ground, Size};
use figrs_reading::Mistake;

/// Maximum number of nodes of the distance matrix in a state of the automaton: the last cell read in each column, and the marked cells.
const NODES: usize = WAY_COLUMNS + WAY_STOPS;
const PAIRS: usize = NODES * (NODES - 1) / 2;
/// The value that stands for the distance between two nodes if no path between them is known yet.
const UNREACHABLE: u8 = u8::MAX;

/// Requires a walk over cells that are not walls; the walk visits the marked cells in order, by a shortest path from each mark to the next. The
/// length of the walk (its number of steps) must be in a range. Each mark that the walk visits must be in exactly one cell.
///
/// The automaton's state has distances along paths over the cells read so far: between the cells that were read last in each column, from these cells
/// to the marked cells, and between successive marked cells.
///
/// **Guarantee.** The computed lengths of walks are exact.
///
/// **Complexity.** The number of states grows much faster than for the automaton [`ConnectedMarks`](super::ConnectedMarks), because a state has the
/// distances between the cells that were read last in each column instead of a partition of these cells. Because of the many states, the automaton
/// accepts narrow grids only.
#[derive(Clone, Copy, Debug)]
pub struct Distances {
    columns: usize,
    stops: usize,
    least: u8,
    most: u8,
    /// The distance up to which the state of the automaton distinguishes distances; larger distances are stored as this one.
    enough: u8,
}

/// State of the automaton [`Distances`]: the distances between the marked cells and the cells that were read last in each column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DistancesState {
    distances: [u8; PAIRS],
    /// Bit set of the columns in which the cell read last is not a wall.
    open: u8,
    seen: u8,
}
figrs_core::value!(DistancesState);

type DistanceMatrix = [[u8; NODES]; NODES];

impl Distances {
    /// Maximum number of columns of a grid that the automaton can read.
    pub const MAX_COLUMNS: usize = WAY_COLUMNS;
    /// Maximum number of cells of a grid that the automaton can read.
    pub const MAX_CELLS: usize = WAY_CELLS;
    /// Maximum number of marks.
    pub const MAX_STOPS: usize = WAY_STOPS;

    /// Creates the constraint that a walk visits 2 to 4 marks in a number of steps in `steps`. The marks of the walk are the `stops` lowest bits of
    /// [`Ground::Marked`](super::Ground::Marked), in the order of the walk.
    ///
    /// **Errors.** [`GridError::TooLarge`] if the grid is too large; [`GridError::Invalid`] if the range of steps is empty, or if there are too few
    /// or too many marks.
    pub fn new(size: Size, stops: usize, steps: RangeInclusive<u32>) -> Result<Self, GridError> {
        if !(2..=Self::MAX_STOPS).contains(&stops) {
            return Err(Mistake::value(
                format!("a walk between {stops} marks"),
                format!("use 2 to {}", Self::MAX_STOPS),
            )
            .into());
        }
        let (rows, columns) = (size.rows(), size.columns());
        if columns > Self::MAX_COLUMNS || size.cells() > Self::MAX_CELLS {
            let (most_columns, most) = (Self::MAX_COLUMNS, Self::MAX_CELLS);
            return Err(GridError::too_large(
                format!("lengths of paths on {rows} rows and {columns} columns"),
                format!(
                    "use at most {most_columns} columns and {most} cells, or no bounds on lengths"
                ),
            ));
        }
        let (least, most) = GridError::not_empty("steps", steps)?.into_inner();
        // The longest walk passes all cells between each two successive marks; even this walk has fewer than 255 steps.
        let longest = (stops as u32 - 1) * (size.cells() as u32 - 1);
        let enough = if most >= longest && least > 0 {
            least
        } else {
            longest
        };
        Ok(Self {
            columns,
            stops,
            least: least.min(longest + 1) as u8,
            most: most.min(longest) as u8,
            enough: enough.min(longest + 1) as u8,
        })
    }

    /// Returns the length of the walk, given the state of the automaton after the last cell; `None` if the board has no walk.
    pub fn length(&self, state: &DistancesState) -> Option<u32> {
        let matrix = unpacked(&state.distances);
        (1..self.stops).try_fold(0, |length, stop| {
            let steps = matrix[self.node(stop - 1)][self.node(stop)];
            (steps < UNREACHABLE).then_some(length + u32::from(steps))
        })
    }

    fn node(&self, stop: usize) -> usize {
        self.columns + stop
    }

    fn legs(&self) -> impl Iterator<Item = (usize, usize)> {
        let columns = self.columns;
        (1..self.stops).map(move |stop| (columns + stop - 1, columns + stop))
    }

    /// Drops each stored distance to a marked cell that can no longer be part of a shorter path between two marks. Returns false if no path can
    /// connect some two successive marks any more.
    fn forget(&self, matrix: &mut DistanceMatrix, seen: u8) -> bool {
        let is_seen = |node: usize| seen >> (node - self.columns) & 1 == 1;
        let is_leg = |a: usize, b: usize| self.legs().any(|leg| leg == (a, b) || leg == (b, a));
        let before = *matrix;
        for stop in 0..self.stops {
            let from = self.node(stop);
            let mut open = false;
            for column in 0..self.columns {
                // A shorter path has to leave the cells read so far, and to return to these cells in another column.
                let can_help = |to: usize| {
                    (0..self.columns).any(|back| {
                        let across = column.abs_diff(back) as u8 + 1;
                        let rest = before[back][to].saturating_add(across);
                        before[from][column].saturating_add(rest) < before[from][to]
                    })
                };
                let needed = before[from][column] < UNREACHABLE
                    && self.legs().any(|(a, b)| {
                        (a == from && (!is_seen(b) || can_help(b)))
                            || (b == from && (!is_seen(a) || can_help(a)))
                    });
                if needed {
                    open = true;
                } else {
                    set(matrix, from, column, UNREACHABLE);
                }
            }
            for other in 0..self.stops {
                let to = self.node(other);
                if to != from && !is_leg(from, to) {
                    set(matrix, from, to, UNREACHABLE);
                }
                let known = matrix[from][to] < UNREACHABLE;
                if is_leg(from, to) && is_seen(from) && !known && !open {
                    return false;
                }
            }
        }
        true
    }
}

fn set(matrix: &mut DistanceMatrix, a: usize, b: usize, distance: u8) {
    matrix[a][b] = distance;
    matrix[b][a] = distance;
}

fn unpacked(distances: &[u8; PAIRS]) -> DistanceMatrix {
    let mut matrix = [[UNREACHABLE; NODES]; NODES];
    let mut pairs = distances.iter();
    for a in 0..NODES {
        matrix[a][a] = 0;
        for (b, &distance) in (0..a).zip(&mut pairs) {
            set(&mut matrix, a, b, distance);
        }
    }
    matrix
}

fn packed(matrix: &DistanceMatrix) -> [u8; PAIRS] {
    let mut distances = [UNREACHABLE; PAIRS];
    let pairs = (0..NODES).flat_map(|a| (0..a).map(move |b| (a, b)));
    for (distance, (a, b)) in distances.iter_mut().zip(pairs) {
        *distance = matrix[a][b];
    }
    distances
}

impl Walk for Distances {
    type State = DistancesState;

    fn before(&self) -> DistancesState {
        DistancesState {
            distances: [UNREACHABLE; PAIRS],
            open: 0,
            seen: 0,
        }
    }

    fn walk(
        &self,
        column: usize,
        state: &DistancesState,
        ground: Ground,
        ways: OpenEdges,
    ) -> Option<DistancesState> {
        let marks = ground.marks();
        if marks >> self.stops != 0 || marks & state.seen != 0 {
            return None;
        }
        if self.is_settled(state) {
            return Some(*state);
        }
        let nodes = self.columns + self.stops;
        let mut matrix = unpacked(&state.distances);
        let (above, before) = (matrix[column], matrix[column.saturating_sub(1)]);
        let reach = |through: bool, from: &[u8; NODES], to: usize| {
            if through {
                from[to].saturating_add(1)
            } else {
                UNREACHABLE
            }
        };
        let mut here = [UNREACHABLE; NODES];
        for (node, distance) in here.iter_mut().enumerate() {
            *distance = reach(ways.up, &above, node).min(reach(ways.left, &before, node));
        }
        // The cell above is no longer a node; distances between the other nodes include the paths through it.
        for (node, &distance) in here.iter().enumerate() {
            set(&mut matrix, column, node, distance);
        }
        matrix[column][column] = 0;
        for stop in (0..self.stops).filter(|stop| marks >> stop & 1 == 1) {
            let node = self.node(stop);
            for to in 0..nodes {
                let distance = matrix[column][to];
                set(&mut matrix, node, to, distance);
            }
            matrix[node][node] = 0;
        }
        let through = matrix[column];
        for a in 0..nodes {
            for b in 0..a {
                let distance = through[a].saturating_add(through[b]).min(matrix[a][b]);
                let distance = if distance > self.most {
                    UNREACHABLE
                } else {
                    distance.min(self.enough)
                };
                set(&mut matrix, a, b, distance);
            }
        }
        let seen = state.seen | marks;
        if !self.forget(&mut matrix, seen) {
            return None;
        }
        let mut next = DistancesState {
            distances: packed(&matrix),
            open: state.open & !(1 << column) | u8::from(ground != Ground::Wall) << column,
            seen,
        };
        let ended =
            |stop| (0..self.columns).all(|column| matrix[self.node(stop)][column] == UNREACHABLE);
        if seen.count_ones() as usize == self.stops && (0..self.stops).all(ended) {
            // No distance between marked cells can become shorter, so the distances of the cells that were read last in each column are no longer
            // needed.
            for column in 0..self.columns {
                for node in 0..nodes {
                    if node != column {
                        set(&mut matrix, column, node, UNREACHABLE);
                    }
                }
            }
            next.distances = packed(&matrix);
            next.open = 0;
            self.arrives(&next).then_some(next)
        } else {
            Some(next)
        }
    }

    fn is_open(&self, state: &DistancesState, column: usize) -> bool {
        state.open >> column & 1 == 1
    }

    fn is_settled(&self, state: &DistancesState) -> bool {
        state.seen.count_ones() as usize == self.stops && state.open == 0
    }

    fn arrives(&self, state: &DistancesState) -> bool {
        let all = state.seen.count_ones() as usize == self.stops;
        let steps = u32::from(self.least)..=u32::from(self.most);
        all && self
            .length(state)
            .is_some_and(|length| steps.contains(&length))
    }
}

impl Size {
    /// Returns the cells of a shortest path from `from` to `to`, with these two cells, by steps between adjacent cells that `passable` allows. The
    /// cells of the path are given as indices in scan order (row by row). The shortest path is found by a breadth-first search.
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
