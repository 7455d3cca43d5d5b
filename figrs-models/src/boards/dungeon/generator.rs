//! A generator of boards that are dungeons: as a probabilistic program, and as independent cells and rules for Markov chains.

use figrs_core::{Element, Model, Uniform};

use super::{Dungeon, DungeonTile};
use crate::board::{BoardElements, BoardError, Generator, RuledCells};
use crate::grid::{
    Automaton, Board, ConnectedMarks, Constraint, Count, CountRule, Distances, DistancesState,
    GridError, Ground, Position, Size, WayRule,
};

/// The relaxed generator draws dungeons without bounds on the length of the player's walk, and rejection tests the bounds.
impl Generator for Dungeon {
    type Cell = DungeonTile;
    type Board = Board<DungeonTile>;

    fn size(&self) -> Size {
        self.clues.size()
    }

    fn elements(&self) -> Result<BoardElements<DungeonTile>, BoardError> {
        Ok(Dungeon::elements(self)?)
    }

    fn board(&self, cells: Vec<DungeonTile>) -> Result<Board<DungeonTile>, BoardError> {
        Ok(Board::new(self.clues.size(), cells)?)
    }

    fn predicted_bytes(&self) -> Option<f64> {
        let (rows, columns) = (self.size().rows() as f64, self.size().columns() as f64);
        let bytes = match &self.walk {
            None if !self.needs_way() => 100.0 * rows * columns,
            None => 78.0 * rows * 3.5f64.powf(columns),
            Some(_) => 0.053 * rows.powf(5.5) * 9.3f64.powf(columns),
        };
        let counts = self.walls.as_ref().map_or(1.0, |walls| {
            (f64::from(*walls.end()).min(rows * columns / 2.0) / 2.0).max(1.0)
        });
        Some(bytes * counts)
    }

    fn ruled_cells(&self) -> Option<RuledCells<DungeonTile>> {
        Some(self.ruled())
    }

    fn relaxed(&self) -> Option<Self> {
        self.walk.as_ref()?;
        let walk = None;
        Some(Self {
            walk,
            ..self.clone()
        })
    }

    fn meets(&self, dungeon: &Board<DungeonTile>) -> bool {
        let steps = || Some(dungeon.walk()?.len() as u32 - 1);
        let walk = self.walk.as_ref();
        walk.is_none_or(|walk| steps().is_some_and(|steps| walk.contains(&steps)))
    }
}

/// Number of cells that the player's walk through a dungeon must visit: entrance, gem, altar and exit.
pub(super) const STOPS: usize = 4;

/// Returns a function that classifies a tile of a dungeon for walks: a wall, an open cell, or a cell with marks. Each cell that the player's walk
/// must visit is marked by a bit of its own.
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
    /// Returns an element for the number of steps of the player's walk, and the evidence on which the element depends. The number of steps of the
    /// walk is computed by a separate fold over the tiles, which has no bounds on the length.
    ///
    /// The number of steps is `None` if no walk leads from the entrance to the gem, the altar and the exit. A query for the number of steps of the
    /// walk needs the returned evidence, but not the evidence of [`Self::model`].
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

impl Dungeon {
    /// Returns the cells and rules of a dungeon as input of Markov chains.
    ///
    /// Without a lower bound on walls and without bounds on the walk, Markov chains reach every dungeon: remove all walls that are no clues, move the
    /// gem and the altar to their new cells, and add the walls of the new dungeon.
    pub(super) fn ruled(&self) -> RuledCells<DungeonTile> {
        let size = self.size();
        let clue = |at: usize| self.clues.get(size.position(at));
        let choices = |at: usize| match clue(at) {
            Some(tile) => vec![(tile, 1.0)],
            None => DungeonTile::ALL.map(|tile| (tile, 1.0)).to_vec(),
        };
        let one = |wanted| CountRule::new(1..=1, move |_, tile: &DungeonTile| *tile == wanted);
        let walls = self.walls.clone();
        let is_wall = |_: usize, tile: &DungeonTile| *tile == DungeonTile::Wall;
        let walls = walls.map(|range| CountRule::new(range, is_wall));
        let way = self.needs_way().then(|| {
            let ground = ground(size);
            let reads = move |at, tile: &DungeonTile| ground(size.position(at), tile);
            let way = WayRule::new(size, STOPS, reads);
            match &self.walk {
                Some(steps) => way.steps(steps.clone()),
                None => way,
            }
        });
        let mut ruled = RuledCells::new(size, choices)
            .clues(self.clues.iter().map(|(at, _)| at))
            .rule(one(DungeonTile::Gem))
            .rule(one(DungeonTile::Altar))
            .rule_if(walls)
            .rule_if(way);
        for start in self.starts() {
            ruled = ruled.start(start);
        }
        let least = self.walls.as_ref().map_or(0, |walls| *walls.start());
        if least == 0 && self.walk.is_none() {
            ruled = ruled.joined();
        }
        ruled
    }

    /// Returns two start boards, whose only walls are those that clues state; the gem and the altar are in the first two free cells or in the last
    /// two, unless clues state their cells.
    fn starts(&self) -> [Vec<DungeonTile>; 2] {
        let size = self.size();
        let empty = |at| self.clues.get(at).unwrap_or(DungeonTile::Empty);
        let empty: Vec<DungeonTile> = size.positions().map(empty).collect();
        let is_free = |&at: &usize| self.clues.get(size.position(at)).is_none();
        let free: Vec<usize> = (0..size.cells()).filter(is_free).collect();
        let with = |places: &mut dyn Iterator<Item = &usize>| {
            let mut cells = empty.clone();
            for tile in [DungeonTile::Gem, DungeonTile::Altar] {
                if !empty.contains(&tile)
                    && let Some(&at) = places.next()
                {
                    cells[at] = tile;
                }
            }
            cells
        };
        [with(&mut free.iter()), with(&mut free.iter().rev())]
    }
}
