//! Errors of legends.

use figrs_derive::ErrorDebug;

use super::tile_set::TileSet;

/// Reason why a text is not a legend of tiles.
#[derive(thiserror::Error, ErrorDebug)]
#[non_exhaustive]
pub enum LegendError {
    /// The text is not valid JSON, or not a legend.
    #[error(
        "not a legend: line {}, column {}: {}; write {{\"tiles\": {{\"#\": [\"solid\"], ..}}}}",
        .0.line(), .0.column(), figrs_reading::mistakes::in_json(.0)
    )]
    Json(#[from] serde_json::Error),
    /// The text is not valid TOML, or not a legend.
    #[error(
        "not a legend: {}{}; write lines as \"#\" = [\"solid\"] below [tiles]",
        figrs_reading::mistakes::place_in_toml(.0), figrs_reading::mistakes::in_toml(.0)
    )]
    Toml(#[from] Box<toml::de::Error>),
    /// The name of a tile is not a single character.
    #[error(
        "the tile {key:?} is not one character that can be seen, or a blank; name each tile by the one that levels have"
    )]
    Character {
        /// The name of the tile in the legend.
        key: String,
    },
    /// A set cannot have this number of tiles.
    #[error("a legend of {count} tiles; it needs 1 to {}", TileSet::MAX_TILES)]
    Count {
        /// Number of tiles in the legend.
        count: usize,
    },
}
