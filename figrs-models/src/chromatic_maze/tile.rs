//! What one tile tells.

/// What one tile tells of a chromatic maze; see [`ChromaticElements::tiles`](super::ChromaticElements::tiles).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ChromaticTile {
    /// The place on the wheel of the first tile, and of others the turn against the tile before.
    pub(super) turn: u8,
    /// Zero of a tile that is no end of the way, one of the first end in scan order, and two of the second.
    pub(super) marks: u8,
    /// Of the first tile whether the start comes before the finish.
    pub(super) start_first: bool,
}
figrs_core::value!(ChromaticTile);

impl ChromaticTile {
    /// Whether it is the start or the finish.
    pub fn is_end(&self) -> bool {
        self.marks != 0
    }
}
