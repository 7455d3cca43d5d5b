//! Routes: a movement (the rules of a player's moves), and the areas that the path of a player must pass.

use std::sync::Arc;

use super::{MovementError, MovementRules};
use crate::Area;

/// A player's path by the rules of a movement, from a start to the goal through a sequence of areas.
///
/// The path of a player passes an area when the player comes to a cell of that area, on foot, in the air or holding on to a tile. The player may also
/// enter a later area of the route before the areas that precede it, and may enter an area again. If all tiles of some kind are goals, the player's
/// path must lead to each of these tiles. The areas of a route are in model coordinates, as in a [`Demand`](crate::Demand); levels that are played to
/// the right are upright in these coordinates.
///
/// ```
/// use figrs_models::mdmc::Level;
/// use figrs_design::{Area, MovementRules, Playability, Route};
///
/// let level: Level = "--------\n--------\n--------\n---SS---\n--------\n--------\nXXXXXXXX".parse()?;
/// let over = Route::under(MovementRules::platformer()).through([Area::cell(2, 4)]);
/// let verdict = Playability::along(&level, &over);
/// assert!(verdict.playable() && verdict.path().contains(&(2, 4)));
/// let inside = over.through([Area::cell(2, 4), Area::cell(3, 4)]);
/// assert!(!Playability::along(&level, &inside).playable());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Route {
    rules: MovementRules,
    areas: Arc<[Area]>,
}

impl Route {
    /// Maximum number of areas.
    pub const MOST_AREAS: usize = 16;

    /// Creates a route through no areas; any path by the rules of a movement follows this route.
    pub fn under(rules: &MovementRules) -> Self {
        Self {
            rules: rules.clone(),
            areas: Arc::default(),
        }
    }

    /// Sets the areas of the route, which a path must pass in the given order.
    #[must_use]
    pub fn through(&self, areas: impl IntoIterator<Item = Area>) -> Self {
        Self {
            rules: self.rules.clone(),
            areas: areas.into_iter().collect(),
        }
    }

    /// Returns the same route under [strict](MovementRules::strict) rules of movement.
    ///
    /// **Errors.** [`MovementError::Invalid`] if the moves under strict rules have too many stages.
    pub fn strict(&self) -> Result<Self, MovementError> {
        Ok(Self {
            rules: self.rules.strict()?,
            areas: Arc::clone(&self.areas),
        })
    }

    /// Returns the movement rules that the path must follow.
    pub fn rules(&self) -> &MovementRules {
        &self.rules
    }

    /// Returns the areas that a path has to pass, in the order of the route.
    pub fn areas(&self) -> &[Area] {
        &self.areas
    }

    /// Returns the number of areas of the route, which is the number of areas that a complete path has passed.
    pub(super) fn last(&self) -> usize {
        self.areas.len()
    }

    /// True if a player who has passed `passed` areas of the route passes the next area by coming to the given cell.
    pub(super) fn passes(&self, passed: usize, (row, column): (usize, usize)) -> bool {
        let next = self.areas.get(passed);
        next.is_some_and(|area| area.contains(row, column))
    }

    /// Returns a column. Returns the first column from which on each area of the route contains either all columns or none.
    pub(super) fn settled(&self) -> usize {
        let settled = self.areas.iter().map(Area::settled_column);
        settled.max().unwrap_or(0)
    }
}

impl Default for Route {
    fn default() -> Self {
        Self::under(MovementRules::platformer())
    }
}

impl From<&MovementRules> for Route {
    fn from(rules: &MovementRules) -> Self {
        Self::under(rules)
    }
}
