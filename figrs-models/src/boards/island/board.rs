//! Boards that are islands, and their terrain (land or water).

use crate::grid::{Board, Symbol};

impl Board<Terrain> {
    /// Returns the number of cells of the island that are land.
    pub fn land(&self) -> usize {
        self.places_of(Terrain::Land).count()
    }

    /// Returns the number of bays of the island: cells of water with land on exactly three sides.
    pub fn bays(&self) -> usize {
        let is_land = |&cell: &usize| self.cells()[cell] == Terrain::Land;
        let sides = |cell| self.size().beside(cell).filter(is_land).count();
        let bays = self.places_of(Terrain::Water);
        bays.filter(|&at| sides(self.size().index(at)) == 3).count()
    }
}

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
