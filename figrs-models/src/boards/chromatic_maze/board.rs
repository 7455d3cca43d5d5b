//! Complete chromatic mazes: a tile in each cell.

use std::fmt;

use super::{ChromaticTile, Endpoint};
use crate::grid::{Board, Position};

impl Board<ChromaticTile> {
    /// Returns the position of the start; `None` if no tile is the start.
    pub fn start(&self) -> Option<Position> {
        self.place_of(Endpoint::Start)
    }

    /// Returns the position of the finish; `None` if no tile is the finish.
    pub fn finish(&self) -> Option<Position> {
        self.place_of(Endpoint::Finish)
    }

    fn place_of(&self, end: Endpoint) -> Option<Position> {
        let mut tiles = self.iter();
        tiles.find_map(|(at, tile)| (tile.end == Some(end)).then_some(at))
    }

    /// Returns the positions of the tiles on a shortest path from start to finish, including both; `None` if there is no path.
    pub fn solution(&self) -> Option<Vec<Position>> {
        let (size, tiles) = (self.size(), self.cells());
        let near = |a: usize, b: usize| tiles[a].colour.is_near(tiles[b].colour);
        let (start, finish) = (size.index(self.start()?), size.index(self.finish()?));
        let way = size.shortest_way(start, finish, near)?;
        Some(way.into_iter().map(|tile| size.position(tile)).collect())
    }
}

/// Writes a line for each row: the letters of the colours, followed by `<` at the start and by `>` at the finish.
impl fmt::Display for Board<ChromaticTile> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in self.cells().chunks(self.size().columns()) {
            for tile in row {
                let mark = match tile.end {
                    Some(Endpoint::Start) => '<',
                    Some(Endpoint::Finish) => '>',
                    None => ' ',
                };
                write!(f, "{}{mark}", tile.colour.symbol())?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
