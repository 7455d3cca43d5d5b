//! Settings of islands: the size, the centre, and bounds on land and bays.

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
    /// Maximum number of rows, and of columns.
    pub const MAX_SIDE: usize = ISLAND_SIDE;

    /// Creates a generator of islands on a grid of the given size. The centre is the middle cell; of two middle cells, it is the upper or left one.
    ///
    /// **Errors.** [`GridError::Invalid`] if no cell is inside the border, or if a side is too long.
    pub fn new(size: Size) -> Result<Self, GridError> {
        Self::with_clues(Clues::none(size))
    }

    /// Creates a generator of islands that meet the given clues, which determine the size.
    ///
    /// **Errors.** The errors of [`new`](Self::new).
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

    /// Returns the size of the grid.
    pub fn size(&self) -> Size {
        self.clues.size()
    }

    /// Sets the centre: the cell that must be land.
    ///
    /// **Errors.** [`GridError::Invalid`] if the cell is on the border.
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

    /// Bounds the number of cells of land.
    ///
    /// **Errors.** [`GridError::Invalid`] if the range is empty; [`GridError::Impossible`] if no island has an amount of land in the range.
    pub fn land(self, cells: RangeInclusive<u32>) -> Result<Self, GridError> {
        let cells = GridError::not_empty("cells of land", cells)?;
        GridError::reachable("cells of land", &cells, 1..=self.inside() as u32, 1)?;
        let land = Some(cells);
        Ok(Self { land, ..self })
    }

    /// Bounds the share of land among all cells, border included.
    ///
    /// **Errors.** [`GridError::Invalid`] if the share is not between 0 and 1; the errors of [`Self::land`].
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

    /// Bounds the number of bays.
    ///
    /// **Errors.** [`GridError::Invalid`] if the range is empty; [`GridError::Impossible`] if the allowed land is too little for the smallest number
    /// of bays. The function does not check whether an island with this number of bays exists.
    pub fn bays(self, bays: RangeInclusive<u32>) -> Result<Self, GridError> {
        let bays = GridError::not_empty("bays", bays)?;
        // Connected land of `n` cells has at most `2n + 2` sides with water, and each bay has three of these sides.
        let most = (2 * self.inside() + 2) / 5;
        GridError::reachable("bays", &bays, 0..=most as u32, 1)?;
        let bays = Some(bays);
        Ok(Self { bays, ..self })
    }
}
