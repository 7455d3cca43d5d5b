//! Mazes against mazes.

use super::{Variation, side};
use crate::grid::GridError;
use crate::maze::Maze;

/// Three quarters for the passages and one quarter for the length of the solution.
///
/// On mazes of side `N` with `s` passages in common and solutions whose lengths differ by `d` steps:
///
/// - `dissimilarity`, recommended: `3/4 (1 - s / (N² - 1)) + 1/4 d / (N² - 1 - (2N - 2))`, where the last divisor is at
///   least 1: shares of all passages and of the largest difference.
/// - `dissimilarity-printed-length`: the same with `2N - 2` as the last divisor, as printed.
/// - `as-printed`: `3/4 s / (2N + 3 (N - 4)) + 1/4 d / (2N - 2)`. It grows where mazes are alike, although the text says that a higher score
///   means more variation, and `2N + 3 (N - 4)` is no number of passages.
impl Variation for Maze {
    const READINGS: [&'static str; 3] = [
        "dissimilarity",
        "dissimilarity-printed-length",
        "as-printed",
    ];

    fn variation(&self, other: &Self) -> Result<[f64; 3], GridError> {
        let size = |maze: &Self| (maze.rows(), maze.columns());
        let n = side(size(self), size(other))? as f64;
        let shared = shared_passages(self, other) as f64;
        let apart = self.solution().len().abs_diff(other.solution().len()) as f64;
        let (passages, straight) = (n * n - 1.0, 2.0 * n - 2.0);
        let differing = 0.75 * (1.0 - shared / passages);
        let printed_length = 0.25 * apart / straight;
        Ok([
            differing + 0.25 * apart / (passages - straight).max(1.0),
            differing + printed_length,
            0.75 * shared / (2.0 * n + 3.0 * (n - 4.0)) + printed_length,
        ])
    }
}

/// Number of passages that both mazes have.
fn shared_passages(one: &Maze, other: &Maze) -> usize {
    let rooms = (0..one.rows()).flat_map(|row| (0..one.columns()).map(move |c| (row, c)));
    let both = |a: (usize, usize), b: (usize, usize)| one.is_open(a, b) && other.is_open(a, b);
    rooms
        .map(|(row, column)| {
            let right = column + 1 < one.columns() && both((row, column), (row, column + 1));
            usize::from(right) + usize::from(both((row, column), (row + 1, column)))
        })
        .sum()
}
