//! Chromatic mazes against chromatic mazes.

use super::matching::{distances, nearest, steps};
use super::{Variation, side};
use crate::chromatic_maze::{ChromaticBoard, Colour};
use crate::grid::{GridError, Position};

/// Variation of chromatic mazes: the distance of the starts, that of the finishes, the difference of the lengths of the ways
/// from start to finish (in steps, whatever the colours), and the distances of tiles from tiles of their colour.
///
/// On mazes of side `N` with these four as `s`, `f`, `d` and `c` the score is `s / N + f / N + d / (2N) + 2c / (N² (2N - 2))`. Tiles in scan order each
/// take a tile of their colour of the other maze that is left, or count `2N - 2` if none is:
///
/// - `nearest`, recommended: the nearest one, as the text says.
/// - `percent`: the same as a percentage of the largest value that the formula can take term by term.
/// - `first`: the first one in scan order, as the algorithm is printed.
impl Variation for ChromaticBoard {
    const READINGS: [&'static str; 3] = ["nearest", "percent", "first"];

    fn variation(&self, other: &Self) -> Result<[f64; 3], GridError> {
        let size = |board: &Self| (board.size().rows(), board.size().columns());
        let side = side(size(self), size(other))?;
        let furthest = 2 * side - 2;
        let n = side as f64;
        let ends =
            (steps(self.start(), other.start()) + steps(self.finish(), other.finish())) as f64;
        let way = |board: &Self| steps(board.start(), board.finish());
        let ways = way(self).abs_diff(way(other)) as f64;
        let score = |choose: fn(Position, &[Position]) -> usize| {
            let of_colour = |colour| {
                let tiles: Vec<Position> = self.tiles_of(colour).collect();
                let others = other.tiles_of(colour).collect();
                distances(&tiles, others, furthest, choose)
                    .into_iter()
                    .sum::<usize>()
            };
            let tiles: usize = Colour::WHEEL.into_iter().map(of_colour).sum();
            ends / n + ways / (2.0 * n) + 2.0 * tiles as f64 / (n * n * furthest as f64)
        };
        let nearest = score(nearest);
        let most = 2.0 * furthest as f64 / n + (furthest as f64 - 1.0) / (2.0 * n) + 2.0;
        Ok([nearest, 100.0 * nearest / most, score(|_, _| 0)])
    }
}

impl ChromaticBoard {
    /// The tiles of a colour, in scan order.
    fn tiles_of(&self, colour: Colour) -> impl Iterator<Item = Position> + '_ {
        let tiles = self.size().positions().zip(self.colours());
        tiles.filter_map(move |(at, other)| (*other == colour).then_some(at))
    }
}
