//! Demands on levels.

use std::fmt;

use super::super::{MovementRules, Tile};
use super::mask::Mask;
use crate::shares::whole_numbers;

/// A demand on a level. Demands are evidence: levels are drawn given all of them.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Demand {
    /// No cell has a configuration that training never showed.
    Seen,
    /// The cells that are set in a mask of the level's size have their tiles, as evidence: levels are those of the trained
    /// chain with these tiles, and there are none where it never draws them.
    Pinned(Mask),
    /// The cells that are set in a mask of the level's size are given their tiles by intervention, whatever the trained
    /// chain would do there: the tiles before them are drawn as if nothing were known of them, and configurations with one
    /// of them need not have been seen.
    Placed(Mask),
    /// No more columns than this lie side by side without ground in the bottom row.
    MaximumGap(usize),
    /// There are from `least` to `most` tiles of a kind.
    Count {
        /// The kind of tile.
        tile: Tile,
        /// At least this many.
        least: usize,
        /// At most this many.
        most: usize,
    },
    /// A pattern occurs nowhere: no place where all its tiles that are set match.
    Forbidden(Mask),
    /// A player can get from the left to the right, under the published rules of [`Playability`](super::super::Playability).
    Playable,
    /// The level is playable under the rules of a movement, for the chain's set of tiles and its direction of travel.
    PlayableUnder(MovementRules),
}

impl Demand {
    /// From `low` to `high`, shares of all cells, are tiles of a kind, for levels of some size.
    pub fn density(tile: Tile, low: f64, high: f64, cells: usize) -> Self {
        let (least, most) = whole_numbers(low, high, cells);
        Self::Count { tile, least, most }
    }

    /// The rules by which levels are to be playable, if that is demanded.
    pub(super) fn movement(&self) -> Option<&MovementRules> {
        match self {
            Self::Playable => Some(MovementRules::platformer()),
            Self::PlayableUnder(rules) => Some(rules),
            _ => None,
        }
    }
}

impl fmt::Display for Demand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Seen => f.write_str("no unseen configuration"),
            Self::Pinned(mask) | Self::Placed(mask) => {
                let how = if matches!(self, Self::Pinned(_)) {
                    "pinned"
                } else {
                    "placed"
                };
                let columns = || mask.tiles().map(|(_, column, _)| column);
                match (columns().min(), columns().max()) {
                    (Some(first), Some(last)) => {
                        let tiles = columns().count();
                        write!(f, "{tiles} {how} tiles in columns {first} to {last}")
                    }
                    _ => write!(f, "no {how} tiles"),
                }
            }
            Self::MaximumGap(most) => write!(f, "no ground gap over {most} columns"),
            Self::Count { tile, least, most } => {
                write!(f, "{least} to {most} of {tile}")
            }
            Self::Forbidden(pattern) => {
                let (height, width) = (pattern.height(), pattern.width());
                write!(f, "a forbidden pattern of {height} by {width}")
            }
            Self::Playable => f.write_str("playable from left to right"),
            Self::PlayableUnder(rules) => write!(f, "playable by {}", rules.movement()),
        }
    }
}
