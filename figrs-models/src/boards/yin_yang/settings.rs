//! Settings of Yin-Yang boards: the size, the clues, bounds on the number of black cells, and the exact algorithm.

use std::ops::RangeInclusive;

use figrs_infer::Frontier;

use super::ColourClues;
use crate::grid::{GridError, Size};

/// Yin-Yang boards of one size that agree with some clues; see the [module](super).
///
/// ```
/// use figrs_infer::{Compiled, Frontier};
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
    /// Creates a generator of Yin-Yang boards that agree with the given clues; the clues determine the size.
    pub fn with_clues(clues: ColourClues) -> Self {
        Self {
            clues,
            black: None,
            frontier: Frontier::new(),
        }
    }

    /// Creates a generator of Yin-Yang boards of the given size, without clues.
    pub fn new(size: Size) -> Self {
        Self::with_clues(ColourClues::none(size))
    }

    /// Sets the smallest and largest allowed number of black cells; if both bounds are half of the number of cells, the two colours have the same
    /// number of cells.
    ///
    /// **Errors.** [`GridError::Invalid`] if the range of the number of black cells is empty; [`GridError::Impossible`] if one colour would be
    /// missing, or have too few cells to reach all 2 by 2 squares.
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

    /// Limits the memory in bytes of the exact algorithm that solves the puzzle, in the same way as [`Frontier::memory`] (default: one GiB).
    pub fn memory(self, bytes: u64) -> Self {
        let frontier = self.frontier.clone().memory(bytes);
        self.frontier(frontier)
    }

    /// Sets the exact algorithm that solves the puzzle; this algorithm may have limits, a progress listener and an interrupt flag.
    pub fn frontier(self, frontier: Frontier) -> Self {
        Self { frontier, ..self }
    }

    /// Returns the clues.
    pub fn clues(&self) -> &ColourClues {
        &self.clues
    }
}

/// Returns a lower bound on the number of cells of each colour on a Yin-Yang board.
///
/// Each 2 by 2 square of the board has one cell, two adjacent cells, or three cells of a given colour, because the rules exclude two diagonal cells.
/// In each 2 by 2 square, the number of cells of a colour minus the number of adjacent pairs of these cells is therefore one. For the bound, let the
/// cells of the colour form a tree of `b` cells, of which `k` consecutive cells are on the rim of the board, `c` of them in corners. If `k` of the
/// `b` cells of a colour are on the rim and `c` of them in corners, the sum over all `m` squares is `m = 2 b + 1 - k - c`, or `m = 2 b + 2` if no
/// cell is on the rim. If the cells of a colour form a cycle, the cells of the other colour form a tree inside the cycle, without cells on the rim,
/// and are fewer.
fn fewest_of_a_colour(size: Size) -> u32 {
    let squares = (size.rows() as u32 - 1) * (size.columns() as u32 - 1);
    if squares == 0 {
        return 1;
    }
    match squares.is_multiple_of(2) {
        true => (squares / 2 - 1).max(1),
        // If `m` is odd, some cell is on the rim, and `k + c` is even and at least two.
        false => squares.div_ceil(2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::ConditionalSampler;
    use figrs_infer::Compiled;

    /// The numbers of boards with each number of black cells show that no board has fewer black cells than the bound. On grids with at least three
    /// rows and columns, the bound is reached: some board has exactly the minimum number of black cells.
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
