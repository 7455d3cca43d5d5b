//! Playability: the test whether a player can get through a level by a movement (the rules of a player's moves), which is given as data.
//! [`Playability`] searches a whole level; [`Reach`] reads the columns of a level one by one, so that playability can be evidence on a level.
//!
//! | file | contents |
//! |---|---|
//! | `movement`, `movement_file`, `movement_error` | movements, built in and from files |
//! | `arcs` | the published jump arcs |
//! | `cell_class` | the properties of a tile that matter to a movement |
//! | `rules`, `frame`, `moves`, `stages`, `arrivals` | a movement for a set of tiles and a direction of travel: starts and goals, moves as an automaton with steps of one column |
//! | `route` | a movement, and the areas that a player's path passes |
//! | `field`, `search`, `obstacle` | breadth-first search of a level, whose cells are known or each have one of several classes |
//! | `reach`, `exploration`, `targets` | the fold over columns |

mod arcs;
mod arrivals;
pub(super) mod cell_class;
mod exploration;
mod field;
mod frame;
mod movement;
mod movement_error;
mod movement_file;
mod moves;
mod obstacle;
mod reach;
mod returns;
mod route;
mod rules;
pub(super) mod search;
mod stages;
mod targets;

pub use arcs::JUMP_ARCS;
pub use movement::Movement;
pub use movement_error::MovementError;
pub use obstacle::Obstacle;
pub use reach::Reach;
pub use route::Route;
pub use rules::MovementRules;
pub use search::Playability;

#[cfg(test)]
mod tests;
