//! Whether a player can walk, jump and fall from the left of a level to its right edge.
//!
//! The rules are those of the path finder that the Video Game Level Corpus was published with:
//!
//! - A player takes one cell. Solid tiles ([`Tile::solid`](super::Tile::solid)) stop the player; enemies
//!   are ignored. In the bottom row the player is lost and moves no more.
//! - The player starts in column 2, row 2, counted from 0 at the top left, falling; what that cell
//!   holds is not tested. A smaller level is entered in its last column or row instead. The goal is the
//!   last column, at any height.
//! - Over a solid tile the player stands: walks one column to the left or right, or starts one of the
//!   five [`JUMP_ARCS`] or their mirror images. Each cell of an arc must be inside the level and free, and an arc
//!   can be left in each of them.
//! - Over a free tile the player falls: straight down, diagonally down, or two rows down and one
//!   column aside, where only the last cell is tested.
//! - Above the top row an arc goes on in the top row. (The published program tests the bottom row there,
//!   by a negative index.)
//!
//! [`Playability`] searches a whole level and gives the path; [`Reach`] takes columns one by one, for use
//! in a constraint.
//!
//! # References
//!
//! Summerville, Snodgrass, Mateas and Ontañón, "The VGLC: The Video Game Level Corpus", Proceedings of the
//! 7th Workshop on Procedural Content Generation, 2016; its file `pathfinding_SMB.json` holds the arcs.

mod arcs;
mod moves;
mod obstacle;
mod reach;
mod search;
mod stages;

pub use arcs::JUMP_ARCS;
pub use obstacle::Obstacle;
pub use reach::Reach;
pub use search::Playability;

/// Where the player starts.
const START: (usize, usize) = (2, 2);

#[cfg(test)]
mod tests;
