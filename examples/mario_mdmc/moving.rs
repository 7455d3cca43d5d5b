//! Movements of a player on the command line: the rules by which levels are playable, and the rejection of levels by stricter rules.

use std::path::Path;

use figrs_command::{Failure, NoAnswer, stop, strict};
use figrs_design::{Movement, MovementError, MovementRules, Route};
use figrs_models::mdmc::{TileSet, Travel};

use crate::generator::Made;
use crate::options::Options;

/// Names of all options that need the rules of a player's movement.
pub(crate) const MOVING: &str = "--playable, --show-path, --strict, --stats, --report, or a file of --demands with playable or pass";

/// Returns the rules of movement that --movement names; without this option, the rules that the tiles suggest.
pub(crate) fn rules(
    options: &Options,
    tiles: &TileSet,
    travel: Travel,
) -> Result<MovementRules, Failure> {
    let movement = match options.movement.as_deref() {
        None => Movement::suggested(tiles, travel),
        Some(name) => match Movement::named(name) {
            // A name that looks like a path is reported as a missing file.
            Err(_) if Path::new(name).exists() || name.contains(['.', '/', '\\']) => {
                Movement::read(name)
            }
            named => named,
        },
    };
    let rules = movement.and_then(|movement| movement.rules(tiles, travel));
    rules.map_err(|error| message(&error))
}

/// Returns the message of an error in a movement, in the words of the command line.
fn message(error: &MovementError) -> Failure {
    let flag = match error {
        MovementError::Tiles { .. } => ": see --tiles FILE",
        MovementError::Invalid { .. } => ": see --movement NAME|FILE",
        _ => "",
    };
    format!("{error}{flag}").into()
}

/// Draws levels from further seeds until all paths in `routes` exist in them by the stricter rules of movement.
pub(crate) fn strictly(
    routes: &[Route],
    seed: u64,
    mut draw: impl FnMut(u64) -> Result<Vec<Made>, Failure>,
) -> Result<Vec<Made>, Failure> {
    let mut is_first = true;
    let levels = strict::strictly(
        routes,
        seed,
        |made: &Made| &made.level,
        |seed| {
            if !std::mem::take(&mut is_first) && stop::is_set() {
                return Err(stop::nothing(
                    "a level that is playable by the stricter rules",
                ));
            }
            draw(seed)
        },
    )?;
    let levels = levels.ok_or_else(|| {
        NoAnswer(format!(
            "--strict: none of {} draws of a level was playable by the stricter rules; demand --playable with --method conditioned, choose \
             another --movement, or leave --strict out",
            strict::MOST_DRAWN
        ))
    })?;
    let made = |(made, rejected)| Made {
        rejected: Some(rejected),
        ..made
    };
    Ok(levels.into_iter().map(made).collect())
}
