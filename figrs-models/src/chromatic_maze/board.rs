//! A chromatic maze that is drawn.

use std::fmt;

use super::{ChromaticTile, Colour};
use crate::grid::{GridError, Position, Size};

/// A chromatic maze: the colours of its tiles, its start and its finish.
///
/// As text, a line for each row: the letters of the colours, each followed by `<` at the start and `>` at the finish.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ChromaticBoard {
    size: Size,
    colours: Vec<Colour>,
    start: usize,
    finish: usize,
}

impl ChromaticBoard {
    /// Colours of all tiles in scan order, and the places of start and finish in it.
    pub(crate) fn new(size: Size, colours: Vec<Colour>, start: usize, finish: usize) -> Self {
        Self {
            size,
            colours,
            start,
            finish,
        }
    }

    /// The maze of these values of [`ChromaticElements::tiles`](super::ChromaticElements::tiles).
    ///
    /// **Errors.** [`GridError::Length`]; [`GridError::Ends`] if not two tiles are ends of the way.
    pub fn from_tiles(size: Size, tiles: &[ChromaticTile]) -> Result<Self, GridError> {
        GridError::same_length("tiles", size, tiles.len())?;
        let turned = tiles.iter().scan(Colour::WHEEL[0], |colour, tile| {
            *colour = colour.turned(tile.turn);
            Some(*colour)
        });
        let ends: Vec<usize> = (0..tiles.len())
            .filter(|&tile| tiles[tile].is_end())
            .collect();
        let &[first, second] = ends.as_slice() else {
            return Err(GridError::Ends { found: ends.len() });
        };
        let (start, finish) = if tiles[0].start_first {
            (first, second)
        } else {
            (second, first)
        };
        Ok(Self::new(size, turned.collect(), start, finish))
    }

    /// The size of the grid.
    pub fn size(&self) -> Size {
        self.size
    }

    /// The colours of all tiles, in scan order.
    pub fn colours(&self) -> &[Colour] {
        &self.colours
    }

    /// The start.
    pub fn start(&self) -> Position {
        self.size.position(self.start)
    }

    /// The finish.
    pub fn finish(&self) -> Position {
        self.size.position(self.finish)
    }

    /// The tiles of a shortest way from start to finish, both included; `None` if there is none.
    pub fn solution(&self) -> Option<Vec<Position>> {
        let near = |a: usize, b: usize| self.colours[a].is_near(self.colours[b]);
        let way = self.size.shortest_way(self.start, self.finish, near)?;
        Some(
            way.into_iter()
                .map(|tile| self.size.position(tile))
                .collect(),
        )
    }
}

impl fmt::Display for ChromaticBoard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (tile, colour) in self.colours.iter().enumerate() {
            let mark = match tile {
                _ if tile == self.start => '<',
                _ if tile == self.finish => '>',
                _ => ' ',
            };
            write!(f, "{}{mark}", colour.symbol())?;
            if (tile + 1) % self.size.columns() == 0 {
                writeln!(f)?;
            }
        }
        Ok(())
    }
}
