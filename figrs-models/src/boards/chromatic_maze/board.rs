//! Boards of chromatic mazes (grids of coloured tiles), with their tiles, colours and clues.

use std::fmt;

use crate::grid::{Board, Clues, Position, Symbol};

impl Board<ChromaticTile> {
    /// Returns the position of the path's start; `None` if no tile is the start.
    pub fn start(&self) -> Option<Position> {
        self.place_of(Endpoint::Start)
    }

    /// Returns the position of the path's finish; `None` if no tile is the finish.
    pub fn finish(&self) -> Option<Position> {
        self.place_of(Endpoint::Finish)
    }

    fn place_of(&self, end: Endpoint) -> Option<Position> {
        let mut tiles = self.iter();
        tiles.find_map(|(at, tile)| (tile.end == Some(end)).then_some(at))
    }

    /// Returns the positions of the tiles on a shortest path from start to finish, with start and finish; `None` if there is no path.
    pub fn solution(&self) -> Option<Vec<Position>> {
        let (size, tiles) = (self.size(), self.cells());
        let near = |a: usize, b: usize| tiles[a].colour.is_near(tiles[b].colour);
        let (start, finish) = (size.index(self.start()?), size.index(self.finish()?));
        let way = size.shortest_way(start, finish, near)?;
        Some(way.into_iter().map(|tile| size.position(tile)).collect())
    }
}

/// Writes a line for each row of the maze: the letters of the colours, followed by `<` at the start and by `>` at the finish.
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

/// A clue to a tile of a chromatic maze.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChromaticClue {
    /// The tile has a colour, written as the first letter of the colour's name.
    Colour(Hue),
    /// The tile is the start of the path, written `<`, or its finish, written `>`.
    End(Endpoint),
}

/// Clues to some tiles. In the text of clues to a maze, the letter of a colour, `<` and `>` are clues, and `.` stands for a tile without a clue.
pub type ChromaticClues = Clues<ChromaticClue>;

impl ChromaticClue {
    pub(super) fn hue(self) -> Option<Hue> {
        match self {
            Self::Colour(hue) => Some(hue),
            Self::End(_) => None,
        }
    }

    pub(super) fn end(self) -> Option<Endpoint> {
        match self {
            Self::Colour(_) => None,
            Self::End(end) => Some(end),
        }
    }
}

impl Symbol for ChromaticClue {
    const FREE: char = '.';
    const WRITE: &'static str = "R, Y, G, C, B or M for a colour, < for the start, > for the finish, or . for a tile without a clue";

    fn symbol(self) -> char {
        match self {
            Self::Colour(hue) => hue.symbol(),
            Self::End(Endpoint::Start) => '<',
            Self::End(Endpoint::Finish) => '>',
        }
    }

    fn from_symbol(symbol: char) -> Option<Self> {
        let colours = Hue::WHEEL.into_iter().map(Self::Colour);
        let ends = [Endpoint::Start, Endpoint::Finish].map(Self::End);
        let mut all = colours.chain(ends);
        all.find(|clue| clue.symbol() == symbol)
    }
}

/// A colour of a tile, one of six colours on a wheel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hue {
    /// Red, between yellow and magenta on the wheel.
    Red,
    /// Yellow, between red and green on the wheel.
    Yellow,
    /// Green, between yellow and cyan on the wheel.
    Green,
    /// Cyan, between green and blue on the wheel.
    Cyan,
    /// Blue, between cyan and magenta on the wheel.
    Blue,
    /// Magenta, between blue and red on the wheel.
    Magenta,
}
figrs_core::value!(Hue);

impl Hue {
    /// All colours of tiles, in the order of the colour wheel.
    pub const WHEEL: [Self; 6] = [
        Self::Red,
        Self::Yellow,
        Self::Green,
        Self::Cyan,
        Self::Blue,
        Self::Magenta,
    ];

    pub(super) fn turned(self, places: u8) -> Self {
        Self::WHEEL[(self as usize + usize::from(places)) % Self::WHEEL.len()]
    }

    /// True if a player can step between tiles of the two colours, because the colours are equal or neighbours on the wheel.
    pub fn is_near(self, other: Self) -> bool {
        let apart = (self as u8).abs_diff(other as u8);
        apart <= 1 || apart == 5
    }

    /// Returns the first letter of the colour's name.
    pub fn symbol(self) -> char {
        match self {
            Self::Red => 'R',
            Self::Yellow => 'Y',
            Self::Green => 'G',
            Self::Cyan => 'C',
            Self::Blue => 'B',
            Self::Magenta => 'M',
        }
    }
}

/// A tile of a chromatic maze.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ChromaticTile {
    /// Colour of the tile.
    pub colour: Hue,
    /// Tells whether the tile is the start or the finish of the path; `None` for all other tiles.
    pub end: Option<Endpoint>,
}

/// One of the two ends of the path through the maze: its start or its finish.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Endpoint {
    /// The start of the path.
    Start,
    /// The finish of the path.
    Finish,
}

/// A tile in relative form: the turn of the colour wheel from the tile before, and a mark if the tile is an end of the path; see
/// [`ChromaticElements::cells`](super::ChromaticElements::cells).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RelativeTile {
    /// For the first tile, the index of its colour on the wheel; for each other tile, the number of places on the wheel from the colour of the tile
    /// before to its own colour.
    pub(super) turn: u8,
    /// The bit set of marks of a tile: 1 for the first end of the path in scan order, 2 for the second end, 0 for tiles that are no end.
    pub(super) marks: u8,
    /// For the first tile, `true` if the path's start comes before its finish in scan order; without meaning for other tiles.
    pub(super) start_first: bool,
}
figrs_core::value!(RelativeTile);

impl RelativeTile {
    /// True if the tile is the start or the finish of the path.
    pub fn is_end(&self) -> bool {
        self.marks != 0
    }

    pub(super) fn is_first_end(self) -> bool {
        self.marks == 1
    }
}
