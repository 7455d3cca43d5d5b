//! An island as a probabilistic program.

use figrs_core::{Element, Uniform};

use super::{Bays, Island, Terrain};
use crate::board::BoardElements;
use crate::grid::{Automaton, Connected, ConnectedAround, Constraint, Count, GridError};

impl Island {
    /// Creates the probabilistic program of the islands.
    ///
    /// **Errors.** [`GridError::TooLarge`] if the grid is too large for automata.
    #[track_caller]
    pub fn elements(&self) -> Result<BoardElements<Terrain>, GridError> {
        let size = self.size();
        let cells: Vec<Element<Terrain>> = size
            .positions()
            .map(|_| Uniform::new([Terrain::Water, Terrain::Land]))
            .collect();
        let is_land = |_, cell: &Terrain| *cell == Terrain::Land;
        let bays = self.bays.clone();
        let bays = bays.map(|range| Bays::new(size, range));
        let mut model = if let Some(few) = self.few() {
            let rules = few.and(bays).reading(is_land);
            Constraint::new(size, &cells, rules)?.model().clone()
        } else {
            let land = self.land.as_ref();
            let land = land.map(|range| Count::within(range, size.cells()));
            let rules = Connected.and(land).and(bays).reading(is_land);
            Constraint::new(size, &cells, rules)?.model().clone()
        };
        for (at, cell) in size.positions().zip(&cells) {
            if size.is_border(at) {
                model = model.observe(cell, Terrain::Water);
            } else if at == self.centre {
                model = model.observe(cell, Terrain::Land);
            }
        }
        BoardElements::new(size, cells, model)?.with_clues(self.clues.iter())
    }

    /// Returns the constraint that the land is connected, in a form that is quick for few cells of land; `None` if the bounds allow too many cells of
    /// land.
    pub(super) fn few(&self) -> Option<ConnectedAround> {
        ConnectedAround::new(self.centre, self.land.as_ref()?)
    }
}
