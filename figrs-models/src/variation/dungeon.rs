//! Variation scores, which measure how much dungeons differ.

use super::matching::{distances, nearest, steps};
use super::{Variation, side};
use crate::boards::dungeon::DungeonTile;
use crate::grid::{Board, Position};
use figrs_reading::Mistake;

/// The variation of two dungeons is the mean of six differences: the distance between the gems, the distance between the altars, the difference of
/// the path lengths from gem to altar, the difference of the numbers of walls, the distances between matched walls, and the distances between matched
/// empty cells. The distances and path lengths between cells of dungeons are numbers of steps on a grid without walls. Each wall is matched, in scan
/// order, with the nearest unmatched wall of the other dungeon; if no wall is left, the distance is the largest possible one, `2N - 2` for side `N`.
/// Empty cells are matched with the nearest unmatched empty cell of the other dungeon by the same rule as walls.
///
/// The variation scores of two dungeons with side `N` are:
///
/// - The interpretation `sum` of the formula, which is recommended, is the sum of the six differences divided by `6 N`, with the distances of all
///   walls and of all empty cells.
/// - The interpretation `normalised` of the formula takes each of the six differences as a share of its largest value, with mean distances for walls
///   and empty cells.
/// - The interpretation `last-wall` of the formula is like `sum`, but takes only the distance of the last wall and that of the last empty cell, as
///   line 14 of the algorithm is printed.
impl Variation for Board<DungeonTile> {
    const READINGS: [&'static str; 3] = ["sum", "normalised", "last-wall"];

    fn variation(&self, other: &Self) -> Result<[f64; 3], Mistake> {
        let size = |map: &Self| (map.size().rows(), map.size().columns());
        let side = side(size(self), size(other))?;
        let (gems, altars) = (
            [
                self.one(DungeonTile::Gem, "gem")?,
                other.one(DungeonTile::Gem, "gem")?,
            ],
            [
                self.one(DungeonTile::Altar, "altar")?,
                other.one(DungeonTile::Altar, "altar")?,
            ],
        );
        let furthest = 2 * side - 2;
        let apart = [
            steps(gems[0], gems[1]),
            steps(altars[0], altars[1]),
            steps(gems[0], altars[0]).abs_diff(steps(gems[1], altars[1])),
        ];
        let walls = self.walls().abs_diff(other.walls());
        let moved = [DungeonTile::Wall, DungeonTile::Empty].map(|tile| {
            let others = other.places_of(tile).collect();
            distances(
                &self.places_of(tile).collect::<Vec<_>>(),
                others,
                furthest,
                nearest,
            )
        });
        let single = (apart.iter().sum::<usize>() + walls) as f64;
        let of_side = |moved: usize| (single + moved as f64) / (6 * side) as f64;
        let means = moved.iter().map(|distances| {
            let sum = distances.iter().sum::<usize>() as f64;
            sum / (distances.len().max(1) * furthest) as f64
        });
        let shares = apart.iter().sum::<usize>() as f64 / furthest as f64
            + walls as f64 / (side * side - 2) as f64
            + means.sum::<f64>();
        let last = moved.iter().filter_map(|distances| distances.last());
        Ok([
            of_side(moved.iter().flatten().sum()),
            shares / 6.0,
            of_side(last.sum()),
        ])
    }
}

impl Board<DungeonTile> {
    fn one(&self, tile: DungeonTile, missing: &'static str) -> Result<Position, Mistake> {
        let found = self.places_of(tile).next();
        found.ok_or_else(|| super::no_such_tile(missing))
    }
}
