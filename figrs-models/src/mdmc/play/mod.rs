//! Playability: a way by walking, jumping and falling from the left of a level to its right edge. [`Playability`] searches a
//! whole level and states the rules; [`Reach`] takes columns one by one, for use in a constraint.

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

/// Start of the player, as row and column.
const START: (usize, usize) = (2, 2);

#[cfg(test)]
mod tests;
