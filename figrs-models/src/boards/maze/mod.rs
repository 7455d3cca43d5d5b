//! Perfect mazes: exactly one path joins each pair of rooms.
//!
//! **Definition.** The cells of a grid are rooms. Each room but the first (row 0, column 0) *points* to one of its neighbours, by independent choices
//! with given [`DirectionWeights`]; the evidence is that the pointers lead from every room to the first. Given the evidence, the pointers are the
//! passages of a spanning tree of the grid, and exactly one choice of pointers gives each spanning tree. If all directions have equal weights, all
//! trees are equally likely. With the weights 45 for right and left and 5 for up and down, the probability of a tree is proportional to nine to the
//! power of the number of its horizontal passages, and mazes look like snakes.
//!
//! Two options ([`Border`]) define the pointers of rooms at the border: the weights of the directions within the grid are renormalised, or a room can
//! point out of the grid, which contradicts the evidence. The option changes the probability of the evidence, but not the distribution of mazes given
//! the evidence.
//!
//! The clues of a maze are rooms with known pointers.
//!
//! [`PerfectMaze::elements`] returns the probabilistic program, for exact answers about moderate grids; [`PerfectMaze::sample`] draws mazes of any
//! size by Wilson's algorithm.
//!
//! # References
//!
//! Mazes by pointers are described in M. J. Nelson and A. M. Smith, "ASP with Applications to Mazes and Levels", in *Procedural Content Generation in
//! Games* (2016), chapter 8. The sampler is that of D. B. Wilson, "Generating random spanning trees more quickly than the cover time", STOC 1996.
//! Mazes are counted by the matrix-tree theorem of G. Kirchhoff (1847).

mod automaton;
mod board;
mod bounded_way;
mod clues;
mod generator;
mod matrix_tree;
mod passage_moves;
#[cfg(feature = "png")]
mod picture;
mod pointer;
mod settings;
mod tree_rule;
mod wilson;

pub use automaton::{Tree, TreeState};
pub use clues::{PointerClue, PointerClues};
pub use pointer::Pointer;
pub use settings::{Border, DirectionWeights, PerfectMaze};
