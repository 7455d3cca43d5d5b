//! Dungeons: boards with a gem, an altar and walls, and a path to the gem and the altar.
//!
//! **Definition.** Every cell of a grid is empty, a wall, a gem or an altar, by independent and uniform choices. The evidence is that there is
//! exactly one gem and one altar, and that a player can walk from the entrance (the first cell) to the gem, then to the altar, and then to the exit
//! (the last cell). A walk leads from cell to cell, sideways, up or down, over cells that are not walls. A player may walk over gem and altar at any
//! time, and both may be in the entrance or in the exit. All dungeons that meet the evidence are equally likely. The evidence may also bound the
//! number of walls, and the length of the walk: the sum of the shortest paths from entrance to gem, to altar, to exit, in steps. With
//! [`Reachability::Free`] no walk is demanded, and the evidence is only that there are one gem and one altar, as in the dungeons on which Haveneers
//! compares algorithms.
//!
//! # References
//!
//! Dungeons are described in M. J. Nelson and A. M. Smith, "ASP with Applications to Mazes and Levels", in *Procedural Content Generation in Games*
//! (2016), chapter 8.

mod board;
mod generator;
#[cfg(feature = "png")]
mod picture;
mod settings;

pub use board::DungeonTile;
pub use settings::{Dungeon, Reachability};
