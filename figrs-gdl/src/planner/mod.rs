//! Searches through the states of a transition system: one plan where all of them together are too many.

mod aside;
pub(crate) mod best_first;
mod both_ends;
mod dives;
mod nodes;
mod open_lists;
pub(crate) mod search_result;
pub(crate) mod state_space;
mod weighted;
