//! What an example states.

use std::hash::Hash;

use clap::Parser;
use figrs::models::grid::{GridError, Position};
use figrs::models::picture::{Picture, PictureError};
use figrs::models::variation::Score;
use figrs::prelude::*;
use serde_json::Value as Json;

use super::question::QUICK;
use super::rejection::{Kept, by_rejection, from_program};
use super::{Boards, Failure, Options, Side};

/// A program with flags of its own.
pub(crate) trait Example: Parser {
    type Puzzle: Puzzle;

    /// The flags that all share.
    fn shared(&self) -> &Options;

    /// Refuses options that would have no effect.
    fn check(&self) -> Result<(), Failure> {
        Ok(())
    }

    /// Whether the way is to be shown.
    fn shows_path(&self) -> bool {
        false
    }

    /// The puzzle asked for.
    fn puzzle(&self) -> Result<Self::Puzzle, Failure>;
}

/// A kind of board: an element program, and how boards are shown.
pub(crate) trait Puzzle: Sized + Send + Sync + 'static {
    /// What JSON calls it.
    const KIND: &'static str;
    /// How boards are drawn where the exact engine does not fit.
    const FALLBACK: Fallback;
    /// Whether the other method is rejection from the relaxed puzzle.
    const REJECTS: bool = false;
    /// Whether it draws boards of any size: the elements without the rules meet them often.
    const REJECTS_ALL: bool = false;
    /// What the program tells of a cell.
    type Cell: Value;
    type Board: Clone + Eq + Hash + Send + Sync + 'static;

    fn side(&self) -> Side;

    /// Refuses demands that no board of the size meets, as far as is known at once.
    fn check(&self) -> Result<(), GridError> {
        Ok(())
    }

    /// What is demanded beyond the rules, in words; empty if nothing.
    fn demands(&self) -> String;

    fn program(&self) -> Result<Program<Self::Cell>, Failure>;

    /// How many bytes the exact engine is predicted to need, from what it was seen to need at smaller sizes: mostly right within a
    /// factor of three.
    fn predicted_bytes(&self) -> f64;

    /// The board whose cells the program has told.
    fn board(&self, cells: Vec<Self::Cell>) -> Result<Self::Board, GridError>;

    /// What tasks call a value of a cell; values with one name count together.
    fn name(cell: &Self::Cell) -> &'static str;

    /// The names of the cells of a board.
    fn names(board: &Self::Board) -> Vec<&'static str>;

    /// Values that each cell has besides, and their probabilities, where these are known of all cells.
    fn colours(&self) -> &'static [(&'static str, f64)] {
        &[]
    }

    /// Which of them the cells of a board have.
    fn colours_of(&self, _board: &Self::Board) -> Vec<&'static str> {
        Vec::new()
    }

    /// Whether all boards are equally likely.
    fn is_uniform(&self) -> bool {
        true
    }

    /// The puzzle without the demands that cost the exact engine most, if it makes some; rejection meets them.
    fn relaxed(&self) -> Option<Self> {
        None
    }

    /// Whether a board of the relaxed puzzle meets all demands.
    fn meets(&self, _board: &Self::Board) -> bool {
        true
    }

    /// The first of some boards that meet all demands.
    fn kept<'b>(
        &self,
        mut all: impl Iterator<Item = Result<Self::Board, Failure>>,
        boards: &'b Boards<Self::Board>,
    ) -> Result<Kept<'b, Self::Board>, Failure> {
        Kept::in_boards(boards).complete(&mut all, |board| self.meets(board))
    }

    /// Whether --task sample makes what is more than boards.
    fn makes(&self) -> bool {
        false
    }

    /// Makes it.
    fn make(&self, _options: &Options, _boards: &Boards<Self::Board>) -> Result<Drawn, Failure> {
        Ok(Drawn::default())
    }

    /// Draws boards by the other method.
    fn fall_back(&self, options: &Options, boards: &Boards<Self::Board>) -> Result<Drawn, Failure> {
        let is_quick = |relaxed: Self| relaxed.predicted_bytes() <= QUICK as f64;
        if Self::REJECTS_ALL && !self.relaxed().is_some_and(is_quick) {
            return from_program(self, options, boards);
        }
        by_rejection(self, options, boards)
    }

    fn json(&self, board: &Self::Board) -> Json;

    fn text(&self, board: &Self::Board) -> String;

    fn picture(&self, board: &Self::Board) -> Result<Picture, PictureError>;

    /// The published variation scores, where there are any; tells how many pairs have been compared.
    fn scores(
        &self,
        _boards: &[Self::Board],
        _watch: impl FnMut(u64),
    ) -> Result<Vec<Score>, GridError> {
        Ok(Vec::new())
    }

    /// The exact distribution of the length of ways, where it is quickly found.
    fn length(&self) -> Result<Option<Length>, GridError> {
        Ok(None)
    }

    /// How long the way of a board is.
    fn length_of(&self, _board: &Self::Board) -> Option<u32> {
        None
    }
}

/// How long the way of a board is, `None` without one, and the evidence that boards follow the rules.
pub(crate) type Length = (Element<Option<u32>>, Model);

/// The method beside the exact engine.
pub(crate) struct Fallback {
    pub(crate) name: &'static str,
    pub(crate) help: &'static str,
    /// Whether its boards have exactly their probabilities and are quicker to draw.
    pub(crate) is_preferred: bool,
    /// Whether it keeps to --memory.
    pub(crate) uses_memory: bool,
}

/// An element program.
pub(crate) struct Program<C> {
    /// The rules, and demands other than clues.
    pub(crate) model: Model,
    pub(crate) cells: Vec<Element<C>>,
    /// What cells are known to be.
    pub(crate) clues: Vec<(Position, C)>,
}

/// How boards were drawn.
#[derive(Default)]
pub(crate) struct Drawn {
    /// Seconds before the first board.
    pub(crate) compile: f64,
    /// By their names.
    pub(crate) diagnostics: Vec<(&'static str, f64)>,
}
