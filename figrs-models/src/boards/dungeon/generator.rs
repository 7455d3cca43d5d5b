//! Dungeons as a generator of boards.

use super::{Dungeon, DungeonTile};
use crate::board::{BoardElements, BoardError, Generator, RuledCells};
use crate::grid::{Board, Size};

/// The relaxed generator draws dungeons without bounds on the walk, and rejection tests the bounds.
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
