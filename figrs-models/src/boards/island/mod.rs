//! Islands: one piece of land in water.
//!
//! **Definition.** Every cell of a grid is land or water, by independent fair choices. The evidence is that the border is
//! water, that the cell at the centre is land, and that all land is connected, side by side or one above the other. So all islands
//! are equally likely; there may be lakes. The evidence may bound the amount of land, and the number of bays: a *bay* is a
//! cell of water with land on exactly three of its four sides, the head of an inlet.
//!
//! [`Island::elements`] is the element program, exact for moderate grids. A [`ConditionalSampler`](crate::board::ConditionalSampler) draws large
//! ones by Markov chains.
//!
//! # References
//!
//! I. Jensen, "Enumerations of lattice animals and trees", Journal of Statistical Physics 102 (2001), for connected sets of cells
//! counted by transfer matrices.

mod bays;
mod bays_rule;
mod board;
mod elements;
mod generator;
#[cfg(feature = "png")]
mod picture;
mod ruled;
mod settings;
mod shore_moves;
mod terrain;

pub use bays::{Bays, BaysState};
pub use settings::Island;
pub use terrain::Terrain;
