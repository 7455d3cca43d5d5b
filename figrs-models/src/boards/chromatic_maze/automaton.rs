//! A constraint on a chromatic maze (a grid of coloured tiles): a path leads from its start to its finish.

use super::RelativeTile;
use crate::grid::{Automaton, Ground, OpenEdges, Position, Walk};

const WHEEL: u64 = 6;

/// A constraint on the paths of a chromatic maze, in which each step goes to a tile of equal or neighbouring colour on the colour wheel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chromatic<W> {
    pub(super) columns: usize,
    pub(super) walk: W,
}

/// State of the automaton [`Chromatic`]: the colours of the tiles that were read last in each column, three bits per column, and the state of the
/// constraint on paths. In the state, colours are relative to the colour of the latest tile, so that mazes that differ only by a turn of the colour
/// wheel have the same state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ChromaticState<S> {
    colours: u64,
    pub(super) walk: S,
}

impl<S: figrs_core::Value> figrs_core::Value for ChromaticState<S> {
    fn same(&self, other: &Self) -> bool {
        self.colours == other.colours && self.walk.same(&other.walk)
    }

    fn feed<H: std::hash::Hasher>(&self, hasher: &mut H) {
        self.colours.feed(hasher);
        self.walk.feed(hasher);
    }
}

impl<W: Walk> Automaton<RelativeTile> for Chromatic<W> {
    type State = ChromaticState<W::State>;

    fn start(&self) -> Self::State {
        ChromaticState {
            colours: 0,
            walk: self.walk.before(),
        }
    }

    fn step(&self, at: Position, state: &Self::State, tile: &RelativeTile) -> Option<Self::State> {
        let place = |column: usize| {
            let last = state.colours >> (3 * column) & 7;
            (last + WHEEL - u64::from(tile.turn)) % WHEEL
        };
        let near = |column: usize| {
            self.walk.is_open(&state.walk, column) && matches!(place(column), 0 | 1 | 5)
        };
        let ways = OpenEdges {
            up: near(at.column),
            left: at.column > 0 && near(at.column - 1),
        };
        let ground = match tile.marks {
            0 => Ground::Open,
            _ => Ground::Marked(tile.marks),
        };
        let walk = self.walk.walk(at.column, &state.walk, ground, ways)?;
        let mut colours = 0;
        if !self.walk.is_settled(&walk) {
            let is_read = |column: &usize| at.row > 0 || *column < at.column;
            for column in (0..self.columns).filter(is_read) {
                colours |= place(column) << (3 * column);
            }
            colours &= !(7 << (3 * at.column));
        }
        Some(ChromaticState { colours, walk })
    }

    fn accepts(&self, state: &Self::State) -> bool {
        self.walk.arrives(&state.walk)
    }
}
