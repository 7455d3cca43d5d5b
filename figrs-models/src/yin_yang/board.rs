//! A coloured board.

use std::fmt;

use super::{Clues, Colour};
use crate::grid::{GridError, Position, Size, Symbol};

/// A board with a colour in every cell; as text, `1` and `2` as in [`Clues`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Board {
    size: Size,
    colours: Vec<Colour>,
}

impl Board {
    /// Colours of all cells in scan order.
    pub(super) fn new(size: Size, colours: Vec<Colour>) -> Self {
        Self { size, colours }
    }

    /// Colours of all cells in scan order, whether or not they follow the rules.
    ///
    /// **Errors.** [`GridError::Length`].
    pub fn from_colours(size: Size, colours: Vec<Colour>) -> Result<Self, GridError> {
        GridError::same_length("colours", size, colours.len())?;
        Ok(Self::new(size, colours))
    }

    /// The size of the grid.
    pub fn size(&self) -> Size {
        self.size
    }

    /// The colours of all cells, in scan order.
    pub fn colours(&self) -> &[Colour] {
        &self.colours
    }

    /// The colours of all cells with their places.
    pub fn iter(&self) -> impl Iterator<Item = (Position, Colour)> + '_ {
        self.size.positions().zip(self.colours.iter().copied())
    }

    /// True if it has the colours of some clues, on a grid of the same size.
    pub fn meets(&self, clues: &Clues) -> bool {
        clues.size() == self.size
            && clues
                .iter()
                .all(|(at, colour)| self.colours[self.size.index(at)] == colour)
    }
}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in self.colours.chunks(self.size.columns()) {
            for colour in row {
                write!(f, "{}", colour.symbol())?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
