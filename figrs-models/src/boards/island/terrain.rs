//! Land and water.

use crate::grid::Symbol;

/// Terrain of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Terrain {
    /// Water, written `.`.
    Water,
    /// Land, written `#`.
    Land,
}
figrs_core::value!(Terrain);

impl Symbol for Terrain {
    const FREE: char = '?';
    const WRITE: &'static str = "#, ., or ? for a cell without a clue";

    fn symbol(self) -> char {
        match self {
            Self::Water => '.',
            Self::Land => '#',
        }
    }

    fn from_symbol(symbol: char) -> Option<Self> {
        [Self::Water, Self::Land]
            .into_iter()
            .find(|terrain| terrain.symbol() == symbol)
    }
}
