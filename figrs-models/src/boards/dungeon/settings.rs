//! Settings of dungeons: the size, and bounds on the number of walls and on the player's walk.

use std::ops::RangeInclusive;

use super::DungeonTile;
use crate::grid::{Clues, GridError, Size};

/// Dungeons of one size; see the [module](super).
///
/// ```
/// use figrs_infer::{Compiled, Frontier};
/// use figrs_models::dungeon::Dungeon;
/// use figrs_models::grid::Size;
///
/// let dungeon = Dungeon::new(Size::new(3, 3)?).walls(2..=3)?.walk(6..=8)?;
/// let elements = dungeon.elements()?;
/// let compiled = Frontier::new().compile(elements.model(), elements.cells())?;
/// println!("{} dungeons", compiled.count()?);
/// if let Some(world) = compiled.samples(1)?.next() {
///     println!("{}", elements.board(&world)?);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Dungeon {
    pub(super) clues: Clues<DungeonTile>,
    pub(super) walls: Option<RangeInclusive<u32>>,
    pub(super) walk: Option<RangeInclusive<u32>>,
    pub(super) reachability: Reachability,
}

/// States whether the player must be able to reach the gem, the altar and the exit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reachability {
    /// A path must lead from the entrance to the gem, then to the altar, then to the exit.
    #[default]
    Required,
    /// No path is required: the dungeon has one gem and one altar, and any other cells may be walls.
    Free,
}

impl Dungeon {
    /// Creates a generator of dungeons of the given size, with any number of walls and a walk of any length.
    pub fn new(size: Size) -> Self {
        Self::with_clues(Clues::none(size))
    }

    /// Creates a generator of dungeons that agree with the given clues; the clues determine the size.
    pub fn with_clues(clues: Clues<DungeonTile>) -> Self {
        Self {
            clues,
            walls: None,
            walk: None,
            reachability: Reachability::Required,
        }
    }

    /// Sets whether the player must be able to reach the gem, the altar and the exit. If the walk has bounds on its length, a path to gem, altar and
    /// exit is required in any case.
    pub fn reachability(self, reachability: Reachability) -> Self {
        Self {
            reachability,
            ..self
        }
    }

    pub(super) fn needs_way(&self) -> bool {
        self.walk.is_some() || self.reachability == Reachability::Required
    }

    /// Returns the size of the dungeon's grid.
    pub fn size(&self) -> Size {
        self.clues.size()
    }

    /// Sets the smallest and largest allowed number of walls in the dungeon.
    ///
    /// **Errors.** [`GridError::Invalid`] if the range is empty; [`GridError::Impossible`] if the smallest number of walls leaves no path from corner
    /// to corner or, if no path is [required](Self::reachability), no room for gem and altar.
    pub fn walls(self, walls: RangeInclusive<u32>) -> Result<Self, GridError> {
        let walls = GridError::not_empty("walls", walls)?;
        let most = match self.reachability {
            Reachability::Required => (self.size().rows() - 1) * (self.size().columns() - 1),
            Reachability::Free => self.size().cells().saturating_sub(2),
        };
        GridError::reachable("walls", &walls, 0..=most as u32, 1)?;
        let walls = Some(walls);
        Ok(Self { walls, ..self })
    }

    /// Sets the smallest and largest allowed length of the player's walk, in steps.
    ///
    /// **Errors.** [`GridError::Invalid`] if the range of lengths is empty; [`GridError::Impossible`] if no walk has a length in the range.
    pub fn walk(self, steps: RangeInclusive<u32>) -> Result<Self, GridError> {
        let steps = GridError::not_empty("steps", steps)?;
        GridError::reachable("steps of the walk", &steps, self.walks(), 2)?;
        Ok(Self {
            walk: Some(steps),
            ..self
        })
    }

    /// Returns the range of possible lengths of a walk through a dungeon. The lengths of two walks through a dungeon differ by an even number,
    /// because a detour on a grid takes an even number of steps.
    fn walks(&self) -> RangeInclusive<u32> {
        let (rows, columns) = (self.size().rows(), self.size().columns());
        let shortest = rows + columns - 2;
        // A shortest path omits at least one cell of each 2 by 2 square, because it could otherwise be shortened within the square.
        let longest = 3 * (rows * columns - (rows / 2) * (columns / 2) - 1);
        let over = longest.saturating_sub(shortest) % 2;
        shortest as u32..=(longest - over) as u32
    }
}
