//! Searches for one plan through the states of a transition system, for use if there are too many states for exact
//! inference.

pub(crate) mod best_first;
mod both_ends;
mod dives;
mod nodes;
mod open_lists;
mod other_searches;
pub(crate) mod state_space;
mod weighted;
