//! Errors in movements (the rules of a player's moves in a game level).

use figrs_derive::ErrorDebug;
use figrs_reading::{FileError, Mistake, MistakeKind};

use super::movement::Movement;
use figrs_models::mdmc::{Meaning, Tile, TileSet};

/// Reason why a text does not define a movement (the rules of a player's moves), or why a movement does not suit a set of tiles.
#[derive(thiserror::Error, ErrorDebug)]
#[non_exhaustive]
pub enum MovementError {
    /// A file cannot be read, or a text does not define a movement.
    #[error(transparent)]
    File(#[from] FileError),
    /// The set of tiles does not suffice for the movement: meanings of tiles are unknown, or no tile can be the start or the goal.
    #[error("{problem}; {remedy}")]
    Tiles {
        /// The problem, as a statement that names the movement and the tiles.
        problem: String,
        /// The remedy, worded as a request to change the legend of the tiles.
        remedy: String,
    },
    /// The movement is unknown, is not suggested by the tiles, is impossible in the direction of travel, or is too complex.
    #[error("{problem}; {remedy}")]
    Invalid {
        /// The problem, as a statement that names the movement.
        problem: String,
        /// The remedy, worded as a request to the user.
        remedy: String,
    },
}

impl MovementError {
    pub(super) fn invalid(problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::Invalid {
            problem: problem.into(),
            remedy: remedy.into(),
        }
    }

    /// Converts the error to a mistake in the file that needs the movement (the rules of a player's moves).
    pub(crate) fn into_mistake(self) -> Mistake {
        match self {
            Self::File(error) => *error.mistake,
            Self::Tiles { problem, remedy } => Mistake::new(MistakeKind::Missing, problem, remedy),
            Self::Invalid { problem, remedy } => Mistake::new(MistakeKind::Value, problem, remedy),
        }
    }

    /// Returns the error that the meanings of some tiles of the set are unknown; `None` if all meanings are known.
    pub(super) fn of_unknown(movement: &str, tiles: &TileSet) -> Option<Self> {
        let unknown = tiles.tiles().filter(|tile| tile.is_unknown());
        let unknown: String = unknown.filter_map(Tile::symbol).collect();
        (!unknown.is_empty()).then(|| Self::Tiles {
            problem: format!("{movement} needs the meanings of the tiles {unknown}"),
            remedy: format!(
                "give a legend with a line such as \"{}\" = [\"solid\"] or [\"passable\"] for each",
                unknown.chars().next().unwrap_or('#')
            ),
        })
    }

    /// Returns the error that no tile of the set has one of the meanings `meanings`; `None` if such a tile exists.
    pub(super) fn of_missing(
        movement: &Movement,
        (place, meanings): (&'static str, &[Meaning]),
        tiles: &TileSet,
    ) -> Option<Self> {
        let has = |tile: Tile| meanings.iter().any(|&meaning| tile.is(meaning));
        let names: Vec<&str> = meanings.iter().map(|meaning| meaning.name()).collect();
        (!tiles.tiles().any(has)).then(|| Self::Tiles {
            problem: format!(
                "{} needs a tile of meaning {} as {place}, but no tile of the set has this meaning",
                movement.name(),
                names.join(" or ")
            ),
            remedy: format!("give it in the legend, or another {place} in the file of a movement"),
        })
    }
}
