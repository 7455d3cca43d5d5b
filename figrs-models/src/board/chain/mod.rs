//! Markov chains of boards of any size; the rules are evaluated on whole boards.

mod draws;
mod kernel;
mod ruled_cells;
mod tempered;
mod window_moves;

pub(super) use draws::{ChainLimits, MOST_CHAINS, draw, least_work};
pub use ruled_cells::RuledCells;
pub use window_moves::{BoardMoves, WindowMoves};

#[cfg(test)]
mod tests;
