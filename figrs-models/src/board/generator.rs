//! Generators of boards: a probabilistic program, and a function that converts the values of its cells to a board.

use figrs_core::{Stream, Value};
use figrs_infer::Frontier;

use super::{BoardElements, BoardError, BoardSequence, ConflictStage, OwnAnswers, RuledCells};
use crate::grid::Size;

/// A kind of board: its probabilistic program, with the demands as evidence, and a function that converts the values of its cells to a board.
///
/// Three methods define a puzzle that [`ConditionalSampler`](super::ConditionalSampler) can draw; the other methods make drawing quicker.
pub trait Generator: Sized {
    /// The type of a cell's value in the probabilistic program.
    type Cell: Value;
    /// The type of boards.
    type Board;

    /// Returns the size of the grid.
    fn size(&self) -> Size;

    /// Returns the probabilistic program of the boards, in which all demands are evidence.
    ///
    /// **Errors.** [`GridError::TooLarge`](crate::grid::GridError::TooLarge) in [`BoardError::Grid`], or [`BoardError::NoElements`], if boards of this
    /// size or with these demands have no program; the sampler then tries other methods.
    fn elements(&self) -> Result<BoardElements<Self::Cell>, BoardError>;

    /// Converts the values of the cells, in scan order, to a board.
    ///
    /// **Errors.** An error if the values belong to another program and form no board.
    fn board(&self, cells: Vec<Self::Cell>) -> Result<Self::Board, BoardError>;

    /// Returns the board as a sequence of parts, for particles. By default, the whole probabilistic program is the only part.
    ///
    /// **Errors.** The errors of [`elements`](Self::elements).
    fn sequence(&self) -> Result<BoardSequence<'_, Self::Cell>, BoardError> {
        Ok(BoardSequence::whole(self.elements()?))
    }

    /// Returns the predicted size in bytes of the states that exact inference explores, extrapolated from smaller boards and right within a factor of
    /// about three; `None` if there is no prediction. Without a prediction, exact inference is tried up to the memory limit.
    fn predicted_bytes(&self) -> Option<f64> {
        None
    }

    /// Returns the generator without the demands that cost exact inference most, if it has such demands and can test boards against them.
    fn relaxed(&self) -> Option<Self> {
        None
    }

    /// Returns the generator without demands, if the weights of its program do not sum to one over all boards. Probabilities of demands are relative to
    /// the sum of the weights of the boards of this generator.
    fn without_demands(&self) -> Option<Self> {
        None
    }

    /// Returns the error that names demands that exclude each other, if the generator has a search of its own that finds such demands at this stage.
    /// Trials of this search use `engine`, within its memory and until it is interrupted. Without such a search, clues that exclude each other are found
    /// by leaving them out in turn.
    fn conflict(
        &self,
        _stage: ConflictStage<'_, Self::Cell>,
        _engine: &Frontier,
    ) -> Option<BoardError> {
        None
    }

    /// True if a board of the relaxed generator, or of the generator's own sampler, meets all demands.
    fn meets(&self, _board: &Self::Board) -> bool {
        true
    }

    /// True if independent cells often follow the rules. Rejection can then draw boards of any size.
    fn is_often_met(&self) -> bool {
        false
    }

    /// Returns cells and rules with the distribution of the probabilistic program, for Markov chains of boards of any size; `None` if there are none.
    /// `ruled_cells` is called once for each Markov chain.
    fn ruled_cells(&self) -> Option<RuledCells<Self::Cell>> {
        None
    }

    /// Returns the exact answers that the generator computes by its own formulas, if it has any.
    fn answers(&self) -> Option<Box<dyn OwnAnswers<Self::Cell, Self::Board> + '_>> {
        None
    }

    /// Returns the error for `tried` consecutive boards of the generator's own sampler that did not meet the demands.
    fn none_met(&self, tried: u64) -> BoardError {
        BoardError::NoneMet { tried }
    }

    /// Returns the generator's own sampler, if it has one.
    fn sampler(&self) -> Option<OwnSampler<'_, Self::Board>> {
        None
    }
}

/// A function that draws a board, or rejects it.
pub type OwnDraw<'g, B> = dyn Fn(&mut Stream) -> Result<Option<B>, BoardError> + 'g;

/// A generator's own sampler of independent boards, which needs no probabilistic program.
///
/// Boards that do not [meet](Generator::meets) the demands are rejected; the accepted boards have exactly their probabilities given the demands. If
/// `tries` boards in a row are rejected, other methods are tried (after fewer boards if Markov chains can draw them).
#[expect(missing_debug_implementations, reason = "it holds a function")]
pub struct OwnSampler<'g, B> {
    /// Name of the method.
    pub name: &'static str,
    /// Function that draws a board; `None` if it rejects the board at random, as soft demands do.
    pub draw: Box<OwnDraw<'g, B>>,
    /// Maximum number of boards in a row that may be rejected, at most a million; `None` if all boards meet the demands.
    pub tries: Option<u64>,
}
