//! Tiles of a chromatic maze, and their relative form in the evidence.

use super::Hue;

/// A tile of a chromatic maze.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ChromaticTile {
    /// Its colour.
    pub colour: Hue,
    /// The end of the way that the tile is, if it is one.
    pub end: Option<Endpoint>,
}

/// An end of the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Endpoint {
    /// The start.
    Start,
    /// The finish.
    Finish,
}

/// A tile in relative terms: its turn of the wheel, and whether it is an end; see
/// [`ChromaticElements::cells`](super::ChromaticElements::cells).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RelativeTile {
    /// For the first tile the index of its colour on the wheel, for others the turn relative to the tile before.
    pub(super) turn: u8,
    /// 0 if the tile is no end of the way, 1 for the first end in scan order, 2 for the second.
    pub(super) marks: u8,
    /// For the first tile, `true` if the start comes before the finish.
    pub(super) start_first: bool,
}
figrs_core::value!(RelativeTile);

impl RelativeTile {
    /// True if it is the start or the finish.
    pub fn is_end(&self) -> bool {
        self.marks != 0
    }

    /// True if it is the first end of the way in scan order.
    pub(super) fn is_first_end(self) -> bool {
        self.marks == 1
    }
}
