//! An island as an element program.

use figrs_core::{Element, Model, Uniform};
use figrs_infer::{Error, World};

use super::{Bays, Island, IslandMap, Terrain};
use crate::board::Elements;
use crate::grid::{Automaton, Connected, Constraint, Count, GridError, Size};

/// An island as elements: the terrain of its cells, and the evidence that they follow the rules.
#[derive(Clone, Debug)]
pub struct IslandElements {
    pub(super) elements: Elements<Terrain>,
    model: Model,
}

impl Island {
    /// The element program.
    ///
    /// **Errors.** [`GridError::TooLargeForAutomata`].
    #[track_caller]
    pub fn elements(&self) -> Result<IslandElements, GridError> {
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
        let elements = Elements::new(size, cells, model)?;
        let elements = elements.with_clues(self.clues.iter())?;
        Ok(IslandElements {
            model: elements.model(),
            elements,
        })
    }
}

impl IslandElements {
    /// The size of the grid.
    pub fn size(&self) -> Size {
        self.elements.size()
    }

    /// Terrain of each cell, in scan order.
    pub fn cells(&self) -> &[Element<Terrain>] {
        self.elements.cells()
    }

    /// The evidence that the island follows the rules and meets all demands and clues.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The island of a world.
    ///
    /// **Errors.** [`Error::NotInWorld`] if the world is one of another model.
    pub fn map(&self, world: &World) -> Result<IslandMap, Error> {
        let cells = world.values(self.cells())?;
        Ok(IslandMap::new(self.size().columns(), cells))
    }
}
