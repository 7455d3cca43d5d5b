//! Traits of the examples: a puzzle, its display, and its flags.

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

/// A program with flags of its own.
pub trait Example: Parser {
    /// The puzzle that the program is about.
    type Puzzle: Puzzle;

    /// The flags that all programs share.
    fn shared(&self) -> &Options;

    /// Refuses options without effect.
    ///
    /// **Errors.** They name the option.
    fn check(&self) -> Result<(), Failure> {
        Ok(())
    }

    /// True if the path on each board is shown.
    fn shows_path(&self) -> bool {
        false
    }

    /// Sets the known cells from a text instead of a file.
    fn give_clues(&mut self, text: String);

    /// The puzzle that the flags describe.
    ///
    /// **Errors.** Those of options and files.
    fn puzzle(&self) -> Result<Self::Puzzle, Failure>;
}

/// A kind of board: its generator, and the display of boards.
pub trait Puzzle: Sized + Send + Sync + 'static {
    /// Name of the puzzle in JSON.
    const KIND: &'static str;
    /// Methods other than the exact one.
    const OTHERS: &'static [Other];
    /// The scale of its pictures.
    const SCALE: PictureScale;
    /// The generator of its boards.
    type Generator: Generator<Board: Debug + Send + Sync + 'static>;
    /// The type of boards as they are shown.
    type Board: From<BoardOf<Self>> + Clone + Eq + Hash + Send + Sync + 'static;

    /// The size of boards.
    fn size(&self) -> Size;

    /// The generator of the boards that meet the demands.
    ///
    /// **Errors.** If it is clear at once that no board of the size meets the demands.
    fn generator(&self) -> Result<Self::Generator, GridError>;

    /// The demands beyond the rules, in words; empty if there are none.
    fn demands(&self) -> String;

    /// Name of a value of a cell in answers; values with one name count together.
    fn name(cell: &CellOf<Self>) -> &'static str;

    /// The names of the cells of a board.
    fn names(board: &Self::Board) -> Vec<&'static str>;

    /// Further values of a cell, such as colours, with their probabilities, if these are known and the same for all cells.
    fn colours(&self) -> &'static [(&'static str, f64)] {
        &[]
    }

    /// The further values of each cell with their probabilities; empty if there are no such values.
    ///
    /// **Errors.** Those of inference, if they have to be computed.
    fn colour_marginals(
        &self,
        _frontier: &Frontier,
    ) -> Result<Vec<Vec<(&'static str, f64)>>, Failure> {
        Ok(vec![self.colours().to_vec(); self.size().cells()])
    }

    /// The further value of each cell of a board, such as its colour.
    fn colours_of(&self, _board: &Self::Board) -> Vec<&'static str> {
        Vec::new()
    }

    /// True if all boards are equally likely.
    fn is_uniform(&self) -> bool {
        true
    }

    /// True if --task sample makes something else from the drawn boards, such as puzzles.
    fn makes(&self) -> bool {
        false
    }

    /// Makes the result of --task sample, and returns diagnostics.
    ///
    /// **Errors.** If nothing can be made.
    fn make(
        &self,
        _options: &Options,
        _watch: &Watch,
        _made: &dyn Fn(Self::Board),
    ) -> Result<Vec<(&'static str, f64)>, Failure> {
        Ok(Vec::new())
    }

    /// A board in JSON.
    fn json(&self, board: &Self::Board) -> Json;

    /// A board as text.
    fn text(&self, board: &Self::Board) -> String;

    /// A board as a picture.
    ///
    /// **Errors.** If it is too large.
    fn picture(&self, board: &Self::Board) -> Result<Image, Mistake>;

    /// The published variation scores, if there are any; shows the number of pairs compared as progress.
    ///
    /// **Errors.** If boards cannot be compared.
    fn scores(
        &self,
        _boards: &[Self::Board],
        _watch: impl FnMut(u64),
    ) -> Result<Vec<ScoreSummary>, Mistake> {
        Ok(Vec::new())
    }

    /// An element for the length of the path of a board, if exact inference finds its distribution quickly.
    ///
    /// **Errors.** If lengths cannot be followed on boards of this size.
    fn length(&self) -> Result<Option<Length>, GridError> {
        Ok(None)
    }

    /// Length of the path of a board.
    fn length_of(&self, _board: &Self::Board) -> Option<u32> {
        None
    }
}

/// A board as its generator reads it.
pub(super) type BoardOf<P> = <<P as Puzzle>::Generator as Generator>::Board;
/// Value of a cell of the element program.
pub(super) type CellOf<P> = <<P as Puzzle>::Generator as Generator>::Cell;

/// An element for the length of the path (its value is `None` if there is no path), and the evidence that boards follow the rules.
pub type Length = (Element<Option<u32>>, Model);

/// A method other than the exact one.
#[derive(Clone, Copy, Debug)]
pub struct Other {
    /// The method.
    pub method: Method,
    /// Its help.
    pub help: &'static str,
    /// The tasks of the method, and the case in which it is used.
    pub role: Role,
    /// `true` if the method obeys the limit of --memory.
    pub uses_memory: bool,
}

/// Tasks of a method other than the exact one, and the case in which it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Draws boards with exactly their probabilities, more quickly than the exact method.
    Quicker,
    /// Draws boards if the states of the exact method do not fit into memory, or in alternation with it.
    Fallback,
    /// Answers all tasks but sample, for boards of any size.
    Answers,
}

/// The method that uses Markov chains.
pub const CHAIN: Other = Other {
    method: Method::Chain,
    help: "Task sample, of any size: two to four Markov chains of boards, until they are not seen to differ",
    role: Role::Fallback,
    uses_memory: true,
};
