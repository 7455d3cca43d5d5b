//! Clues of chromatic mazes.

use super::{Endpoint, Hue};
use crate::grid::{Clues, Symbol};

/// A clue to a tile of a chromatic maze.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChromaticClue {
    /// The tile has a colour, written as the first letter of the colour's name.
    Colour(Hue),
    /// The tile is the start of the path, written `<`, or its finish, written `>`.
    End(Endpoint),
}

/// Clues to some tiles. In the text of clues, the letter of a colour, `<` and `>` are clues, and `.` stands for a tile without a clue.
pub type ChromaticClues = Clues<ChromaticClue>;

impl ChromaticClue {
    pub(super) fn hue(self) -> Option<Hue> {
        match self {
            Self::Colour(hue) => Some(hue),
            Self::End(_) => None,
        }
    }

    pub(super) fn end(self) -> Option<Endpoint> {
        match self {
            Self::Colour(_) => None,
            Self::End(end) => Some(end),
        }
    }
}

impl Symbol for ChromaticClue {
    const FREE: char = '.';
    const WRITE: &'static str = "R, Y, G, C, B or M for a colour, < for the start, > for the finish, or . for a tile without a clue";

    fn symbol(self) -> char {
        match self {
            Self::Colour(hue) => hue.symbol(),
            Self::End(Endpoint::Start) => '<',
            Self::End(Endpoint::Finish) => '>',
        }
    }

    fn from_symbol(symbol: char) -> Option<Self> {
        let colours = Hue::WHEEL.into_iter().map(Self::Colour);
        let ends = [Endpoint::Start, Endpoint::Finish].map(Self::End);
        let mut all = colours.chain(ends);
        all.find(|clue| clue.symbol() == symbol)
    }
}
