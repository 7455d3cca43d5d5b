//! Tiles: the symbols of levels, with meanings given as data.
//!
//! | file | contents |
//! |---|---|
//! | `tile` | a tile: a character and its meanings; classes of tiles: listed tiles, or all tiles except the listed ones |
//! | `meaning` | meanings of tiles that matter to a player's moves |
//! | `tile_set` | the tiles of a game |
//! | `legend` | tile sets from JSON and TOML |

pub(super) mod legend;
pub(super) mod meaning;
pub mod tile;
pub(super) mod tile_set;
