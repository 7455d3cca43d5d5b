//! Yin-Yang: colour every cell such that the cells of each colour are connected and no 2 by 2 square has a single colour.
//!
//! **Definition.** Every cell of a grid has one of two colours, with probability one half each, independently of the other cells. The evidence is
//! that both colours occur, that the cells of each colour are connected (side by side or one above the other), and that no 2 by 2 square has a single
//! colour. The number of black cells may have bounds. Clues are observed cells. All boards that meet the clues are equally likely.
//!
//! [`YinYang::elements`] returns the probabilistic program; [`YinYang::solve`], [`YinYang::conflict`] and [`YinYang::puzzle`] query it by a
//! [`Frontier`](figrs_infer::Frontier).
//!
//! # References
//!
//! The rules are those of E. D. Demaine, J. Lynch, M. Rudoy and Y. Uno, "Yin-Yang Puzzles are NP-complete", CCCG 2021.

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

/// The known colours of some cells. In the text of clues, `1` and `2` are clues, and `.` stands for a cell without a clue.
pub type ColourClues = crate::grid::Clues<Colour>;
