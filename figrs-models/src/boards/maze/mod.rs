//! Perfect mazes, in which exactly one path joins each pair of rooms.
//!
//! **Definition.** The cells of a maze's grid are rooms. Each room but the first (row 0, column 0) *points* to one of its neighbours, by independent
//! choices with given [`DirectionWeights`]; the evidence is that the pointers lead from every room to the first. Given that all pointers lead to the
//! first room, the pointers are the passages of a spanning tree of the grid, and exactly one choice of pointers gives each spanning tree. If all
//! directions of pointers have equal weights, all spanning trees of the maze are equally likely. With the weights 45 for right and left and 5 for up
//! and down, the probability of a tree is proportional to nine to the power of the number of its horizontal passages, and mazes look like snakes.
//!
//! Two options ([`Border`]) define the pointers of rooms at the border: the weights of the directions within the grid are renormalised, or a room can
//! point out of the grid, which contradicts the evidence. The option `Border` changes the probability of the evidence, but not the distribution of
//! mazes given the evidence.
//!
//! The clues of a maze are rooms with known pointers.
//!
//! [`PerfectMaze::elements`] returns the probabilistic program of mazes, for exact answers on grids of moderate size; [`PerfectMaze::sample`] draws
//! mazes of any size by Wilson's algorithm.
//!
//! # References
//!
//! Mazes defined by pointers are described by Nelson and Smith in "ASP with Applications to Mazes and Levels", in *Procedural Content Generation in
//! Games* (2016), chapter 8. The sampler of mazes is that of Wilson, "Generating random spanning trees more quickly than the cover time", STOC 1996.
//! The number of mazes is computed by the matrix-tree theorem of Kirchhoff (1847).

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
