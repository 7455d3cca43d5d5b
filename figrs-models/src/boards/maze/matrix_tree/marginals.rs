//! Computes the marginal distributions of the pointers of a perfect maze from Green's function of a random walk on the grid.

use crate::board::{AnswerProgress, BoardError, CellDistribution, Method, positive};
use crate::boards::maze::{PerfectMaze, Pointer};
use crate::grid::{Position, Size};

/// Returns the distribution of each room's pointer given that the maze is perfect, in scan order (row by row).
///
/// The maze is a random spanning tree of an undirected network with conductances `c[r, s] = pi[r] w[r, s]`, where `pi` is the stationary distribution
/// of the random walk with the weights `w`. The distribution of the maze's undirected tree does not depend on the room to which its pointers lead. In
/// the network of a maze, a room `r` points to a room `s` with the probability that a unit current from `r` to the first room leaves `r` for `s`. The
/// probability that the room `r` points to the room `s` is `w[r, s] (G[r, r] - G[s, r]) - (w[r, s] G[0, r] - w[s, r] G[0, s])`, where `G` is Green's
/// function of the random walk that ends in a certain room, the ground. The ground, where the random walk ends, is the corner towards which the
/// weights drive the walk: with another ground, differences of Green's function would lose all digits. The Laplacian of the grid is block
/// tridiagonal, with a block for each line of rooms along the shorter side, so Green's function `G` is computed by block elimination from both ends.
///
/// **Complexity.** For a grid with the shorter side `m` and the longer side `n`, the time is `O(m^3 n)`, and the memory `8 m^2 n` bytes.
///
/// **Errors.** [`BoardError::TooLarge`] if the matrices exceed `memory` bytes; the errors of `progress` if the computation is interrupted.
pub(super) fn of_pointers(
    maze: &PerfectMaze,
    memory: u64,
    progress: &AnswerProgress<'_>,
) -> Result<Vec<CellDistribution<Pointer>>, BoardError> {
    let blocks = Blocks::of(maze);
    let (side, lines) = (blocks.side, blocks.lines);
    let bytes = 8.0 * (side * side) as f64 * lines as f64;
    if bytes > memory as f64 {
        return Err(BoardError::TooLarge {
            method: Method::Own("matrix-tree"),
            predicted: Some(bytes),
            limit: memory,
            is_relaxed: false,
        });
    }
    let all = 2 * lines as u64;
    // For each line (row or column of rooms), the inverse of the line's block of the matrix after the elimination of all earlier lines.
    let mut before: Vec<Vec<f64>> = Vec::with_capacity(lines);
    for line in 0..lines {
        let mut block = blocks.diagonal(line);
        if let Some(earlier) = before.last() {
            blocks.eliminate(&mut block, line, line - 1, earlier);
        }
        before.push(inverted(block, side));
        progress.step(line as u64, all)?;
    }
    let visits = blocks.visits(&before);
    let (size, weights) = (maze.size(), maze.weights);
    let mut distributions = vec![Vec::new(); size.cells()];
    let mut after: Option<Vec<f64>> = None;
    for line in (0..lines).rev() {
        let mut with_after = blocks.diagonal(line);
        if let Some(later) = &after {
            blocks.eliminate(&mut with_after, line, line + 1, later);
        }
        let mut whole = with_after.clone();
        if line > 0 {
            blocks.eliminate(&mut whole, line, line - 1, &before[line - 1]);
        }
        let green = inverted(whole, side);
        for place in 0..side {
            let room = blocks.room(line, place);
            if room == 0 {
                distributions[0] = vec![(Pointer::Root, 1.0)];
                continue;
            }
            let is_ground = room == blocks.ground;
            let own = if is_ground {
                0.0
            } else {
                green[place * side + place]
            };
            // Returns Green's function from the target room to `room`.
            let of = |target: Position| {
                let target = size.index(target);
                if target == blocks.ground || is_ground {
                    return 0.0;
                }
                let (other, at) = blocks.place(target);
                let inverse = match (other.cmp(&line), &after) {
                    (std::cmp::Ordering::Less, _) => &before[other],
                    (std::cmp::Ordering::Greater, Some(later)) => later,
                    _ => return green[at * side + place],
                };
                let row = &inverse[at * side..(at + 1) * side];
                let terms = row.iter().enumerate().map(|(to, value)| {
                    value * blocks.between(other, line, to) * green[to * side + place]
                });
                terms.sum()
            };
            let at = size.position(room);
            let pointers = Pointer::DIRECTIONS.into_iter().filter_map(|pointer| {
                let target = pointer.target(size, at)?;
                // In a grid with a single row or column, the rooms ahead of `room` have paths to the first room only through `room`; in other grids
                // no probability is zero.
                if side == 1 && size.index(target) > room {
                    return None;
                }
                let (out, back) = (weights.of(pointer), weights.of(pointer.opposite()));
                let current = out * visits[room] - back * visits[size.index(target)];
                Some((pointer, out * (own - of(target)) - current))
            });
            let mut pointers = positive(pointers);
            let total: f64 = pointers.iter().map(|(_, p)| p).sum();
            for (_, p) in &mut pointers {
                *p /= total;
            }
            distributions[room] = pointers;
        }
        after = Some(inverted(with_after, side));
        progress.step(all - line as u64, all)?;
    }
    Ok(distributions)
}

/// The Laplacian of the grid without the row and column of the ground (the room where a random walk ends), in one block for each line of rooms along
/// the shorter side.
struct Blocks<'a> {
    maze: &'a PerfectMaze,
    /// The ground: the corner towards which the weights drive a random walk.
    ground: usize,
    side: usize,
    lines: usize,
    are_rows: bool,
}

impl<'a> Blocks<'a> {
    fn of(maze: &'a PerfectMaze) -> Self {
        let (rows, columns) = (maze.size().rows(), maze.size().columns());
        let weights = maze.weights;
        let row = if weights.down > weights.up {
            rows - 1
        } else {
            0
        };
        let column = if weights.right > weights.left {
            columns - 1
        } else {
            0
        };
        Self {
            maze,
            ground: row * columns + column,
            side: rows.min(columns),
            lines: rows.max(columns),
            are_rows: columns <= rows,
        }
    }

    fn room(&self, line: usize, place: usize) -> usize {
        let columns = self.maze.size().columns();
        match self.are_rows {
            true => line * columns + place,
            false => place * columns + line,
        }
    }

    /// Returns the index of the line (row or column of the grid) that contains `room`, and the room's index in that line.
    fn place(&self, room: usize) -> (usize, usize) {
        let columns = self.maze.size().columns();
        match self.are_rows {
            true => (room / columns, room % columns),
            false => (room % columns, room / columns),
        }
    }

    fn diagonal(&self, line: usize) -> Vec<f64> {
        let (side, size): (usize, Size) = (self.side, self.maze.size());
        let mut block = vec![0.0; side * side];
        for place in 0..side {
            let room = self.room(line, place);
            if room == self.ground {
                block[place * side + place] = 1.0;
                continue;
            }
            let at = size.position(room);
            for pointer in Pointer::DIRECTIONS {
                let Some(target) = pointer.target(size, at) else {
                    continue;
                };
                let weight = self.maze.weights.of(pointer);
                block[place * side + place] += weight;
                let target = size.index(target);
                let (other, to) = self.place(target);
                if other == line && target != self.ground {
                    block[place * side + to] -= weight;
                }
            }
        }
        block
    }

    /// Returns the weight of the pointer from a room in a line to the room beside it in an adjacent line; 0 if one of the two rooms is the ground
    /// (where a random walk ends).
    fn between(&self, from: usize, to: usize, place: usize) -> f64 {
        if self.room(from, place) == self.ground || self.room(to, place) == self.ground {
            return 0.0;
        }
        let weights = self.maze.weights;
        match (self.are_rows, from < to) {
            (true, true) => weights.down,
            (true, false) => weights.up,
            (false, true) => weights.right,
            (false, false) => weights.left,
        }
    }

    /// Returns Green's function from the first room to each room (the expected number of visits of a random walk), or zeros if the walk ends in the
    /// first room.
    fn visits(&self, before: &[Vec<f64>]) -> Vec<f64> {
        let (side, mut visits) = (self.side, vec![0.0; self.side * self.lines]);
        if self.ground == 0 {
            return visits;
        }
        let through = |sources: &[f64], inverse: &[f64]| {
            let to = |to| {
                (0..side)
                    .map(|from| sources[from] * inverse[from * side + to])
                    .sum()
            };
            (0..side).map(to).collect::<Vec<f64>>()
        };
        // Expected number of times that the random walk enters each room of a line from the lines before it; the loop below adds the entries from the
        // lines after it.
        let mut sources = vec![vec![0.0; side]; self.lines];
        sources[0][0] = 1.0;
        for line in 1..self.lines {
            let earlier = through(&sources[line - 1], &before[line - 1]);
            for (place, visited) in earlier.into_iter().enumerate() {
                sources[line][place] = visited * self.between(line - 1, line, place);
            }
        }
        for line in (0..self.lines).rev() {
            let visited = through(&sources[line], &before[line]);
            for (place, visited) in visited.into_iter().enumerate() {
                if line > 0 {
                    sources[line - 1][place] += visited * self.between(line, line - 1, place);
                }
                visits[self.room(line, place)] = visited;
            }
        }
        visits
    }

    /// Eliminates the line of rooms `beside` from the matrix block of the line `line` by Gaussian elimination; `inverse` is the inverse of the block
    /// of `beside`.
    fn eliminate(&self, block: &mut [f64], line: usize, beside: usize, inverse: &[f64]) {
        let side = self.side;
        for place in 0..side {
            let there = self.between(line, beside, place);
            for to in 0..side {
                let back = self.between(beside, line, to);
                block[place * side + to] -= there * inverse[place * side + to] * back;
            }
        }
    }
}

/// Returns the inverse of a diagonally dominant matrix, which is stored row by row, by Gauss-Jordan elimination in place, without pivoting.
fn inverted(mut matrix: Vec<f64>, side: usize) -> Vec<f64> {
    let mut pivots = vec![0.0; side];
    for step in 0..side {
        let pivot = 1.0 / matrix[step * side + step];
        matrix[step * side + step] = 1.0;
        let row = &mut matrix[step * side..(step + 1) * side];
        for value in row.iter_mut() {
            *value *= pivot;
        }
        pivots.copy_from_slice(row);
        for other in (0..side).filter(|&other| other != step) {
            let row = &mut matrix[other * side..(other + 1) * side];
            let factor = std::mem::take(&mut row[step]);
            if factor != 0.0 {
                for (value, above) in row.iter_mut().zip(&pivots) {
                    *value -= factor * above;
                }
            }
        }
    }
    matrix
}
