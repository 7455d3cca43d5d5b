//! Settings of islands: the size, the centre, and bounds on the amount of land and the number of bays.

use crate::shares::whole_numbers;
use figrs_reading::Mistake;
use std::ops::RangeInclusive;

use super::Terrain;
use crate::grid::limits::ISLAND_SIDE;
use crate::grid::{Clues, GridError, Position, Size};

/// Islands of one size; see the [module](super).
///
/// ```
/// use figrs_infer::{Compiled, Frontier};
/// use figrs_models::grid::Size;
/// use figrs_models::island::Island;
///
/// let elements = Island::new(Size::new(7, 9)?)?.land(10..=20)?.bays(1..=3)?.elements()?;
/// let compiled = Frontier::new().compile(elements.model(), elements.cells())?;
/// println!("{} islands", compiled.count()?);
/// for world in compiled.samples(1)?.take(2) {
///     println!("{}", elements.board(&world)?);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Island {
    pub(super) clues: Clues<Terrain>,
    pub(super) centre: Position,
    pub(super) land: Option<RangeInclusive<u32>>,
    pub(super) bays: Option<RangeInclusive<u32>>,
}

impl Island {
    /// Maximum number of rows and maximum number of columns of an island.
    pub const MAX_SIDE: usize = ISLAND_SIDE;

    /// Creates a generator of islands on a grid of the given size. The centre of the island is the middle cell of the grid; of two middle cells, it
    /// is the upper or left one.
    ///
    /// **Errors.** [`GridError::Invalid`] if no cell is inside the border, or if a side of the grid is too long.
    pub fn new(size: Size) -> Result<Self, GridError> {
        Self::with_clues(Clues::none(size))
    }

    /// Creates a generator of islands that agree with the given clues; the clues determine the size.
    ///
    /// **Errors.** The errors of the constructor [`new`](Self::new).
    pub fn with_clues(clues: Clues<Terrain>) -> Result<Self, GridError> {
        let (rows, columns) = (clues.size().rows(), clues.size().columns());
        let sides = 3..=Self::MAX_SIDE;
        if !sides.contains(&rows) || !sides.contains(&columns) {
            return Err(Mistake::value(
                format!("an island of {rows} by {columns} cells"),
                format!("use 3 to {} of each", Self::MAX_SIDE),
            )
            .into());
        }
        let centre = Position {
            row: (rows - 1) / 2,
            column: (columns - 1) / 2,
        };
        Ok(Self {
            clues,
            centre,
            land: None,
            bays: None,
        })
    }

    /// Returns the size of the island's grid.
    pub fn size(&self) -> Size {
        self.clues.size()
    }

    /// Sets the centre of the island: the cell that must be land.
    ///
    /// **Errors.** [`GridError::Invalid`] if the cell `centre` is on the border.
    pub fn centre(self, centre: Position) -> Result<Self, GridError> {
        let size = self.size();
        if !size.contains(centre) || size.is_border(centre) {
            let problem =
                format!("the centre of the island at {centre} is on the border, which is water");
            return Err(Mistake::value(problem, "use a cell inside").into());
        }
        Ok(Self { centre, ..self })
    }

    pub(super) fn inside(&self) -> usize {
        (self.size().rows() - 2) * (self.size().columns() - 2)
    }

    /// Sets the smallest and largest allowed number of cells of land.
    ///
    /// **Errors.** [`GridError::Invalid`] if the range is empty; [`GridError::Impossible`] if no island has a number of land cells in the range.
    pub fn land(self, cells: RangeInclusive<u32>) -> Result<Self, GridError> {
        let cells = GridError::not_empty("cells of land", cells)?;
        GridError::reachable("cells of land", &cells, 1..=self.inside() as u32, 1)?;
        let land = Some(cells);
        Ok(Self { land, ..self })
    }

    /// Sets the smallest and largest allowed share of land among all cells, border included.
    ///
    /// **Errors.** [`GridError::Invalid`] if the bounds on the share are not between 0 and 1, the smaller one first; the errors of [`Self::land`].
    pub fn land_share(self, share: RangeInclusive<f64>) -> Result<Self, GridError> {
        let (least, most) = share.into_inner();
        if !(0.0 <= least && least <= most && most <= 1.0) {
            return Err(Mistake::value(
                format!("the share of land from {least} to {most}"),
                "use numbers from 0 to 1, the smaller one first",
            )
            .into());
        }
        let (least, most) = whole_numbers(least, most, self.size().cells());
        self.land(least as u32..=most as u32)
    }

    /// Sets the smallest and largest allowed number of bays of the island.
    ///
    /// **Errors.** [`GridError::Invalid`] if the range is empty; [`GridError::Impossible`] if the grid has too few cells inside its border for the
    /// smallest number of bays. The function `bays` does not check whether an island with a number of bays in the range exists.
    pub fn bays(self, bays: RangeInclusive<u32>) -> Result<Self, GridError> {
        let bays = GridError::not_empty("bays", bays)?;
        // Connected land of `n` cells has at most `2n + 2` sides with water, and each bay has three of these sides.
        let most = (2 * self.inside() + 2) / 5;
        GridError::reachable("bays", &bays, 0..=most as u32, 1)?;
        let bays = Some(bays);
        Ok(Self { bays, ..self })
    }
}
