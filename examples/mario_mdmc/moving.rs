//! Movements of the command line: the rules by which levels are playable, and levels drawn until they are by stricter ones.

use std::path::Path;

use figrs::models::mdmc::{
    Movement, MovementError, MovementRules, Route, StrictPlayability, TileSet, Travel,
};
use figrs_command::{Failure, NoAnswer, stop};

use crate::generator::Made;
use crate::options::Options;

/// All that asks for the rules of a movement.
pub(crate) const MOVING: &str =
    "--playable, --show-path, --strict, or a file of --demands with playable or pass";

/// The rules of --movement, or those that the tiles suggest.
pub(crate) fn rules(
    options: &Options,
    tiles: &TileSet,
    travel: Travel,
) -> Result<MovementRules, Failure> {
    let movement = match options.movement.as_deref() {
        None => Movement::suggested(tiles, travel),
        Some(name) => match Movement::named(name) {
            Err(_) if Path::new(name).exists() => Movement::read(name),
            named => named,
        },
    };
    let rules = movement.and_then(|movement| movement.rules(tiles, travel));
    rules.map_err(|error| told(options, &error))
}

/// An error of a movement, in the words of the command line.
fn told(options: &Options, error: &MovementError) -> Failure {
    let of_file = match error {
        MovementError::Toml(_) | MovementError::Json(_) | MovementError::Stages { .. } => {
            options.movement.as_deref()
        }
        _ => None,
    };
    let place = of_file.map_or_else(String::new, |file| format!("{file}: "));
    let flag = match error {
        MovementError::Unknown { .. } => ": see --tiles FILE",
        MovementError::NoTile { .. } => ": see --tiles FILE and --movement FILE",
        MovementError::Undecided | MovementError::Name { .. } => ": see --movement NAME|FILE",
        _ => "",
    };
    format!("{place}{error}{flag}").into()
}

/// The most times that a level is drawn until it is playable by the stricter rules.
const MOST_DRAWN: u64 = 200;

/// Levels that have all of some ways by the stricter rules: each is the first of those drawn, one after another by numbers of draws, that is. Draws of the same
/// number are of the same levels.
pub(crate) fn strictly(
    routes: &[Route],
    mut draw: impl FnMut(u64) -> Result<Vec<Made>, Failure>,
) -> Result<Vec<Made>, Failure> {
    let is_playable = |made: &Made| {
        routes.iter().all(|route| {
            let level = route.rules().travel().upright(&made.level);
            StrictPlayability::along(&level, route).playable()
        })
    };
    let mut levels: Vec<Made> = draw(0)?;
    let mut failed: Vec<usize> = Vec::new();
    failed.extend((0..levels.len()).filter(|&place| !is_playable(&levels[place])));
    for number in 1..MOST_DRAWN {
        if failed.is_empty() {
            return Ok(levels);
        }
        if stop::is_set() {
            return Err(stop::nothing(
                "a level that is playable by the stricter rules",
            ));
        }
        let again = draw(number)?;
        for (place, made) in again.into_iter().enumerate() {
            if failed.contains(&place) {
                let rejected = levels[place].rejected.unwrap_or_default() + 1;
                levels[place] = Made {
                    rejected: Some(rejected),
                    ..made
                };
            }
        }
        failed.retain(|&place| !is_playable(&levels[place]));
    }
    if failed.is_empty() {
        return Ok(levels);
    }
    Err(NoAnswer(format!(
        "--strict: none of {MOST_DRAWN} draws of a level was playable by the stricter rules; demand --playable with --method conditioned, choose \
         another --movement, or leave --strict out"
    ))
    .into())
}
