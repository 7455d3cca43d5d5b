//! A chromatic maze as a probabilistic program.

use figrs_core::{Constant, Element, Flip, Model, Parents, Uniform, fold, tuple};
use figrs_infer::World;

use super::automaton::Chromatic;
use super::generator::absolute;
use super::{ChromaticClue, ChromaticMaze, ChromaticTile, Endpoint, Hue, RelativeTile};
use crate::board::BoardError;
use crate::grid::{
    Automaton, Board, ConnectedMarks, Constraint, Distances, GridError, Position, Size,
};

/// The probabilistic program of a chromatic maze: the tiles, the start and the finish, with the evidence that the maze has a solution.
///
/// The first tile of a chromatic maze has any colour; each later tile, in scan order, has the colour of the tile before it, turned by a random number
/// of places on the colour wheel. The random turns of the colour wheel from tile to tile are independent. Whether a path exists depends only on the
/// turns of the colour wheel from tile to tile and on the positions of the ends of the path. One tile after another is chosen as an end of the path
/// with a probability that makes all pairs of ends equally likely: the number of missing ends divided by the number of remaining tiles. A fair coin
/// decides which of the two ends of the path is the start.
#[derive(Clone, Debug)]
pub struct ChromaticElements {
    size: Size,
    colours: Vec<Element<Hue>>,
    ends: Vec<Element<bool>>,
    start_first: Element<bool>,
    origin: Element<(Hue, bool)>,
    tiles: Vec<Element<RelativeTile>>,
    rules: Model,
    clues: Vec<(Position, Element<bool>)>,
    model: Model,
}

impl ChromaticMaze {
    /// Creates the probabilistic program of the chromatic mazes.
    ///
    /// **Errors.** [`GridError::TooLarge`] if the grid is too large for automata.
    #[track_caller]
    pub fn elements(&self) -> Result<ChromaticElements, GridError> {
        let size = self.size().for_automata()?;
        let (mut ends, mut tiles) = (Vec::new(), Vec::new());
        let mut colours = vec![Uniform::new(Hue::WHEEL)];
        let start_first = Flip::new(0.5);
        let origin = tuple((&colours[0], &start_first));
        let mut left = Constant::new(2u8);
        for index in 0..size.cells() {
            let turn = if index == 0 {
                Constant::new(0)
            } else {
                let turn = Uniform::new(0..Hue::WHEEL.len() as u8);
                let turned = |(last, turn): (&Hue, &u8)| last.turned(*turn);
                colours.push((&colours[index - 1], &turn).map(turned));
                turn
            };
            let still = (size.cells() - index) as f64;
            let end = left.flat_map(move |&left| Flip::new(f64::from(left).min(still) / still));
            tiles.push(if index == 0 {
                (&left, &end, &origin).map(|(left, end, (colour, start_first))| RelativeTile {
                    turn: *colour as u8,
                    marks: marks(*left, *end),
                    start_first: *start_first,
                })
            } else {
                (&left, &end, &turn).map(|(left, end, turn)| RelativeTile {
                    turn: *turn,
                    marks: marks(*left, *end),
                    start_first: false,
                })
            });
            left = (&left, &end).map(|(left, end)| left.saturating_sub(u8::from(*end)));
            ends.push(end);
        }
        let mut elements = ChromaticElements {
            size,
            colours,
            ends,
            start_first,
            origin,
            tiles,
            rules: Model::new(),
            clues: Vec::new(),
            model: Model::new(),
        };
        elements.rules = match &self.steps {
            None => elements
                .constrained(ConnectedMarks::new(0b11))?
                .model()
                .clone(),
            Some(steps) => {
                let distances = Distances::new(size, 2, steps.clone())?;
                elements.constrained(distances)?.model().clone()
            }
        };
        let clues = self.clues.iter();
        elements.clues = clues
            .map(|(at, clue)| (at, elements.meets(at, clue)))
            .collect();
        let rules = elements.rules.clone();
        elements.model =
            (elements.clues.iter()).fold(rules, |model, (_, is_met)| model.observe(is_met, true));
        Ok(elements)
    }
}

/// Returns the bit set of marks of a tile: bit 0 is set for the first end of the path in scan order, bit 1 for the second end. The argument `left` is
/// the number of ends of the path that no tile before this one has.
fn marks(left: u8, is_end: bool) -> u8 {
    if is_end {
        1 << 2u8.saturating_sub(left)
    } else {
        0
    }
}

impl ChromaticElements {
    fn constrained<W: crate::grid::Walk>(
        &self,
        walk: W,
    ) -> Result<Constraint<<Chromatic<W> as Automaton<RelativeTile>>::State>, GridError> {
        Constraint::new(
            self.size,
            &self.tiles,
            Chromatic {
                columns: self.size.columns(),
                walk,
            },
        )
    }

    fn meets(&self, at: Position, clue: ChromaticClue) -> Element<bool> {
        let index = self.size.index(at);
        match (clue.hue(), clue.end()) {
            (Some(hue), _) => self.colours[index].map(move |&colour| colour == hue),
            (None, end) => {
                let wants_start = end == Some(Endpoint::Start);
                (&self.tiles[index], &self.start_first).map(move |(tile, &start_first)| {
                    tile.is_end() && tile.is_first_end() == (wants_start == start_first)
                })
            }
        }
    }

    /// Returns the size of the maze's grid.
    pub fn size(&self) -> Size {
        self.size
    }

    pub(super) fn rules(&self) -> &Model {
        &self.rules
    }

    pub(super) fn clues(&self) -> &[(Position, Element<bool>)] {
        &self.clues
    }

    /// Returns the elements for the colours of all tiles, in scan order (row by row). The elements [`Self::cells`] determine the colours of all
    /// tiles; with [`Self::cells`] as targets, exact inference needs a sixth of the states that it needs with the colours as targets.
    pub fn colours(&self) -> &[Element<Hue>] {
        &self.colours
    }

    /// Returns, for each tile in scan order, an element that is true if the tile is the start or the finish.
    pub fn ends(&self) -> &[Element<bool>] {
        &self.ends
    }

    /// Returns an element that is a pair: the colour of the first tile, and `true` if the start comes before the finish in scan order. The evidence
    /// that a path exists depends neither on the colour of the first tile nor on the order of start and finish.
    pub fn origin(&self) -> &Element<(Hue, bool)> {
        &self.origin
    }

    /// Returns the elements for the tiles in scan order; a tile stores its colour relative to the tile before, because the evidence reads only such
    /// relative tiles. All relative tiles together determine the maze: see [`Generator::board`](crate::board::Generator::board).
    pub fn cells(&self) -> &[Element<RelativeTile>] {
        &self.tiles
    }

    /// Returns the evidence that the maze has a solution of an allowed length and agrees with the clues.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Returns the positions of start and finish as one element; a position is an index in scan order.
    #[track_caller]
    pub fn start_and_finish(&self) -> Element<(usize, usize)> {
        let cells = self.size.cells();
        let ends: Vec<Element<(usize, bool)>> = (0..cells)
            .map(|index| self.ends[index].map(move |&end| (index, end)))
            .collect();
        let places = fold(
            &ends,
            (cells, cells),
            move |&(first, second), &(at, end)| match (end, first == cells) {
                (false, _) => (first, second),
                (true, true) => (at, second),
                (true, false) => (first, at),
            },
        );
        (&places, &self.start_first).map(|(places, start_first)| {
            let (first, second) = *places;
            if *start_first {
                (first, second)
            } else {
                (second, first)
            }
        })
    }

    /// Returns an element for the number of steps of the shortest path from start to finish, and the evidence that there is a path. The number of
    /// steps of the path is computed by a separate fold over the tiles, which has no bounds on the length. A query for the number of steps needs only
    /// the evidence that `steps` returns.
    ///
    /// **Errors.** [`GridError::TooLarge`] if the grid is too large for automata.
    #[track_caller]
    pub fn steps(&self) -> Result<(Element<Option<u32>>, Model), GridError> {
        let distances = Distances::new(self.size, 2, 0..=u32::MAX)?;
        let constraint = self.constrained(distances)?;
        let steps = constraint
            .last()
            .map(move |state| distances.length(&state.as_ref()?.walk));
        Ok((steps, constraint.model().clone()))
    }

    /// Returns the maze that belongs to a world (a drawn assignment of values) of a query with the targets [`Self::cells`].
    ///
    /// **Errors.** [`BoardError::Inference`] if the world belongs to another model, or does not determine the tiles.
    pub fn board(&self, world: &World) -> Result<Board<ChromaticTile>, BoardError> {
        let tiles = world.values(&self.tiles)?;
        Ok(absolute(self.size, &tiles)?)
    }
}
