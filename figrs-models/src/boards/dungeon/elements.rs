//! A dungeon as a probabilistic program.

use figrs_core::{Element, Model, Uniform};

use super::{Dungeon, DungeonTile};
use crate::board::BoardElements;
use crate::grid::{
    Automaton, ConnectedMarks, Constraint, Count, Distances, DistancesState, GridError, Ground,
    Position, Size,
};

/// Number of cells that the player's walk must visit: entrance, gem, altar and exit.
pub(super) const STOPS: usize = 4;

/// Returns a function that classifies a tile: a wall, an open cell, or a cell with marks. Each cell that the walk must visit has a bit of its own.
pub(super) fn ground(
    size: Size,
) -> impl Fn(Position, &DungeonTile) -> Ground + Clone + Send + Sync + 'static {
    move |at, tile| {
        let index = size.index(at);
        let marks = u8::from(index == 0)
            | u8::from(*tile == DungeonTile::Gem) << 1
            | u8::from(*tile == DungeonTile::Altar) << 2
            | u8::from(index + 1 == size.cells()) << 3;
        match (tile, marks) {
            (DungeonTile::Wall, _) => Ground::Wall,
            (_, 0) => Ground::Open,
            _ => Ground::Marked(marks),
        }
    }
}

impl Dungeon {
    /// Creates the probabilistic program of the dungeons.
    ///
    /// **Errors.** [`GridError::TooLarge`] if the grid is too large for automata.
    #[track_caller]
    pub fn elements(&self) -> Result<BoardElements<DungeonTile>, GridError> {
        let size = self.size();
        let tiles: Vec<Element<DungeonTile>> = size
            .positions()
            .map(|_| Uniform::new(DungeonTile::ALL))
            .collect();
        let ground = ground(size);
        let walls = self.walls.as_ref().map(|range| {
            let count = Count::within(range, size.cells());
            count.reading(|_, tile: &DungeonTile| *tile == DungeonTile::Wall)
        });
        if !self.needs_way() {
            let one = |wanted| {
                let count = Count::exactly(1);
                count.reading(move |_, tile: &DungeonTile| *tile == wanted)
            };
            let each = one(DungeonTile::Gem).and(one(DungeonTile::Altar));
            let model = rules(size, &tiles, each.and(walls))?;
            return BoardElements::new(size, tiles, model)?.with_clues(self.clues.iter());
        }
        let rules = if let Some(steps) = &self.walk {
            let walk = Distances::new(size, STOPS, steps.clone())?;
            rules(size, &tiles, walk.reading(ground).and(walls))?
        } else {
            let joined = ConnectedMarks::new(0b1111).reading(ground);
            rules(size, &tiles, joined.and(walls))?
        };
        // The rules imply these conditions on single cells, which exclude impossible worlds earlier than the rules do.
        let open = |tile: &DungeonTile| *tile != DungeonTile::Wall;
        let model = rules
            .condition(&tiles[0], open)
            .condition(&tiles[tiles.len() - 1], open);
        BoardElements::new(size, tiles, model)?.with_clues(self.clues.iter())
    }
}

fn rules(
    size: Size,
    tiles: &[Element<DungeonTile>],
    automaton: impl Automaton<DungeonTile>,
) -> Result<Model, GridError> {
    Ok(Constraint::new(size, tiles, automaton)?.model().clone())
}

impl BoardElements<DungeonTile> {
    /// Returns an element for the number of steps of the walk, and the evidence on which the element depends. A separate fold over the tiles, without
    /// bounds on the length, computes the number of steps.
    ///
    /// The number of steps is `None` if there is no walk. A query for this element needs the returned evidence, but not the evidence of
    /// [`Self::model`].
    ///
    /// **Errors.** [`GridError::TooLarge`] if the grid is too large for automata.
    #[track_caller]
    pub fn walk(&self) -> Result<(Element<Option<u32>>, Model), GridError> {
        let distances = Distances::new(self.size(), STOPS, 0..=u32::MAX)?;
        let ground = ground(self.size());
        let constraint: Constraint<DistancesState> =
            Constraint::new(self.size(), self.cells(), distances.reading(ground))?;
        let length = constraint
            .last()
            .map(move |state| distances.length(state.as_ref()?));
        Ok((length, constraint.model().clone()))
    }
}
