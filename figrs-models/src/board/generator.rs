//! A generator of boards has a probabilistic program, and a function that converts the values of the program's cells to a board.

use figrs_core::{Stream, Value};
use figrs_infer::Frontier;

use super::{BoardElements, BoardError, BoardSequence, ConflictStage, OwnAnswers, RuledCells};
use crate::grid::Size;

/// A kind of board: a probabilistic program, in which demands (requirements on a board) are evidence, and a function that converts the values of its
/// cells to a board.
///
/// Three required methods define a puzzle that [`ConditionalSampler`](super::ConditionalSampler) can draw; the optional methods make drawing quicker.
pub trait Generator: Sized {
    /// The type of a cell's value in the probabilistic program.
    type Cell: Value;
    /// The type of boards.
    type Board;

    /// Returns the size of the board's grid.
    fn size(&self) -> Size;

    /// Returns the probabilistic program of the boards, in which all demands of the user are evidence.
    ///
    /// **Errors.** [`GridError::TooLarge`](crate::grid::GridError::TooLarge) in [`BoardError::Grid`], or [`BoardError::NoElements`], if no
    /// probabilistic program can be built for boards of the wanted size or with the wanted demands; the sampler then tries methods without a program.
    fn elements(&self) -> Result<BoardElements<Self::Cell>, BoardError>;

    /// Converts the values of the cells, in scan order (row by row), to a board.
    ///
    /// **Errors.** An error if the values do not form a board because they belong to another generator's program.
    fn board(&self, cells: Vec<Self::Cell>) -> Result<Self::Board, BoardError>;

    /// Returns the probabilistic program of the board as a sequence of parts of the board, for particle filters. By default, the probabilistic
    /// program of the whole board is the only part of the sequence.
    ///
    /// **Errors.** The errors of the method [`elements`](Self::elements).
    fn sequence(&self) -> Result<BoardSequence<'_, Self::Cell>, BoardError> {
        Ok(BoardSequence::whole(self.elements()?))
    }

    /// Returns the predicted size in bytes of the states that exact inference explores, extrapolated from smaller boards and accurate to a factor of
    /// about three; `None` if there is no prediction. Without a prediction of the size of its states, exact inference is tried up to the memory
    /// limit.
    fn predicted_bytes(&self) -> Option<f64> {
        None
    }

    /// Returns the generator without the demands that make exact inference most expensive, if it has demands of this kind and can test boards against
    /// them.
    fn relaxed(&self) -> Option<Self> {
        None
    }

    /// Returns the generator without its demands, if the sum of the weights of its boards is not one. The probability that a board meets the demands
    /// is computed relative to the sum of the weights of all boards without demands.
    fn without_demands(&self) -> Option<Self> {
        None
    }

    /// Searches for demands that exclude each other, and returns the error that names them; `None` if the generator has no such search for the stage,
    /// or the search finds none. The search for contradictory demands may run `engine`, which limits the memory and can be interrupted. If the
    /// generator finds no contradiction, the sampler finds clues that exclude each other by leaving out one clue after another.
    fn conflict(
        &self,
        _stage: ConflictStage<'_, Self::Cell>,
        _engine: &Frontier,
    ) -> Option<BoardError> {
        None
    }

    /// True if `board` meets all demands; it comes from the generator without its costliest demands, or from the generator's own sampler.
    fn meets(&self, _board: &Self::Board) -> bool {
        true
    }

    /// True if independent cells often follow the rules, so that rejection can draw boards of any size.
    fn is_often_met(&self) -> bool {
        false
    }

    /// Returns independent cells and rules with the same distribution as the probabilistic program, for Markov chains of boards of any size; `None`
    /// if the generator has none.
    fn ruled_cells(&self) -> Option<RuledCells<Self::Cell>> {
        None
    }

    /// Returns the exact answers about boards that the generator computes by its own formulas, if it has any.
    fn answers(&self) -> Option<Box<dyn OwnAnswers<Self::Cell, Self::Board> + '_>> {
        None
    }

    /// Returns the error that the generator's own sampler drew `tried` boards in a row that did not meet the demands of the user.
    fn none_met(&self, tried: u64) -> BoardError {
        BoardError::NoneMet { tried }
    }

    /// Returns the generator's own sampler of boards, if it has one.
    fn sampler(&self) -> Option<OwnSampler<'_, Self::Board>> {
        None
    }
}

/// A function that draws a random board; it returns `None` if the board is rejected.
pub type OwnDraw<'g, B> = dyn Fn(&mut Stream) -> Result<Option<B>, BoardError> + 'g;

/// A board generator's own sampler of independent boards, which needs no probabilistic program.
///
/// Boards that do not [meet](Generator::meets) the user's demands are rejected; the accepted boards have exactly their probabilities given the
/// demands. If `tries` boards in a row are rejected, other methods of drawing boards are tried (after fewer rejected boards if Markov chains can draw
/// the boards).
#[expect(missing_debug_implementations, reason = "it holds a function")]
pub struct OwnSampler<'g, B> {
    /// Name of the method.
    pub name: &'static str,
    /// Function that draws a board; its result is `None` if the board is rejected at random, to respect demands that only lower a board's
    /// probability.
    pub draw: Box<OwnDraw<'g, B>>,
    /// Maximum number of boards in a row that may be rejected, at most a million; `None` if all drawn boards meet the demands.
    pub tries: Option<u64>,
}
