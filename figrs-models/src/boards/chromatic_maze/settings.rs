//! Settings of chromatic mazes: the size, and bounds on the length of the solution.

use std::ops::RangeInclusive;

use super::ChromaticClues;
use crate::grid::{GridError, Size};

/// Chromatic mazes (grids of coloured tiles) of one size; see the [module](super).
///
/// ```
/// use figrs_infer::{Compiled, Frontier};
/// use figrs_models::chromatic_maze::ChromaticMaze;
/// use figrs_models::grid::Size;
///
/// let maze = ChromaticMaze::new(Size::new(2, 2)?)?;
/// let elements = maze.elements()?;
/// let compiled = Frontier::new().compile(elements.model(), elements.cells())?;
/// assert_eq!(compiled.count()?.to_string(), "7704");
/// assert!((compiled.log_evidence().exp() - 7704.0 / 15552.0).abs() < 1e-12);
/// if let Some(world) = compiled.samples(1)?.next() {
///     println!("{}", elements.board(&world)?);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct ChromaticMaze {
    pub(super) clues: ChromaticClues,
    /// The smallest and largest allowed number of steps of the maze's solution, if it is bounded.
    pub(super) steps: Option<RangeInclusive<u32>>,
}

impl ChromaticMaze {
    /// Creates a generator of chromatic mazes of the given size that have a solution.
    ///
    /// **Errors.** [`GridError::Impossible`] if the grid has only one tile, because no tile is left for the finish.
    pub fn new(size: Size) -> Result<Self, GridError> {
        Self::with_clues(ChromaticClues::none(size))
    }

    /// Creates a generator of chromatic mazes that agree with the given clues and have a solution; the clues determine the size.
    ///
    /// **Errors.** The errors of the constructor [`new`](Self::new).
    pub fn with_clues(clues: ChromaticClues) -> Result<Self, GridError> {
        if clues.size().cells() < 2 {
            let problem = "a chromatic maze of one tile has no room for start and finish";
            return Err(GridError::impossible(problem, "use two tiles or more"));
        }
        Ok(Self { clues, steps: None })
    }

    pub(super) fn size(&self) -> Size {
        self.clues.size()
    }

    /// Bounds the number of steps of the solution, which is the shortest path from start to finish. An upper bound on the number of steps excludes no
    /// maze if it is at least the number of tiles minus one.
    ///
    /// **Errors.** [`GridError::Invalid`] if the range of steps is empty; [`GridError::Impossible`] if no solution has a length in the range.
    pub fn steps(self, steps: RangeInclusive<u32>) -> Result<Self, GridError> {
        let steps = GridError::not_empty("steps", steps)?;
        let longest = self.size().cells() as u32 - 1;
        GridError::reachable("steps of the path", &steps, 1..=longest, 1)?;
        let any = *steps.start() <= 1 && *steps.end() as usize + 1 >= self.size().cells();
        if any {
            return Ok(Self {
                steps: None,
                ..self
            });
        }
        Ok(Self {
            steps: Some(steps),
            ..self
        })
    }
}
