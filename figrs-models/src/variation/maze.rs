//! Variation scores, which measure how much mazes differ.

use super::{Variation, side};
use crate::boards::maze::Pointer;
use crate::grid::{Board, Position};
use figrs_reading::Mistake;

/// The variation of two mazes is a weighted mean: the difference of the passages has the weight three quarters, and the difference of the lengths of
/// the solutions one quarter.
///
/// The scores below are for two mazes of side `N` that have `s` passages in common and whose solutions differ in length by `d` steps:
///
/// - The interpretation `dissimilarity` of the formula, which is recommended, is `3/4 (1 - s / (N² - 1)) + 1/4 d / (N² - 1 - (2N - 2))`, where the
///   last divisor is at least 1.
/// - The interpretation `dissimilarity-printed-length` of the formula is like `dissimilarity` with `2N - 2` as the last divisor, as printed in the
///   publication.
/// - The score of mazes by the interpretation `as-printed` of the formula is `3/4 s / (2N + 3 (N - 4)) + 1/4 d / (2N - 2)`. The maze score by the
///   interpretation `as-printed` is larger for more similar mazes, although the text of the publication states that a higher score means more
///   variation.
impl Variation for Board<Pointer> {
    const READINGS: [&'static str; 3] = [
        "dissimilarity",
        "dissimilarity-printed-length",
        "as-printed",
    ];

    fn variation(&self, other: &Self) -> Result<[f64; 3], Mistake> {
        let size = |maze: &Self| (maze.size().rows(), maze.size().columns());
        let n = side(size(self), size(other))? as f64;
        let shared = shared_passages(self, other) as f64;
        let length = |maze: &Self| maze.solution().map_or(0, |way| way.len());
        let apart = length(self).abs_diff(length(other)) as f64;
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

fn shared_passages(one: &Board<Pointer>, other: &Board<Pointer>) -> usize {
    let both = |a: Position, b: Position| one.is_open(a, b) && other.is_open(a, b);
    let shared = one.size().positions().map(|at| {
        let (row, column) = (at.row, at.column);
        let right = Position {
            column: column + 1,
            row,
        };
        let below = Position {
            row: row + 1,
            column,
        };
        usize::from(both(at, right)) + usize::from(both(at, below))
    });
    shared.sum()
}
