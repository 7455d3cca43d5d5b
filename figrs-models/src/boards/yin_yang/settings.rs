//! Settings of boards: the size, the clues, bounds on the colours, and the engine.

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
    /// Boards of the size of some clues that meet them.
    pub fn with_clues(clues: ColourClues) -> Self {
        Self {
            clues,
            black: None,
            frontier: Frontier::new(),
        }
    }

    /// All boards of a size.
    pub fn new(size: Size) -> Self {
        Self::with_clues(ColourClues::none(size))
    }

    /// Bounds the number of black cells: half of all for as many of each colour.
    ///
    /// **Errors.** [`GridError::EmptyRange`]; [`GridError::NoSuchNumber`] if that leaves one colour out.
    pub fn black(self, cells: RangeInclusive<u32>) -> Result<Self, GridError> {
        let cells = GridError::not_empty("black cells", cells)?;
        let most = self.clues.size().cells() as u32 - 1;
        if most > 0 {
            GridError::reachable("black cells", &cells, 1..=most, 1)?;
        }
        let black = Some(cells);
        Ok(Self { black, ..self })
    }

    /// Limits the bytes that solving takes, as [`Frontier::memory`] counts them: one GiB unless another number is given.
    pub fn memory(self, bytes: u64) -> Self {
        let frontier = self.frontier.clone().memory(bytes);
        self.frontier(frontier)
    }

    /// Solves by this engine, which may be limited, watched and interrupted.
    pub fn frontier(self, frontier: Frontier) -> Self {
        Self { frontier, ..self }
    }

    /// The clues.
    pub fn clues(&self) -> &ColourClues {
        &self.clues
    }
}
