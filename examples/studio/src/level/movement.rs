//! The rules of a player's movement in a request.

use figrs_design::{Movement, MovementError, MovementRules};
use serde_json::Value as Json;

use super::request::LevelRequest;
use super::training::Trained;
use crate::problem::Problem;

/// Returns the rules of the movement that a request names or contains; without a movement in the request, the rules that the tiles suggest.
///
/// **Errors.** The movement is invalid, a tile has no known meaning, or no movement fits the tiles.
pub(super) fn rules(request: &LevelRequest, trained: &Trained) -> Result<MovementRules, Problem> {
    let (tiles, travel) = (trained.chain.tile_set(), trained.chain.travel());
    let movement = match &request.texts.movement {
        None => Movement::suggested(tiles, travel),
        Some(given) => movement(given),
    };
    let rules = movement.and_then(|movement| movement.rules(tiles, travel));
    rules.map_err(message)
}

/// Returns a movement by its name, or reads it from text in TOML or JSON.
fn movement(given: &Json) -> Result<Movement, MovementError> {
    match given {
        Json::String(text) if text.trim_start().starts_with('{') => Movement::from_json(text),
        Json::String(text) if text.contains(['=', '\n']) => Movement::from_toml(text),
        Json::String(name) => Movement::named(name.trim()),
        other => Movement::from_json(&other.to_string()),
    }
}

/// Returns the message for an error in a movement, with the fields of the request that correct the error.
fn message(error: MovementError) -> Problem {
    Problem::wrong(match error {
        // Its place is the field.
        MovementError::File(error) => error.to_string(),
        MovementError::Tiles { .. } => format!("movement: {error}; see tiles"),
        other => format!("movement: {other}"),
    })
}
