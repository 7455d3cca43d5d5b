//! Errors of files of demands.

use figrs_derive::ErrorDebug;

use crate::{DemandError, MovementError};

/// Reason why a text is no file of demands, or why a demand in it cannot be stated.
#[derive(thiserror::Error, ErrorDebug)]
#[non_exhaustive]
pub enum DesignError {
    /// The text is not TOML, or TOML of something else.
    #[error(
        "not a file of demands: {}{}; write [legend], [patterns] and [[demand]]",
        figrs_reading::mistakes::place_in_toml(.0), figrs_reading::mistakes::in_toml(.0)
    )]
    Toml(#[from] Box<toml::de::Error>),
    /// The text is not JSON, or JSON of something else.
    #[error(
        "not a file of demands: line {}, column {}: {}; write {{\"demand\": [{{\"forbid\": ..}}, ..]}}",
        .0.line(), .0.column(), figrs_reading::mistakes::in_json(.0)
    )]
    Json(#[from] serde_json::Error),
    /// A name in the legend that is not one character, or that is a tile.
    #[error(
        "[legend]: {key:?} {why}; name each class by one character that is no tile, as \"#\" = \"solid\""
    )]
    LegendKey {
        /// The name.
        key: String,
        /// The reason.
        why: &'static str,
    },
    /// A word that names no class of tiles.
    #[error(
        "{place}: {word:?} is no tile and no class; write one of {known}, with \"not\" before it for all others"
    )]
    Class {
        /// Its place in the file.
        place: String,
        /// The word.
        word: String,
        /// The tiles and words that are known.
        known: String,
    },
    /// A pattern that cannot be read.
    #[error("{place}: {error}")]
    Pattern {
        /// Its place in the file.
        place: String,
        /// The reason.
        error: DemandError,
    },
    /// A demand without a kind.
    #[error("{place}: {keys} say not what is demanded; write one of {kinds}")]
    NoKind {
        /// The demand.
        place: String,
        /// Its keys.
        keys: String,
        /// All kinds.
        kinds: String,
    },
    /// A demand of two kinds.
    #[error("{place}: {one} and {other} are two demands; write another [[demand]] for one of them")]
    TwoKinds {
        /// The demand.
        place: String,
        /// One kind.
        one: &'static str,
        /// The other.
        other: &'static str,
    },
    /// A key that this kind of demand does not take.
    #[error("{place}: {key:?} does not belong to {kind}; it takes {known}")]
    Key {
        /// The demand.
        place: String,
        /// The key.
        key: String,
        /// The kind.
        kind: &'static str,
        /// The keys that it takes.
        known: String,
    },
    /// A key that has no effect beside another.
    #[error(
        "{place}: {key} says nothing beside {kind}; leave one of them out, or write another [[demand]]"
    )]
    Idle {
        /// The demand.
        place: String,
        /// The key.
        key: &'static str,
        /// The other key.
        kind: &'static str,
    },
    /// A key is missing.
    #[error("{place}: {kind} needs {key}")]
    Missing {
        /// The demand.
        place: String,
        /// The kind.
        kind: &'static str,
        /// The key or keys.
        key: &'static str,
    },
    /// A value that cannot be read.
    #[error("{place}: {key} = {value} cannot be read; write {expected}")]
    Value {
        /// The demand.
        place: String,
        /// The key.
        key: String,
        /// The value.
        value: String,
        /// The form.
        expected: &'static str,
    },
    /// No training level matches, or more than one does.
    #[error("{place}: {}", one_level(.level, .known, *.matching))]
    Level {
        /// The demand.
        place: String,
        /// The name or pattern.
        level: String,
        /// The names of the levels that match it; if none does, those of all training levels, if there are any.
        known: String,
        /// Number of levels that match it.
        matching: usize,
    },
    /// The movement rules for playable levels cannot be made.
    #[error("{place}: {error}")]
    Movement {
        /// The demand.
        place: String,
        /// The reason.
        error: MovementError,
    },
    /// A demand does not fit the level.
    #[error("{place}: {error}")]
    Demand {
        /// The demand.
        place: String,
        /// The reason.
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
