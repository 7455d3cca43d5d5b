//! Tiles of levels: characters with meanings that are given as data.
//!
//! | file | contents |
//! |---|---|
//! | `tile` | tiles, which are characters with meanings, and classes of tiles (listed tiles, or all tiles except listed tiles) |
//! | `meaning` | meanings of tiles that matter to a player's moves |
//! | `tile_set` | the tiles of a game |
//! | `legend` | tile sets from JSON and TOML |

pub(super) mod legend;
pub(super) mod meaning;
pub mod tile;
pub(super) mod tile_set;
