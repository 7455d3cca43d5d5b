//! Complete islands: land or water for each cell.

use super::Terrain;
use crate::grid::Board;

impl Board<Terrain> {
    /// Returns the number of cells of land.
    pub fn land(&self) -> usize {
        self.places_of(Terrain::Land).count()
    }

    /// Returns the number of bays: cells of water with land on exactly three sides.
    pub fn bays(&self) -> usize {
        let is_land = |&cell: &usize| self.cells()[cell] == Terrain::Land;
        let sides = |cell| self.size().beside(cell).filter(is_land).count();
        let bays = self.places_of(Terrain::Water);
        bays.filter(|&at| sides(self.size().index(at)) == 3).count()
    }
}
