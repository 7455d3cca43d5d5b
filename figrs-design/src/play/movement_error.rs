//! Errors of movements.

use std::io;
use std::path::PathBuf;

use figrs_derive::ErrorDebug;

use super::movement::Movement;
use figrs_models::mdmc::{Meaning, Tile, TileSet};

/// Reason why a text is not a movement, or why a movement does not fit a set of tiles.
#[derive(thiserror::Error, ErrorDebug)]
#[non_exhaustive]
pub enum MovementError {
    /// No movement of this name is built in.
    #[error("no movement is called {name:?}; use {} or a file", Movement::NAMES.join(", "))]
    Name {
        /// The unknown name.
        name: String,
    },
    /// A file cannot be read.
    #[error("cannot read {path}: {cause}; check the path, or use one of {}", Movement::NAMES.join(", "))]
    Read {
        /// The path of the file.
        path: PathBuf,
        /// The error of the operating system.
        cause: io::Error,
    },
    /// The text is not valid JSON, or not a movement.
    #[error(
        "not a movement: line {}, column {}: {}{}; write {{\"jumps\": [[[0, -1], [1, -2]]], \"start\": \"ground\", ..}}",
        .cause.line(), .cause.column(), of_key(.key.as_deref()), figrs_reading::mistakes::in_json(.cause)
    )]
    Json {
        /// The field whose value is wrong; `None` if that is not known.
        key: Option<String>,
        /// The error of the JSON parser.
        #[source]
        cause: serde_json::Error,
    },
    /// The text is not valid TOML, or not a movement.
    #[error(
        "not a movement: {}{}{}; write lines such as jumps = [[[0, -1], [1, -2]]] and start = \"ground\"",
        figrs_reading::mistakes::place_in_toml(.cause), of_key(.key.as_deref()), figrs_reading::mistakes::in_toml(.cause)
    )]
    Toml {
        /// The field whose value is wrong; `None` if that is not known.
        key: Option<String>,
        /// The error of the TOML parser.
        #[source]
        cause: Box<toml::de::Error>,
    },
    /// The set has tiles of unknown meaning.
    #[error(
        "{movement} needs the meanings of the tiles {tiles}: give a legend with a line such as \"{}\" = [\"solid\"] or [\"passable\"] for each", 
        .tiles.chars().next().unwrap_or('#')
    )]
    Unknown {
        /// The name of the movement.
        movement: String,
        /// The characters of the tiles.
        tiles: String,
    },
    /// The tiles do not suggest a movement.
    #[error("these tiles suggest no movement; name one of {} or a file", Movement::NAMES.join(", "))]
    Undecided,
    /// The set has no tile that could be the start or the goal.
    #[error(
        "{movement} needs a tile of meaning {meanings} as {place}, and the set has none: give it in the legend, or another {place} in a file"
    )]
    NoTile {
        /// The name of the movement.
        movement: String,
        /// The meanings that the tile could have.
        meanings: String,
        /// `start` or `goal`.
        place: &'static str,
    },
    /// The start or goal cannot be determined while a level is drawn in its direction of travel.
    #[error("{movement}: {what} does not fit levels that are played {travel}; {remedy}")]
    Travel {
        /// The name of the movement.
        movement: String,
        /// Description of the start or goal.
        what: &'static str,
        /// The direction of travel.
        travel: &'static str,
        /// Description of a start or goal that is possible instead.
        remedy: &'static str,
    },
    /// The cells of the jumps lead to too many stages, that is, states of the automaton of moves.
    #[error(
        "{movement}: the moves have {stages} stages, and {most} are the most; use fewer or shorter jumps"
    )]
    Stages {
        /// The name of the movement.
        movement: String,
        /// Number of stages of the moves.
        stages: usize,
        /// The largest number of stages.
        most: usize,
    },
}

/// Describes the key of a wrong field, as a prefix of the error's description.
fn of_key(key: Option<&str>) -> String {
    key.map_or_else(String::new, |key| format!("{key}: "))
}

impl MovementError {
    /// Returns the error for tiles of unknown meaning, if the set has any.
    pub(super) fn of_unknown(movement: &str, tiles: &TileSet) -> Option<Self> {
        let unknown = tiles.tiles().filter(|tile| tile.is_unknown());
        let unknown: String = unknown.filter_map(Tile::symbol).collect();
        (!unknown.is_empty()).then(|| Self::Unknown {
            movement: movement.to_owned(),
            tiles: unknown,
        })
    }

    /// Returns the error for a set that has no tile of these meanings; `None` if the set has one.
    pub(super) fn of_missing(
        movement: &Movement,
        (place, meanings): (&'static str, &[Meaning]),
        tiles: &TileSet,
    ) -> Option<Self> {
        let has = |tile: Tile| meanings.iter().any(|&meaning| tile.is(meaning));
        let names: Vec<&str> = meanings.iter().map(|meaning| meaning.name()).collect();
        (!tiles.tiles().any(has)).then(|| Self::NoTile {
            movement: movement.name().to_owned(),
            meanings: names.join(" or "),
            place,
        })
    }
}
