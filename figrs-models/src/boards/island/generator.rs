//! A generator of boards that are islands: as a probabilistic program, and as independent cells and rules for Markov chains.

use std::collections::VecDeque;
use std::ops::RangeInclusive;

use figrs_core::{Element, Uniform};

use super::bays_rule::BaysRule;
use super::shore_moves::ShoreMoves;
use super::{Bays, Island, Terrain};
use crate::board::{BoardElements, BoardError, Generator, RuledCells};
use crate::grid::{
    Automaton, Board, Connected, ConnectedAround, ConnectedRule, Constraint, Count, CountRule,
    GridError, Size,
};

/// Markov chains draw islands of any size.
impl Generator for Island {
    type Cell = Terrain;
    type Board = Board<Terrain>;

    fn size(&self) -> Size {
        self.clues.size()
    }

    fn elements(&self) -> Result<BoardElements<Terrain>, BoardError> {
        Ok(Island::elements(self)?)
    }

    fn board(&self, cells: Vec<Terrain>) -> Result<Board<Terrain>, BoardError> {
        Ok(Board::new(self.size(), cells)?)
    }

    fn predicted_bytes(&self) -> Option<f64> {
        let (rows, columns) = (self.size().rows() as f64, self.size().columns() as f64);
        let land = self.land.as_ref().map_or(1.0, |_| rows * columns / 6.0);
        let bays = self
            .bays
            .as_ref()
            .map_or(1.0, |_| 0.5 * 1.62f64.powf(columns));
        let bytes = 1.8 * rows * 3.03f64.powf(columns) * land * bays;
        // The prediction for few cells of land was measured on boards of 100 by 100 cells with at most 4, 8 and 10 cells of land.
        let most = self.few().and(self.land.as_ref());
        let few = most.map(|land| {
            40.0 * rows * columns + 4740.0 * 2.55f64.powf(f64::from(*land.end())) * bays
        });
        Some(few.map_or(bytes, |few| few.min(bytes)))
    }

    fn ruled_cells(&self) -> Option<RuledCells<Terrain>> {
        Some(self.ruled())
    }
}

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

    /// Returns the constraint that the land is connected, in a form that is quick if there are few cells of land; `None` if the bounds allow too many
    /// cells of land.
    pub(super) fn few(&self) -> Option<ConnectedAround> {
        ConnectedAround::new(self.centre, self.land.as_ref()?)
    }
}

impl Island {
    /// Returns the cells and rules of an island as input of Markov chains.
    ///
    /// Markov chains reach every island if there are no clues and no bounds on bays, because any island can be changed into any other by steps of the
    /// chains. To change one island into another by steps of a Markov chain, let `T` be the largest connected land around the centre that both
    /// islands share. While `T` (the connected land that both islands share) is not all land of the second island, the second island has a land cell
    /// beside `T`, and this cell becomes land on the first island. If the first island then has too much land, one of its land cells outside of the
    /// shared land `T` that does not connect other land becomes water in exchange. If the amount of land is fixed, every step exchanges a land cell
    /// and a water cell. In the end, the land cells of the first island that lie outside of the shared land `T` become water.
    pub(super) fn ruled(&self) -> RuledCells<Terrain> {
        let size = self.size();
        let choices = |at: usize| {
            let values = self.values(at).into_iter();
            values.map(|value| (value, 1.0)).collect()
        };
        let is_land = |_: usize, cell: &Terrain| *cell == Terrain::Land;
        let land = self.land.clone();
        let bays = self.bays.clone();
        let mut ruled = RuledCells::new(size, choices)
            .clues(self.clues.iter().map(|(at, _)| at))
            .rule_if(land.map(|range| CountRule::new(range, is_land)))
            .rule_if(bays.map(|range| BaysRule::new(size, range)))
            .rule(ConnectedRule::new(size, is_land));
        let land = self.land.clone();
        let (least, most) = land.map_or((1, u32::MAX), RangeInclusive::into_inner);
        for land in [least, most] {
            ruled = ruled.start(self.around_the_centre(land));
        }
        let is_open = self.clues.is_empty() && self.bays.is_none();
        if is_open {
            ruled = ruled.joined();
        }
        match least.max(1) < most {
            true if is_open => ruled.without_exchanges(),
            true => ruled,
            false => ruled.moves(ShoreMoves::new(size)),
        }
    }

    /// Returns the possible values of the cell `at`: none if a clue contradicts the rule that the border is water or the rule that the centre is
    /// land.
    fn values(&self, at: usize) -> Vec<Terrain> {
        let at = self.size().position(at);
        let mut values = vec![Terrain::Water, Terrain::Land];
        values.retain(|&value| match value {
            Terrain::Water => at != self.centre,
            Terrain::Land => !self.size().is_border(at),
        });
        values.retain(|&value| self.clues.get(at).is_none_or(|clue| clue == value));
        values
    }

    /// Returns a board with `land` cells of land around the centre (fewer if there is no room), and with the cells that clues declare as land.
    fn around_the_centre(&self, land: u32) -> Vec<Terrain> {
        let size = self.size();
        let values: Vec<Vec<Terrain>> = (0..size.cells()).map(|at| self.values(at)).collect();
        let known = values.iter().map(|values| match values.as_slice() {
            [value] => *value,
            _ => Terrain::Water,
        });
        let mut cells: Vec<Terrain> = known.collect();
        let is_land = |cell: &&Terrain| **cell == Terrain::Land;
        let mut count = cells.iter().filter(is_land).count() as u32;
        let mut queue = VecDeque::from([size.index(self.centre)]);
        let mut is_seen = vec![false; cells.len()];
        while let Some(at) = queue.pop_front() {
            if !values[at].contains(&Terrain::Land) || std::mem::replace(&mut is_seen[at], true) {
                continue;
            }
            if cells[at] == Terrain::Water {
                if count >= land {
                    break;
                }
                cells[at] = Terrain::Land;
                count += 1;
            }
            queue.extend(size.beside(at));
        }
        cells
    }
}
