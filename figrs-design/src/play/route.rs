//! Routes: a movement, and the areas that a player's way passes.

use std::sync::Arc;

use super::MovementRules;
use crate::Area;

/// A player's way by the rules of a movement: from a start to what is to be reached, through areas one after another.
///
/// The way passes an area where the player comes to a cell of it, on foot, in the air or holding on; it may come to areas of later numbers
/// before, and to the same one again. Where all tiles of some kind are to be reached, there has to be such a way to each of them. Areas are in the
/// frame of models, as those of a [`Demand`](crate::Demand); of levels that are played to the right that is the level as it stands.
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
    /// The most areas.
    pub const MOST_AREAS: usize = 16;

    /// Any way by the rules of a movement.
    pub fn under(rules: &MovementRules) -> Self {
        Self {
            rules: rules.clone(),
            areas: Arc::default(),
        }
    }

    /// A way that passes these areas, in their order, in place of those before.
    #[must_use]
    pub fn through(&self, areas: impl IntoIterator<Item = Area>) -> Self {
        Self {
            rules: self.rules.clone(),
            areas: areas.into_iter().collect(),
        }
    }

    /// The rules of the movement.
    pub fn rules(&self) -> &MovementRules {
        &self.rules
    }

    /// The areas that are passed.
    pub fn areas(&self) -> &[Area] {
        &self.areas
    }

    /// Number of areas passed with which a player is done.
    pub(super) fn last(&self) -> usize {
        self.areas.len()
    }

    /// True if a player who passed so many areas passes the next one in a cell.
    pub(super) fn passes(&self, passed: usize, (row, column): (usize, usize)) -> bool {
        let next = self.areas.get(passed);
        next.is_some_and(|area| area.contains(row, column))
    }

    /// The first column from which on all are alike to the areas.
    pub(super) fn settled(&self) -> usize {
        let settled = self.areas.iter().map(Area::settled_column);
        settled.max().unwrap_or(0)
    }
}

/// By the published rules for platformers.
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
