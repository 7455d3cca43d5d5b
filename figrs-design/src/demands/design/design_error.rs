//! Errors of design files.

use figrs_derive::ErrorDebug;

use crate::{DemandError, MovementError};

/// Reason why a text is not a design file, or why one of its demands cannot be stated.
#[derive(thiserror::Error, ErrorDebug)]
#[non_exhaustive]
pub enum DesignError {
    /// The text is not valid TOML, or not a design file.
    #[error(
        "not a file of demands: {}{}; write [legend], [patterns] and [[demand]]",
        figrs_reading::mistakes::place_in_toml(.0), figrs_reading::mistakes::in_toml(.0)
    )]
    Toml(#[from] Box<toml::de::Error>),
    /// The text is not valid JSON, or not a design file.
    #[error(
        "not a file of demands: line {}, column {}: {}; write {{\"demand\": [{{\"forbid\": ..}}, ..]}}",
        .0.line(), .0.column(), figrs_reading::mistakes::in_json(.0)
    )]
    Json(#[from] serde_json::Error),
    /// A name in the legend is longer than one character, or is already a tile.
    #[error(
        "[legend]: {key:?} {why}; name each class by one character that is no tile, as \"#\" = \"solid\""
    )]
    LegendKey {
        /// The name in the legend.
        key: String,
        /// Reason for the error.
        why: &'static str,
    },
    /// A word is neither a tile nor a class of tiles.
    #[error(
        "{place}: {word:?} is no tile and no class; write one of {known}, with \"not\" before it for all others"
    )]
    Class {
        /// Place of the word in the file.
        place: String,
        /// The unknown word.
        word: String,
        /// List of the known tiles and words.
        known: String,
    },
    /// A pattern is not valid.
    #[error("{place}: {error}")]
    Pattern {
        /// Place of the pattern in the file.
        place: String,
        /// Reason for the error.
        error: DemandError,
    },
    /// A demand has no kind.
    #[error("{place}: {keys} say not what is demanded; write one of {kinds}")]
    NoKind {
        /// Place of the demand in the file.
        place: String,
        /// Keys of the demand.
        keys: String,
        /// List of all kinds.
        kinds: String,
    },
    /// A demand has two kinds.
    #[error("{place}: {one} and {other} are two demands; write another [[demand]] for one of them")]
    TwoKinds {
        /// Place of the demand in the file.
        place: String,
        /// The first kind.
        one: &'static str,
        /// The second kind.
        other: &'static str,
    },
    /// A demand on boards is of a kind, or has a key, that only demands on levels have.
    #[error(
        "{place}: {key} is for levels alone; of boards demand forbid, require, count, each, between, mirror, repeat, pin, path, any, not or if"
    )]
    OfLevels {
        /// Place of the demand in the file.
        place: String,
        /// The kind or the key.
        key: &'static str,
    },
    /// A demand has a key that its kind does not take.
    #[error("{place}: {key:?} does not belong to {kind}; it takes {known}")]
    Key {
        /// Place of the demand in the file.
        place: String,
        /// The wrong key.
        key: String,
        /// Kind of the demand.
        kind: &'static str,
        /// List of the keys that the kind takes.
        known: String,
    },
    /// A key has no effect because of another key of the demand.
    #[error(
        "{place}: {key} says nothing beside {kind}; leave one of them out, or write another [[demand]]"
    )]
    Idle {
        /// Place of the demand in the file.
        place: String,
        /// The key without effect.
        key: &'static str,
        /// The other key.
        kind: &'static str,
    },
    /// A demand lacks a key that its kind needs.
    #[error("{place}: {kind} needs {key}")]
    Missing {
        /// Place of the demand in the file.
        place: String,
        /// Kind of the demand.
        kind: &'static str,
        /// The missing key or keys.
        key: &'static str,
    },
    /// The value of a key is not valid.
    #[error("{place}: {key} = {value} cannot be read; write {expected}")]
    Value {
        /// Place of the demand in the file.
        place: String,
        /// The key of the value.
        key: String,
        /// The invalid value.
        value: String,
        /// Description of a valid value.
        expected: &'static str,
    },
    /// A demand refers to no training level, or to more than one.
    #[error("{place}: {}", one_level(.level, .known, *.matching))]
    Level {
        /// Place of the demand in the file.
        place: String,
        /// The name or pattern that should match one training level.
        level: String,
        /// Names of the levels that match; if none does, the names of all training levels.
        known: String,
        /// Number of levels that match.
        matching: usize,
    },
    /// The movement rules for playable levels cannot be made.
    #[error("{place}: {error}")]
    Movement {
        /// Place of the demand in the file.
        place: String,
        /// Reason for the error.
        error: MovementError,
    },
    /// A demand does not fit the level.
    #[error("{place}: {error}")]
    Demand {
        /// Place of the demand in the file.
        place: String,
        /// Reason for the error.
        error: DemandError,
    },
}

fn one_level(level: &str, known: &str, matching: usize) -> String {
    match matching {
        0 if known.is_empty() => format!(
            "no training level matches {level:?}; training levels are not at hand: draw the tiles instead"
        ),
        0 => format!("no training level matches {level:?}; there are {known}"),
        _ => format!("{matching} training levels match {level:?}: {known}; name one of them"),
    }
}
