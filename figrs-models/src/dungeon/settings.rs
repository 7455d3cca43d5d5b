//! Which dungeons.

use std::ops::RangeInclusive;

use crate::grid::{Distances, GridError, Size};

/// Dungeons of one size; see the [module](super).
///
/// ```
/// use figrs_infer::Frontier;
/// use figrs_models::dungeon::Dungeon;
/// use figrs_models::grid::Size;
///
/// let dungeon = Dungeon::new(Size::new(3, 3)?).walls(2..=3)?.walk(6..=8)?;
/// let elements = dungeon.elements()?;
/// let compiled = Frontier::new().compile(elements.model(), elements.tiles())?;
/// println!("{} dungeons", compiled.count()?);
/// if let Some(world) = compiled.samples(1)?.next() {
///     println!("{}", elements.map(&world)?);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Dungeon {
    pub(super) size: Size,
    pub(super) walls: Option<RangeInclusive<u32>>,
    pub(super) walk: Option<RangeInclusive<u32>>,
}

impl Dungeon {
    /// Dungeons of a size, with any number of walls and any walk.
    pub fn new(size: Size) -> Self {
        Self {
            size,
            walls: None,
            walk: None,
        }
    }

    /// Bounds the number of walls.
    ///
    /// **Errors.** [`GridError::EmptyRange`].
    pub fn walls(self, walls: RangeInclusive<u32>) -> Result<Self, GridError> {
        let walls = Some(GridError::not_empty("walls", walls)?);
        Ok(Self { walls, ..self })
    }

    /// Bounds the length of the walk, in steps.
    ///
    /// **Errors.** [`GridError::EmptyRange`]; [`GridError::TooLargeForDistances`] if distances cannot be followed on a grid of
    /// this size.
    pub fn walk(self, steps: RangeInclusive<u32>) -> Result<Self, GridError> {
        let steps = GridError::not_empty("steps", steps)?;
        Distances::new(self.size, super::elements::STOPS, steps.clone())?;
        Ok(Self {
            walk: Some(steps),
            ..self
        })
    }
}
