//! Variation scores, which measure how much chromatic mazes differ.

use super::matching::{distances, nearest, steps};
use super::{Variation, side};
use crate::boards::chromatic_maze::{ChromaticTile, Hue};
use crate::grid::{Board, Position};
use figrs_reading::Mistake;

/// The variation of two chromatic mazes has four components: the distance of the starts, the distance of the finishes, the difference of the
/// distances from start to finish (in steps, ignoring colours), and the distances of tiles from tiles of the same colour.
///
/// For two mazes of side `N` with the components `s` (starts), `f` (finishes), `d` (distances) and `c` (tiles), the score is
/// `s / N + f / N + d / (2N) + 2c / (N² (2N - 2))`. Each tile of a maze, in scan order, is matched with an unmatched tile of its colour in the other
/// maze, or adds `2N - 2` to the distance if no such tile remains:
///
/// - The interpretation `nearest` of the formula, which is recommended, matches each tile with the nearest one, as the text of the publication
///   states.
/// - The interpretation `percent` of the formula is `nearest` as a percentage of the largest value that the terms of the formula can have.
/// - The interpretation `first` of the formula matches each tile with the first one in scan order, as the algorithm is printed in the publication.
impl Variation for Board<ChromaticTile> {
    const READINGS: [&'static str; 3] = ["nearest", "percent", "first"];

    fn variation(&self, other: &Self) -> Result<[f64; 3], Mistake> {
        let size = |board: &Self| (board.size().rows(), board.size().columns());
        let side = side(size(self), size(other))?;
        let furthest = 2 * side - 2;
        let n = side as f64;
        let (starts, finishes) = (
            [
                self.one(Self::start, "start")?,
                other.one(Self::start, "start")?,
            ],
            [
                self.one(Self::finish, "finish")?,
                other.one(Self::finish, "finish")?,
            ],
        );
        let ends = (steps(starts[0], starts[1]) + steps(finishes[0], finishes[1])) as f64;
        let way = |board: usize| steps(starts[board], finishes[board]);
        let ways = way(0).abs_diff(way(1)) as f64;
        let score = |choose: fn(Position, &[Position]) -> usize| {
            let of_colour = |colour| {
                let tiles: Vec<Position> = self.tiles_of(colour).collect();
                let others = other.tiles_of(colour).collect();
                distances(&tiles, others, furthest, choose)
                    .into_iter()
                    .sum::<usize>()
            };
            let tiles: usize = Hue::WHEEL.into_iter().map(of_colour).sum();
            ends / n + ways / (2.0 * n) + 2.0 * tiles as f64 / (n * n * furthest as f64)
        };
        let nearest = score(nearest);
        let most = 2.0 * furthest as f64 / n + (furthest as f64 - 1.0) / (2.0 * n) + 2.0;
        Ok([nearest, 100.0 * nearest / most, score(|_, _| 0)])
    }
}

impl Board<ChromaticTile> {
    fn tiles_of(&self, colour: Hue) -> impl Iterator<Item = Position> + '_ {
        let tiles = self.iter();
        tiles.filter_map(move |(at, tile)| (tile.colour == colour).then_some(at))
    }

    fn one(
        &self,
        place: impl Fn(&Self) -> Option<Position>,
        missing: &'static str,
    ) -> Result<Position, Mistake> {
        place(self).ok_or_else(|| super::no_such_tile(missing))
    }
}
