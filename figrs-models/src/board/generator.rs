//! Generators of boards: a probabilistic program, and a function that converts the values of its cells to a board.

use figrs_core::{Stream, Value};
use figrs_infer::Frontier;

use super::{BoardElements, BoardError, BoardSequence, ConflictStage, OwnAnswers, RuledCells};
use crate::grid::Size;

/// A kind of board: its probabilistic program, with the demands (requirements on a board) as evidence, and a function that converts the values of its
/// cells to a board.
///
/// Three required methods define a puzzle that [`ConditionalSampler`](super::ConditionalSampler) can draw; the optional methods make drawing quicker.
pub trait Generator: Sized {
    /// The type of a cell's value in the probabilistic program.
    type Cell: Value;
    /// The type of boards.
    type Board;

    /// Returns the size of the grid.
    fn size(&self) -> Size;

    /// Returns the probabilistic program of the boards, in which all demands are evidence.
    ///
    /// **Errors.** [`GridError::TooLarge`](crate::grid::GridError::TooLarge) in [`BoardError::Grid`], or [`BoardError::NoElements`], if no
    /// probabilistic program can be built for boards of this size or with these demands; the sampler then tries methods without a program.
    fn elements(&self) -> Result<BoardElements<Self::Cell>, BoardError>;

    /// Converts the values of the cells, in scan order, to a board.
    ///
    /// **Errors.** An error if the values do not form a board because they belong to another program.
    fn board(&self, cells: Vec<Self::Cell>) -> Result<Self::Board, BoardError>;

    /// Returns the board as a sequence of parts of the board, for particle filters. By default, the whole probabilistic program is the only part.
    ///
    /// **Errors.** The errors of [`elements`](Self::elements).
    fn sequence(&self) -> Result<BoardSequence<'_, Self::Cell>, BoardError> {
        Ok(BoardSequence::whole(self.elements()?))
    }

    /// Returns the predicted size in bytes of the states that exact inference explores, extrapolated from smaller boards and accurate to within a
    /// factor of about three; `None` if there is no prediction. Without a prediction, exact inference is tried up to the memory limit.
    fn predicted_bytes(&self) -> Option<f64> {
        None
    }

    /// Returns the generator without the demands that make exact inference most expensive, if it has such demands and can test boards against them.
    fn relaxed(&self) -> Option<Self> {
        None
    }

    /// Returns the generator without demands, if the sum of the weights of its boards is not one. The probability of the demands is relative to this
    /// sum.
    fn without_demands(&self) -> Option<Self> {
        None
    }

    /// Searches for demands that exclude each other, and returns the error that names them; `None` if the generator has no such search at this stage,
    /// or finds none. The search may run `engine`, which limits the memory and can be interrupted. If the generator finds no contradiction, the
    /// sampler finds clues that exclude each other by leaving out one clue after another.
    fn conflict(
        &self,
        _stage: ConflictStage<'_, Self::Cell>,
        _engine: &Frontier,
    ) -> Option<BoardError> {
        None
    }

    /// True if a board meets all demands; the board comes from the relaxed generator or from the generator's own sampler.
    fn meets(&self, _board: &Self::Board) -> bool {
        true
    }

    /// True if independent cells often follow the rules, so that rejection can draw boards of any size.
    fn is_often_met(&self) -> bool {
        false
    }

    /// Returns independent cells and rules with the same distribution as the probabilistic program, for Markov chains of boards of any size; `None`
    /// if there are none.
    fn ruled_cells(&self) -> Option<RuledCells<Self::Cell>> {
        None
    }

    /// Returns the exact answers that the generator computes by its own formulas, if it has any.
    fn answers(&self) -> Option<Box<dyn OwnAnswers<Self::Cell, Self::Board> + '_>> {
        None
    }

    /// Returns the error that the generator's own sampler drew `tried` boards in a row that did not meet the demands.
    fn none_met(&self, tried: u64) -> BoardError {
        BoardError::NoneMet { tried }
    }

    /// Returns the generator's own sampler, if it has one.
    fn sampler(&self) -> Option<OwnSampler<'_, Self::Board>> {
        None
    }
}

/// A function that draws a board; it returns `None` if it rejects the board.
pub type OwnDraw<'g, B> = dyn Fn(&mut Stream) -> Result<Option<B>, BoardError> + 'g;

/// A generator's own sampler of independent boards, which needs no probabilistic program.
///
/// Boards that do not [meet](Generator::meets) the demands are rejected; the accepted boards have exactly their probabilities given the demands. If
/// `tries` boards in a row are rejected, the conditional sampler tries other methods (after fewer boards if Markov chains can draw the boards).
#[expect(missing_debug_implementations, reason = "it holds a function")]
pub struct OwnSampler<'g, B> {
    /// Name of the method.
    pub name: &'static str,
    /// Function that draws a board; `None` if it rejects the board at random, as soft demands do.
    pub draw: Box<OwnDraw<'g, B>>,
    /// Maximum number of boards in a row that may be rejected, at most a million; `None` if all boards meet the demands.
    pub tries: Option<u64>,
}
