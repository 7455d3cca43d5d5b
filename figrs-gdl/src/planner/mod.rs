//! Searches for one plan through the states of a transition system, if there are too many plans for exact inference.

pub(crate) mod best_first;
mod both_ends;
mod dives;
mod nodes;
mod open_lists;
mod other_searches;
pub(crate) mod search_result;
pub(crate) mod state_space;
mod weighted;
