//! Traits of the examples that draw boards: a puzzle, its display, and its flags.

use std::fmt::Debug;
use std::hash::Hash;

use clap::Parser;
use figrs_command::Failure;
use figrs_core::{Element, Model};
use figrs_infer::Frontier;
use figrs_models::Mistake;
use figrs_models::board::{Generator, Method};
use figrs_models::grid::{GridError, Size};
use figrs_models::picture::{Image, PictureScale};
use figrs_models::variation::ScoreSummary;
use serde_json::Value as Json;

use super::options::Options;
use super::watch::Watch;

/// An example program with command-line flags of its own.
pub trait Example: Parser {
    /// The puzzle of the program.
    type Puzzle: Puzzle;

    /// Returns the flags that all programs share.
    fn shared(&self) -> &Options;

    /// Rejects options that have no effect.
    ///
    /// **Errors.** An option has no effect; the error names it.
    fn check(&self) -> Result<(), Failure> {
        Ok(())
    }

    /// True if pictures and texts of boards show the path of the player or of a maze.
    fn shows_path(&self) -> bool {
        false
    }

    /// Sets the known cells from a text instead of a file.
    fn give_clues(&mut self, text: String);

    /// Returns the puzzle that the flags describe.
    ///
    /// **Errors.** An option is wrong, or a file cannot be read.
    fn puzzle(&self) -> Result<Self::Puzzle, Failure>;
}

/// A kind of board: its generator, and the display of its boards.
pub trait Puzzle: Sized + Send + Sync + 'static {
    /// Name of the puzzle in JSON.
    const KIND: &'static str;
    /// The methods of the puzzle besides exact inference.
    const OTHERS: &'static [Other];
    /// The scale of pictures of boards.
    const SCALE: PictureScale;
    /// The generator of boards.
    type Generator: Generator<Board: Debug + Send + Sync + 'static>;
    /// The type of the boards that an answer shows.
    type Board: From<BoardOf<Self>> + Clone + Eq + Hash + Send + Sync + 'static;

    /// Returns the size of boards.
    fn size(&self) -> Size;

    /// Returns the generator of the boards that meet the demands.
    ///
    /// **Errors.** A quick check shows that no board of this size can meet the demands.
    fn generator(&self) -> Result<Self::Generator, GridError>;

    /// Returns the demands on boards, besides the rules of the puzzle, in words; the text is empty without demands.
    fn demands(&self) -> String;

    /// Returns the name of the value of a cell in answers; probabilities of values with the same name are added.
    fn name(cell: &CellOf<Self>) -> &'static str;

    /// Returns the names of the values of a board's cells.
    fn names(board: &Self::Board) -> Vec<&'static str>;

    /// Returns the colours of a cell with their probabilities, if these are known without inference and the same for all cells.
    fn colours(&self) -> &'static [(&'static str, f64)] {
        &[]
    }

    /// Returns the colours of each cell with their probabilities; empty for boards without colours.
    ///
    /// **Errors.** The inference that computes the probabilities fails.
    fn colour_marginals(
        &self,
        _frontier: &Frontier,
    ) -> Result<Vec<Vec<(&'static str, f64)>>, Failure> {
        Ok(vec![self.colours().to_vec(); self.size().cells()])
    }

    /// Returns the colour of each cell of a board; empty for boards without colours.
    fn colours_of(&self, _board: &Self::Board) -> Vec<&'static str> {
        Vec::new()
    }

    /// True if all boards are equally likely.
    fn is_uniform(&self) -> bool {
        true
    }

    /// True if --task sample turns the drawn boards into something else, such as puzzles.
    fn makes(&self) -> bool {
        false
    }

    /// Makes the result of --task sample, such as puzzles, from the drawn boards, and returns named numbers that describe the work.
    ///
    /// **Errors.** Nothing can be made from the boards.
    fn make(
        &self,
        _options: &Options,
        _watch: &Watch,
        _made: &dyn Fn(Self::Board),
    ) -> Result<Vec<(&'static str, f64)>, Failure> {
        Ok(Vec::new())
    }

    /// Returns a board as JSON.
    fn json(&self, board: &Self::Board) -> Json;

    /// Returns a board as text.
    fn text(&self, board: &Self::Board) -> String;

    /// Returns a picture of a board.
    ///
    /// **Errors.** The picture is too large.
    fn picture(&self, board: &Self::Board) -> Result<Image, Mistake>;

    /// Returns the published variation scores, if the puzzle has such scores; shows the number of compared pairs as progress.
    ///
    /// **Errors.** The boards cannot be compared.
    fn scores(
        &self,
        _boards: &[Self::Board],
        _watch: impl FnMut(u64),
    ) -> Result<Vec<ScoreSummary>, Mistake> {
        Ok(Vec::new())
    }

    /// Returns an element for the length of a board's path, if exact inference computes its distribution quickly.
    ///
    /// **Errors.** The grid is too large for counting the steps of paths.
    fn length(&self) -> Result<Option<Length>, GridError> {
        Ok(None)
    }

    /// Returns the length of a board's path.
    fn length_of(&self, _board: &Self::Board) -> Option<u32> {
        None
    }
}

/// The type of the boards that the generator of a puzzle draws.
pub(super) type BoardOf<P> = <<P as Puzzle>::Generator as Generator>::Board;
/// The type of the value of a cell in the probabilistic program of a puzzle.
pub(super) type CellOf<P> = <<P as Puzzle>::Generator as Generator>::Cell;

/// An element for the length of a board's path (`None` without a path), and the evidence that boards follow the rules.
pub type Length = (Element<Option<u32>>, Model);

/// A method that draws boards or answers tasks, other than exact inference.
#[derive(Clone, Copy, Debug)]
pub struct Other {
    /// The method.
    pub method: Method,
    /// The help text of the method.
    pub help: &'static str,
    /// The tasks that the method answers, and the case in which the method is used.
    pub role: Role,
    /// `true` if the method obeys the limit of --memory.
    pub uses_memory: bool,
}

/// The tasks that a method other than exact inference answers, and the case in which the method is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Draws boards with exactly their probabilities, more quickly than the exact method.
    Quicker,
    /// Draws boards if the states of the exact method do not fit into memory, or in alternation with the exact method.
    Fallback,
    /// Answers all tasks except sample, for boards of any size.
    Answers,
}

/// The method that uses Markov chains.
pub const CHAIN: Other = Other {
    method: Method::Chain,
    help: "Task sample, of any size: two to four Markov chains of boards, until they are not seen to differ",
    role: Role::Fallback,
    uses_memory: true,
};
