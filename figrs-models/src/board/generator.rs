//! Generators of boards: an element program, and a function that turns values of its cells into a board.

use figrs_core::{Stream, Value};

use super::{BoardError, Elements, OwnAnswers, RuledCells};
use crate::grid::Size;

/// A kind of board: its element program, with the demands as evidence, and a function that turns the values of its cells into a board.
///
/// Three methods define a puzzle that [`ConditionalSampler`](super::ConditionalSampler) can draw; the others offer quicker ways.
pub trait Generator: Sized {
    /// Value of a cell in the element program.
    type Cell: Value;
    /// The board that the values of the cells stand for.
    type Board;

    /// The size of the grid.
    fn size(&self) -> Size;

    /// Returns the element program, in which all demands are evidence.
    ///
    /// **Errors.** [`GridError::TooLargeForAutomata`](crate::grid::GridError::TooLargeForAutomata) and
    /// [`GridError::TooLargeForDistances`](crate::grid::GridError::TooLargeForDistances) in [`BoardError::Grid`], or
    /// [`BoardError::NoElements`], if such boards have no program; other methods are then tried.
    fn elements(&self) -> Result<Elements<Self::Cell>, BoardError>;

    /// Returns the board of these values of the cells, in scan order.
    ///
    /// **Errors.** An error if the values are of another program and form no board.
    fn board(&self, cells: Vec<Self::Cell>) -> Result<Self::Board, BoardError>;

    /// Prediction of the bytes of states that exact inference explores, if there is one: extrapolated from smaller sizes, and right
    /// within a factor of about three. Without it exact inference is tried up to the limit of memory.
    fn predicted_bytes(&self) -> Option<f64> {
        None
    }

    /// The generator without the demands that cost exact inference most, if it has such demands and boards can be tested against them.
    fn relaxed(&self) -> Option<Self> {
        None
    }

    /// True if a board of the relaxed generator, or of the generator's sampler, meets all demands.
    fn meets(&self, _board: &Self::Board) -> bool {
        true
    }

    /// True if independent cells often follow the rules, so that rejection draws boards of any size.
    fn is_often_met(&self) -> bool {
        false
    }

    /// Cells and rules for Markov chains of boards of any size, in the law of the element program; made anew for each chain. `None` if there are none.
    fn ruled_cells(&self) -> Option<RuledCells<Self::Cell>> {
        None
    }

    /// The exact answers that the generator provides itself, if any.
    fn answers(&self) -> Option<Box<dyn OwnAnswers<Self::Cell, Self::Board> + '_>> {
        None
    }

    /// The generator's own sampler, if it has one.
    fn sampler(&self) -> Option<OwnSampler<'_, Self::Board>> {
        None
    }
}

/// A generator's own sampler of independent boards, which needs no element program.
///
/// Boards that do not [meet](Generator::meets) the demands are rejected; the others have exactly their probabilities. If a million boards
/// in a row are rejected, other methods are tried; earlier, if Markov chains can draw them.
#[expect(missing_debug_implementations, reason = "it holds a function")]
pub struct OwnSampler<'g, B> {
    /// The name of the method.
    pub name: &'static str,
    /// Draws a board.
    pub draw: Box<dyn Fn(&mut Stream) -> B + 'g>,
    /// True if boards may fail the demands.
    pub rejects: bool,
}
