//! The finish can be reached.

use super::Colour;
use crate::grid::{Automaton, Ground, Position, Walk, Ways};

/// One tile as the automaton reads it: its colour, and the mark of the first or the second end of the way.
pub(super) type Marked = (Colour, u8);

/// A constraint on where one can walk, where one can step between colours that are near.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chromatic<W> {
    pub(super) walk: W,
}

/// The colours of the frontier, three bits a column, and the state of the walk; no colours once it is settled.
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

impl<W: Walk> Automaton<Marked> for Chromatic<W> {
    type State = ChromaticState<W::State>;

    fn start(&self) -> Self::State {
        ChromaticState {
            colours: 0,
            walk: self.walk.before(),
        }
    }

    fn step(
        &self,
        at: Position,
        state: &Self::State,
        (colour, marks): &Marked,
    ) -> Option<Self::State> {
        let near = |column: usize| {
            let last = Colour::WHEEL[(state.colours >> (3 * column) & 7) as usize];
            self.walk.is_open(&state.walk, column) && colour.is_near(last)
        };
        let ways = Ways {
            up: near(at.column),
            left: at.column > 0 && near(at.column - 1),
        };
        let ground = match marks {
            0 => Ground::Open,
            _ => Ground::Marked(*marks),
        };
        let walk = self.walk.walk(at.column, &state.walk, ground, ways)?;
        let shift = 3 * at.column;
        let colours = state.colours & !(7 << shift) | (*colour as u64) << shift;
        Some(ChromaticState {
            colours: if self.walk.is_settled(&walk) {
                0
            } else {
                colours
            },
            walk,
        })
    }

    fn accepts(&self, state: &Self::State) -> bool {
        self.walk.arrives(&state.walk)
    }
}
