//! Yin-Yang is a puzzle: colour every cell of a grid such that the cells of each colour are connected and no 2 by 2 square has a single colour.
//!
//! **Definition.** Every cell of a grid has one of two colours, with probability one half each, independently of the other cells. The evidence of
//! Yin-Yang is that both colours occur, that the cells of each colour are connected (side by side or one above the other), and that no 2 by 2 square
//! has a single colour. The number of black cells of a Yin-Yang board may have bounds. The clues of a Yin-Yang puzzle are observed colours of cells.
//! All boards that follow the rules and agree with the clues are equally likely.
//!
//! [`YinYang::elements`] returns the probabilistic program; [`YinYang::solve`], [`YinYang::conflict`] and [`YinYang::puzzle`] apply the exact
//! algorithm [`Frontier`](figrs_infer::Frontier) to this program.
//!
//! # References
//!
//! The rules of the puzzle are those of Demaine, Lynch, Rudoy and Uno, "Yin-Yang Puzzles are NP-complete", CCCG 2021.

mod colour;
mod curve_moves;
mod generator;
#[cfg(feature = "png")]
mod picture;
mod puzzle;
mod settings;
mod solve;

pub use colour::Colour;
pub use puzzle::YinYangPuzzles;
pub use settings::YinYang;
pub use solve::Solution;

/// The clues of a Yin-Yang puzzle: the known colours of some cells. In the text of Yin-Yang clues, `1` and `2` are clues (one digit for each colour),
/// and `.` stands for a cell without a clue.
pub type ColourClues = crate::grid::Clues<Colour>;
