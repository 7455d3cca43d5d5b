//! Errors when boards are compared.

use figrs_derive::ErrorDebug;

/// Reason why two boards have no variation score.
#[derive(Clone, PartialEq, thiserror::Error, ErrorDebug)]
#[non_exhaustive]
pub enum VariationError {
    /// The boards are not square boards of one size, for which variation scores are published.
    #[error(
        "a variation score of a board of {} by {} and one of {} by {}; compare square boards of one size, 2 by 2 or larger",
        .sizes[0].0, .sizes[0].1, .sizes[1].0, .sizes[1].1
    )]
    NotComparable {
        /// Rows and columns of both boards.
        sizes: [(usize, usize); 2],
    },
    /// A board lacks a tile that the score needs, such as the gem or the altar of a dungeon.
    #[error(
        "a variation score of boards, one of which has no {missing}; compare boards that follow their rules"
    )]
    NoSuchTile {
        /// The missing tile.
        missing: &'static str,
    },
}
