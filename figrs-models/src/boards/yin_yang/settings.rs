//! Settings of Yin-Yang boards: the size, the clues, bounds on the colours, and the exact algorithm.

use std::ops::RangeInclusive;

use figrs_infer::Frontier;

use super::ColourClues;
use crate::grid::{GridError, Size};

/// Yin-Yang boards of one size that meet some clues; see the [module](super).
///
/// ```
/// use figrs_infer::Frontier;
/// use figrs_models::yin_yang::{ColourClues, YinYang};
///
/// let clues: ColourClues = "......\n.2....\n......\n......\n1.....\n......".parse()?;
/// let elements = YinYang::with_clues(clues).elements()?;
/// let boards = Frontier::new().compile(elements.model(), elements.cells())?;
/// assert_eq!(boards.count()?.to_string(), "2726");
/// if let Some(world) = boards.samples(1)?.next() {
///     println!("{}", elements.board(&world)?);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct YinYang {
    pub(super) clues: ColourClues,
    pub(super) black: Option<RangeInclusive<u32>>,
    pub(super) frontier: Frontier,
}

impl YinYang {
    /// Creates a generator of boards that meet the given clues, which determine the size.
    pub fn with_clues(clues: ColourClues) -> Self {
        Self {
            clues,
            black: None,
            frontier: Frontier::new(),
        }
    }

    /// Creates a generator of boards of the given size, without clues.
    pub fn new(size: Size) -> Self {
        Self::with_clues(ColourClues::none(size))
    }

    /// Bounds the number of black cells; a bound of half of all cells gives both colours the same number.
    ///
    /// **Errors.** [`GridError::Invalid`] if the range is empty; [`GridError::Impossible`] if one colour would be missing, or have too few cells to reach
    /// all 2 by 2 squares.
    pub fn black(self, cells: RangeInclusive<u32>) -> Result<Self, GridError> {
        let cells = GridError::not_empty("black cells", cells)?;
        let size = self.clues.size();
        if size.cells() > 1 {
            let least = fewest_of_a_colour(size);
            let most = size.cells() as u32 - least;
            GridError::reachable("black cells", &cells, least..=most, 1)?;
        }
        let black = Some(cells);
        Ok(Self { black, ..self })
    }

    /// Limits the number of bytes that solving takes, as [`Frontier::memory`] counts them (default: one GiB).
    pub fn memory(self, bytes: u64) -> Self {
        let frontier = self.frontier.clone().memory(bytes);
        self.frontier(frontier)
    }

    /// Sets the exact algorithm that solves the puzzle, which may have limits, a listener and an interrupt.
    pub fn frontier(self, frontier: Frontier) -> Self {
        Self { frontier, ..self }
    }

    /// Returns the clues.
    pub fn clues(&self) -> &ColourClues {
        &self.clues
    }
}

/// Returns a lower bound on the number of cells of a colour.
///
/// A square of 2 by 2 cells has one cell, two adjacent cells, or three cells of a colour, since the rules exclude the diagonal. Let a colour whose cells
/// form a tree have `b` cells, of which `k` are on the rim, in a row, and `c` in corners. The sum over all `m` squares of 2 by 2 cells, of the colour's
/// cells minus its adjacent pairs, is `m = 2 b + 1 - k - c`, or `2 b + 2` if no cell is on the rim. If a colour has a cycle, the other colour is a tree
/// inside the cycle, without cells on the rim, and has fewer cells.
fn fewest_of_a_colour(size: Size) -> u32 {
    let squares = (size.rows() as u32 - 1) * (size.columns() as u32 - 1);
    if squares == 0 {
        return 1;
    }
    match squares.is_multiple_of(2) {
        true => (squares / 2 - 1).max(1),
        // The number `k + c` is even, and it is at least one.
        false => squares.div_ceil(2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::ConditionalSampler;

    /// By the counts of all boards of a size, no board has fewer black cells than the bound; from three rows and columns on, some boards reach the bound.
    #[test]
    fn the_bound_on_a_colour_is_right_and_reached() {
        for rows in 1..=5 {
            for columns in 1..=6 {
                let size = Size::new(rows, columns).unwrap();
                if size.cells() == 1 {
                    continue;
                }
                let bound = fewest_of_a_colour(size);
                let count = |black: RangeInclusive<u32>| {
                    let black = Some(black);
                    let boards = YinYang {
                        black,
                        ..YinYang::new(size)
                    };
                    let exact = ConditionalSampler::new().exact(&boards).unwrap();
                    exact.compiled().count().unwrap().to_string()
                };
                assert_eq!(count(0..=bound - 1), "0", "{rows} by {columns}: {bound}");
                let is_reached = count(bound..=bound) != "0";
                assert!(is_reached || rows.min(columns) < 3, "{rows} by {columns}");
            }
        }
    }
}
