//! An island as an element program.

use figrs_core::{Element, Uniform};

use super::{Bays, Island, Terrain};
use crate::board::Elements;
use crate::grid::{Automaton, Connected, Constraint, Count, GridError};

impl Island {
    /// The element program.
    ///
    /// **Errors.** [`GridError::TooLargeForAutomata`].
    #[track_caller]
    pub fn elements(&self) -> Result<Elements<Terrain>, GridError> {
        let size = self.size().for_automata()?;
        let cells: Vec<Element<Terrain>> = size
            .positions()
            .map(|_| Uniform::new([Terrain::Water, Terrain::Land]))
            .collect();
        let land = self.land.as_ref();
        let bays = self.bays.clone();
        let rules = Connected
            .and(land.map(|range| Count::within(range, size.cells())))
            .and(bays.map(|range| Bays::new(size, range)))
            .reading(|_, cell: &Terrain| *cell == Terrain::Land);
        let mut model = Constraint::new(size, &cells, rules)?.model().clone();
        for (at, cell) in size.positions().zip(&cells) {
            if size.is_border(at) {
                model = model.observe(cell, Terrain::Water);
            } else if at == self.centre {
                model = model.observe(cell, Terrain::Land);
            }
        }
        Elements::new(size, cells, model)?.with_clues(self.clues.iter())
    }
}
