//! A dungeon as an element program.

use figrs_core::{Element, Model, Uniform};
use figrs_infer::{Error, World};

use super::{Dungeon, DungeonMap, Tile};
use crate::board::Elements;
use crate::grid::{
    Automaton, Constraint, Count, Distances, DistancesState, GridError, Ground, Joined, Position,
    Size,
};

/// Number of stops of the walk: entrance, gem, altar and exit.
pub(super) const STOPS: usize = 4;

/// A dungeon as elements: its tiles, and the evidence that they follow the rules.
#[derive(Clone, Debug)]
pub struct DungeonElements {
    pub(super) elements: Elements<Tile>,
    model: Model,
}

/// Ground of a tile for the walk: wall, open, or marked with bits in the order of the stops.
fn ground(size: Size) -> impl Fn(Position, &Tile) -> Ground + Clone + Send + Sync + 'static {
    move |at, tile| {
        let index = size.index(at);
        let marks = u8::from(index == 0)
            | u8::from(*tile == Tile::Gem) << 1
            | u8::from(*tile == Tile::Altar) << 2
            | u8::from(index + 1 == size.cells()) << 3;
        match (tile, marks) {
            (Tile::Wall, _) => Ground::Wall,
            (_, 0) => Ground::Open,
            _ => Ground::Marked(marks),
        }
    }
}

impl Dungeon {
    /// The element program.
    ///
    /// **Errors.** [`GridError::TooLargeForAutomata`]; [`GridError::TooLargeForDistances`] if there are bounds on the walk.
    #[track_caller]
    pub fn elements(&self) -> Result<DungeonElements, GridError> {
        let size = self.size().for_automata()?;
        let tiles: Vec<Element<Tile>> = size.positions().map(|_| Uniform::new(Tile::ALL)).collect();
        let ground = ground(size);
        let walls = self.walls.as_ref().map(|range| {
            let count = Count::within(range, size.cells());
            count.reading(|_, tile: &Tile| *tile == Tile::Wall)
        });
        let rules = if let Some(steps) = &self.walk {
            let walk = Distances::new(size, STOPS, steps.clone())?;
            rules(size, &tiles, walk.reading(ground).and(walls))?
        } else {
            let joined = Joined::new(0b1111).reading(ground);
            rules(size, &tiles, joined.and(walls))?
        };
        // Known from the rules, and sooner.
        let open = |tile: &Tile| *tile != Tile::Wall;
        let model = rules
            .condition(&tiles[0], open)
            .condition(&tiles[tiles.len() - 1], open);
        let elements = Elements::new(size, tiles, model)?;
        let elements = elements.with_clues(self.clues.iter())?;
        Ok(DungeonElements {
            model: elements.model(),
            elements,
        })
    }
}

fn rules(
    size: Size,
    tiles: &[Element<Tile>],
    automaton: impl Automaton<Tile>,
) -> Result<Model, GridError> {
    Ok(Constraint::new(size, tiles, automaton)?.model().clone())
}

impl DungeonElements {
    /// The size of the grid.
    pub fn size(&self) -> Size {
        self.elements.size()
    }

    /// Tiles of all cells, in scan order.
    pub fn tiles(&self) -> &[Element<Tile>] {
        self.elements.cells()
    }

    /// The evidence that the dungeon follows the rules and meets all demands and clues.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Length of the walk in steps: a fold of its own over the tiles, for all lengths whatever the bounds.
    ///
    /// The element is `None` where there is no walk. With it as a target the evidence of [`Self::model`] is not needed.
    ///
    /// **Errors.** [`GridError::TooLargeForDistances`].
    #[track_caller]
    pub fn walk(&self) -> Result<(Element<Option<u32>>, Model), GridError> {
        let distances = Distances::new(self.size(), STOPS, 0..=u32::MAX)?;
        let ground = ground(self.size());
        let constraint: Constraint<DistancesState> =
            Constraint::new(self.size(), self.tiles(), distances.reading(ground))?;
        let length = constraint
            .last()
            .map(move |state| distances.length(state.as_ref()?));
        Ok((length, constraint.model().clone()))
    }

    /// The dungeon of a world.
    ///
    /// **Errors.** [`Error::NotInWorld`] if the world is one of another model.
    pub fn map(&self, world: &World) -> Result<DungeonMap, Error> {
        Ok(DungeonMap::new(self.size(), world.values(self.tiles())?))
    }
}
