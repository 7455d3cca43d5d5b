//! Chromatic mazes: the player walks from the start to the finish over tiles of similar colours.
//!
//! **Definition.** Every tile of a grid has one of six colours on a wheel, chosen independently and uniformly; start and finish are two different
//! tiles, and all ordered pairs of tiles are equally likely. A player can step from a tile to the tile beside, above or below it if the colours of
//! the two tiles are equal or neighbours on the wheel. The evidence is that a player can reach the finish from the start; the number of steps of the
//! shortest path may have bounds.
//!
//! Clues of a chromatic maze are tiles with a known colour, or tiles that are known to be the start or the finish.
//!
//! # References
//!
//! Chromatic mazes are described by Smith and Mateas in "Answer Set Programming for Procedural Content Generation: A Design Space Approach", IEEE
//! Transactions on Computational Intelligence and AI in Games 3(3), 2011.

mod automaton;
mod board;
mod coloured_way_rule;
mod elements;
mod generator;
#[cfg(feature = "png")]
mod picture;
mod ruled;
mod settings;
mod tile_moves;

pub use board::{ChromaticClue, ChromaticClues, ChromaticTile, Endpoint, Hue, RelativeTile};
pub use elements::ChromaticElements;
pub use settings::ChromaticMaze;
