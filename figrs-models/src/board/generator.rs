//! Generators of boards: an element program, and how its values are read.

use figrs_core::{Stream, Value};

use super::{BoardError, Chains, Elements};
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

    /// The sampler that it brings along, if there is one.
    fn sampler(&self) -> Option<OwnSampler<'_, Self::Board>> {
        None
    }
}

/// A sampler that a generator brings along, which needs no element program.
#[expect(missing_debug_implementations, reason = "it holds functions")]
pub enum OwnSampler<'g, B> {
    /// Boards that have exactly their probabilities when those that do not [meet](Generator::meets) the demands are left out. Where none of a
    /// million in a row meets them, other methods are tried.
    Independent {
        /// The name of the method.
        name: &'static str,
        /// Draws a board.
        draw: Box<dyn Fn(&mut Stream) -> B + 'g>,
        /// True if some boards may not meet the demands.
        rejects: bool,
    },
    /// Boards of Markov chains, whose law tends to the exact one as they run on.
    Chains {
        /// The name of the method.
        name: &'static str,
        /// Draws boards.
        draw: Box<DrawChains<'g, B>>,
    },
}

/// Draws boards by Markov chains, as many as are wanted; fewer once [`Chains::swept`] is `false`.
///
/// **Errors.** Those of the generator, which the sampler of boards passes on.
pub type DrawChains<'g, B> = dyn Fn(&Chains<'_>) -> Result<ChainBoards<B>, BoardError> + 'g;

/// Boards of Markov chains, with diagnostics.
#[derive(Clone, Debug)]
pub struct ChainBoards<B> {
    /// The boards.
    pub boards: Vec<B>,
    /// Diagnostics of convergence with their names.
    pub diagnostics: Vec<(&'static str, f64)>,
}

impl<B> OwnSampler<'_, B> {
    /// The name of the method.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Independent { name, .. } | Self::Chains { name, .. } => name,
        }
    }
}
