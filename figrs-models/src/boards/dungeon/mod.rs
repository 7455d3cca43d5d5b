//! Dungeons: boards with a gem, an altar and walls, and a path to the gem and the altar.
//!
//! **Definition.** Every cell of a grid is empty, a wall, a gem or an altar, by independent and uniform choices. The evidence of a dungeon is that
//! there is exactly one gem and one altar, and that a player can walk from the entrance (the first cell) to the gem, then to the altar, and then to
//! the exit (the last cell). A walk through a dungeon leads from cell to cell, sideways, up or down, over cells that are not walls. The player may
//! walk over the gem and the altar at any time, and gem and altar may lie in the entrance or in the exit. All dungeons that agree with the evidence
//! are equally likely. The evidence may also bound the number of walls, and the length of the walk: the sum of the shortest paths from entrance to
//! gem, from gem to altar, and from altar to exit, in steps. With [`Reachability::Free`] no walk is required, and the evidence is only that there are
//! one gem and one altar, as in the dungeons on which Haveneers compares algorithms.
//!
//! # References
//!
//! Dungeons are described by Nelson and Smith in "ASP with Applications to Mazes and Levels", in *Procedural Content Generation in Games* (2016),
//! chapter 8.

mod board;
mod generator;
#[cfg(feature = "png")]
mod picture;
mod settings;

pub use board::DungeonTile;
pub use settings::{Dungeon, Reachability};
