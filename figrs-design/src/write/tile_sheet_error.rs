//! Errors of sheets of pictures of tiles.

use figrs_derive::ErrorDebug;

use super::TileSheet;

/// Reason why a file is not a sheet of pictures for the tiles of a set.
#[derive(thiserror::Error, ErrorDebug)]
#[non_exhaustive]
pub enum TileSheetError {
    /// The file is not a picture in PNG, or is damaged.
    #[error(
        "not a picture in PNG: {}; save the sheet of tiles as PNG",
        .0.to_string().trim_end_matches('.')
    )]
    NotPng(#[from] ::png::DecodingError),
    /// The picture has more pixels than fit into the memory of a small machine.
    #[error(
        "a sheet of {width} by {height} pixels is too large; use at most {} pixels",
        TileSheet::MAX_PIXELS
    )]
    TooLarge {
        /// Number of pixels in a row.
        width: usize,
        /// Number of rows of pixels.
        height: usize,
    },
    /// The side of a tile is out of range.
    #[error(
        "tiles of {side} by {side} pixels cannot be; give a side of 1 to {} pixels",
        TileSheet::MAX_SIDE
    )]
    Side {
        /// The given side.
        side: usize,
    },
    /// The picture does not consist of whole tiles.
    #[error(
        "a sheet of {width} by {height} pixels is not made of whole tiles of {side} by {side}; give the size of its tiles, or cut its edges off"
    )]
    Size {
        /// Number of pixels in a row.
        width: usize,
        /// Number of rows of pixels.
        height: usize,
        /// The side of a tile.
        side: usize,
    },
    /// The legend gives a tile a picture that is not on the sheet.
    #[error(
        "the tile {tile:?} has picture {number}, and the sheet has {pictures}, counted from 0; number the pictures in the legend, use a larger sheet, or give the size of its tiles"
    )]
    Beyond {
        /// Character of the tile.
        tile: String,
        /// Number of the tile's picture, from 0.
        number: usize,
        /// Number of pictures on the sheet.
        pictures: usize,
    },
}
