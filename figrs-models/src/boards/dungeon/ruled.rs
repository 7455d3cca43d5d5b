//! A dungeon as independent cells and rules, for Markov chains.

use super::elements::{STOPS, ground};
use super::{Dungeon, DungeonTile};
use crate::board::RuledCells;
use crate::grid::{CountRule, WayRule};

impl Dungeon {
    /// Returns the cells and rules of a dungeon.
    ///
    /// Without a lower bound on walls and without bounds on the walk, Markov chains reach every dungeon: to change one dungeon into another, remove
    /// all walls without a clue, move the gem and the altar to their new cells, and add the walls of the other dungeon.
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

    /// Returns two dungeons whose only walls are those of clues; the gem and the altar are in the first two free cells or in the last two, unless
    /// clues state their cells.
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
