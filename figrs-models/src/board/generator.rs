//! Generators of boards: an element program, and how its values are read.

use figrs_core::{Stream, Value};

use super::{BoardError, Elements, OwnAnswers, RuledCells};
use crate::grid::Size;

/// A kind of board: its element program, with the demands as evidence, and how the values of its cells are read.
///
/// Three methods make a puzzle that [`ConditionalSampler`](super::ConditionalSampler) draws; the others tell it of quicker ways.
pub trait Generator: Sized {
    /// Value of a cell in the element program.
    type Cell: Value;
    /// A board as it is read.
    type Board;

    /// The size of the grid.
    fn size(&self) -> Size;

    /// The element program, in which all demands are evidence.
    ///
    /// **Errors.** [`GridError::TooLargeForAutomata`](crate::grid::GridError::TooLargeForAutomata) and
    /// [`GridError::TooLargeForDistances`](crate::grid::GridError::TooLargeForDistances) in [`BoardError::Grid`], or
    /// [`BoardError::NoElements`], if there is no program for such boards; other methods are then tried.
    fn elements(&self) -> Result<Elements<Self::Cell>, BoardError>;

    /// The board of these values of the cells, in scan order.
    ///
    /// **Errors.** If values of another program are no board.
    fn board(&self, cells: Vec<Self::Cell>) -> Result<Self::Board, BoardError>;

    /// Prediction of the bytes of states that exact inference explores, if there is one: extrapolated from smaller sizes, and right
    /// within a factor of three or so. Without it exact inference is tried up to the limit of memory.
    fn predicted_bytes(&self) -> Option<f64> {
        None
    }

    /// The generator without the demands that cost exact inference most, if it has some that boards can be tried against.
    fn relaxed(&self) -> Option<Self> {
        None
    }

    /// True if a board of the relaxed generator, or of the sampler of its own, meets all demands.
    fn meets(&self, _board: &Self::Board) -> bool {
        true
    }

    /// True if independent cells often follow the rules, so that rejection draws boards of any size.
    fn is_often_met(&self) -> bool {
        false
    }

    /// Its cells and rules for Markov chains over boards of any size, in the law of the element program; made anew for each chain. `None` if it states none.
    fn ruled_cells(&self) -> Option<RuledCells<Self::Cell>> {
        None
    }

    /// The exact answers that it brings along, if there are some.
    fn answers(&self) -> Option<Box<dyn OwnAnswers<Self::Cell, Self::Board> + '_>> {
        None
    }

    /// The sampler that it brings along, if there is one.
    fn sampler(&self) -> Option<OwnSampler<'_, Self::Board>> {
        None
    }
}

/// A sampler of independent boards that a generator brings along, which needs no element program.
///
/// Boards have exactly their probabilities when those that do not [meet](Generator::meets) the demands are left out. Where none of a
/// million in a row meets them, other methods are tried; earlier, where Markov chains can draw them.
#[expect(missing_debug_implementations, reason = "it holds a function")]
pub struct OwnSampler<'g, B> {
    /// The name of the method.
    pub name: &'static str,
    /// Draws a board.
    pub draw: Box<dyn Fn(&mut Stream) -> B + 'g>,
    /// True if some boards may not meet the demands.
    pub rejects: bool,
}
