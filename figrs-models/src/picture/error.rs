//! Errors of pictures.

use super::canvas::MAX_PIXELS;
use figrs_derive::ErrorDebug;

/// Reason why a picture cannot be created.
#[derive(Clone, PartialEq, Eq, thiserror::Error, ErrorDebug)]
#[non_exhaustive]
pub enum ImageError {
    /// The picture has more pixels than the memory of a small machine allows.
    #[error(
        "a picture of {width} by {height} pixels is too large; use fewer or smaller boards, of at most {} pixels together",
        MAX_PIXELS
    )]
    TooLarge {
        /// Number of pixels in a row.
        width: usize,
        /// Number of rows of pixels.
        height: usize,
    },
    /// A page would have no pictures.
    #[error("a page of no pictures; give one or more")]
    NoPictures,
    /// The pictures of a page have different palettes.
    #[error(
        "picture {number} has other colours than the first one; put boards of one kind on a page"
    )]
    OtherColours {
        /// Number of the picture, from 1.
        number: usize,
    },
}
