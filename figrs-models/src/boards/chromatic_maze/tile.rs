//! Tiles of a chromatic maze, and the relative form in which the evidence reads them.

use super::Hue;

/// A tile of a chromatic maze.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ChromaticTile {
    /// Colour of the tile.
    pub colour: Hue,
    /// Start or finish of the path; `None` for all other tiles.
    pub end: Option<Endpoint>,
}

/// An end of the path through the maze.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Endpoint {
    /// The start of the path.
    Start,
    /// The finish of the path.
    Finish,
}

/// A tile in relative form: the turn of the colour wheel from the tile before, and the mark of an end of the path; see
/// [`ChromaticElements::cells`](super::ChromaticElements::cells).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RelativeTile {
    /// For the first tile, the index of its colour on the wheel; for other tiles, the number of places on the wheel from the colour of the tile
    /// before to the colour of this tile.
    pub(super) turn: u8,
    /// The bit set of marks: 1 for the first end of the path in scan order, 2 for the second end, 0 for other tiles.
    pub(super) marks: u8,
    /// For the first tile, `true` if the start comes before the finish.
    pub(super) start_first: bool,
}
figrs_core::value!(RelativeTile);

impl RelativeTile {
    /// True if the tile is the start or the finish.
    pub fn is_end(&self) -> bool {
        self.marks != 0
    }

    pub(super) fn is_first_end(self) -> bool {
        self.marks == 1
    }
}
