//! The movement of a request.

use figrs_design::{Movement, MovementError, MovementRules};
use serde_json::Value as Json;

use super::request::LevelRequest;
use super::training::Trained;
use crate::problem::Problem;

/// The rules by which levels are playable: those of the movement that a request names or contains, or those of the one that the tiles suggest, as in the
/// command.
///
/// **Errors.** An invalid movement; tiles of unknown meaning, or that no movement suits.
pub(super) fn rules(request: &LevelRequest, trained: &Trained) -> Result<MovementRules, Problem> {
    let (tiles, travel) = (trained.chain.tile_set(), trained.chain.travel());
    let movement = match &request.movement {
        None => Movement::suggested(tiles, travel),
        Some(given) => movement(given),
    };
    let rules = movement.and_then(|movement| movement.rules(tiles, travel));
    rules.map_err(message)
}

/// A movement by its name, or in the form of a TOML or JSON file.
fn movement(given: &Json) -> Result<Movement, MovementError> {
    match given {
        Json::String(text) if text.trim_start().starts_with('{') => Movement::from_json(text),
        Json::String(text) if text.contains(['=', '\n']) => Movement::from_toml(text),
        Json::String(name) => Movement::named(name.trim()),
        other => Movement::from_json(&other.to_string()),
    }
}

/// An error of a movement, with the fields that correct it.
fn message(error: MovementError) -> Problem {
    Problem::wrong(match error {
        // Its place is the field.
        MovementError::File(error) => error.to_string(),
        MovementError::Tiles { .. } => format!("movement: {error}; see tiles"),
        other => format!("movement: {other}"),
    })
}
