//! Traits of the examples: a puzzle, its program and its flags.

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

    /// Refuses options without effect.
    fn check(&self) -> Result<(), Failure> {
        Ok(())
    }

    /// True if the way is to be shown.
    fn shows_path(&self) -> bool {
        false
    }

    /// The puzzle asked for.
    fn puzzle(&self) -> Result<Self::Puzzle, Failure>;
}

/// A kind of board: an element program, and the display of boards.
pub(crate) trait Puzzle: Sized + Send + Sync + 'static {
    /// Name of the puzzle in JSON.
    const KIND: &'static str;
    /// Method for boards that do not fit the exact engine.
    const FALLBACK: Fallback;
    /// `true` if the other method is rejection from the relaxed puzzle.
    const REJECTS: bool = false;
    /// `true` if rejection draws boards of any size: the elements without the rules meet them often.
    const REJECTS_ALL: bool = false;
    /// Value of a cell in the program.
    type Cell: Value;
    type Board: Clone + Eq + Hash + Send + Sync + 'static;

    fn side(&self) -> Side;

    /// Refuses demands that can at once be seen to be met by no board of the size.
    fn check(&self) -> Result<(), GridError> {
        Ok(())
    }

    /// The demands beyond the rules, in words; empty if there are none.
    fn demands(&self) -> String;

    fn program(&self) -> Result<Program<Self::Cell>, Failure>;

    /// Prediction of the bytes that the exact engine needs, extrapolated from smaller sizes: mostly right within a factor of
    /// three.
    fn predicted_bytes(&self) -> f64;

    /// The board of these values of the program's cells.
    fn board(&self, cells: Vec<Self::Cell>) -> Result<Self::Board, GridError>;

    /// Name of a value of a cell in answers; values with one name count together.
    fn name(cell: &Self::Cell) -> &'static str;

    /// The names of the cells of a board.
    fn names(board: &Self::Board) -> Vec<&'static str>;

    /// Further values of each cell with their probabilities, where these are known of all cells.
    fn colours(&self) -> &'static [(&'static str, f64)] {
        &[]
    }

    /// Those further values of the cells of a board.
    fn colours_of(&self, _board: &Self::Board) -> Vec<&'static str> {
        Vec::new()
    }

    /// True if all boards are equally likely.
    fn is_uniform(&self) -> bool {
        true
    }

    /// The puzzle without the demands that cost the exact engine most, if it makes some; rejection meets them.
    fn relaxed(&self) -> Option<Self> {
        None
    }

    /// True if a board of the relaxed puzzle meets all demands.
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

    /// True if --task sample makes more than boards.
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

    /// The published variation scores, where there are any; shows the number of pairs compared as progress.
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

    /// Length of the way of a board.
    fn length_of(&self, _board: &Self::Board) -> Option<u32> {
        None
    }
}

/// Element of the length of the way, `None` without one, and the evidence that boards follow the rules.
pub(crate) type Length = (Element<Option<u32>>, Model);

/// The method beside the exact engine.
pub(crate) struct Fallback {
    pub(crate) name: &'static str,
    pub(crate) help: &'static str,
    /// `true` if its boards have exactly their probabilities and are quicker to draw.
    pub(crate) is_preferred: bool,
    /// `true` if it keeps to --memory.
    pub(crate) uses_memory: bool,
}

/// An element program with clues.
pub(crate) struct Program<C> {
    /// The rules, and demands other than clues.
    pub(crate) model: Model,
    pub(crate) cells: Vec<Element<C>>,
    /// Known cells.
    pub(crate) clues: Vec<(Position, C)>,
}

/// Report of drawing boards: time and diagnostics.
#[derive(Default)]
pub(crate) struct Drawn {
    /// Seconds before the first board.
    pub(crate) compile: f64,
    /// Diagnostics with their names.
    pub(crate) diagnostics: Vec<(&'static str, f64)>,
}
