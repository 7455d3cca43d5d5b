//! Islands: boards on which water surrounds one connected piece of land.
//!
//! **Definition.** Every cell of a grid is land or water, with probability one half each, independently of the other cells. The evidence of an island
//! is that the border is water, that the cell at the centre is land, and that all land is connected through cells side by side or one above the
//! other. All islands are equally likely; an island may have lakes. The evidence may bound the amount of land, and the number of bays: a *bay* is a
//! cell of water with land on exactly three of its four sides, the head of an inlet.
//!
//! [`Island::elements`] returns the probabilistic program of islands, for exact inference on grids of moderate size. A
//! [`ConditionalSampler`](crate::board::ConditionalSampler) draws large islands by Markov chains.
//!
//! # References
//!
//! Connected sets of cells are counted by transfer matrices in Jensen, "Enumerations of lattice animals and trees", Journal of Statistical Physics
//! 102 (2001).

mod bays;
mod bays_rule;
mod board;
mod generator;
#[cfg(feature = "png")]
mod picture;
mod settings;
mod shore_moves;

pub use bays::{Bays, BaysState};
pub use board::Terrain;
pub use settings::Island;
