//! The colours of Yin-Yang.

use crate::grid::Symbol;

/// A colour of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Colour {
    /// Black, written `1`.
    Black,
    /// White, written `2`.
    White,
}
figrs_core::value!(Colour);

impl Colour {
    /// Returns the other of the two colours of the puzzle Yin-Yang.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }
}

impl Symbol for Colour {
    const FREE: char = '.';
    const WRITE: &'static str = "1, 2, or . for a cell without a clue";

    fn symbol(self) -> char {
        match self {
            Self::Black => '1',
            Self::White => '2',
        }
    }

    fn from_symbol(symbol: char) -> Option<Self> {
        [Self::Black, Self::White]
            .into_iter()
            .find(|colour| colour.symbol() == symbol)
    }
}
