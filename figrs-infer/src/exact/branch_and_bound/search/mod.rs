//! Search: branching, depth first within best first.

mod best_first;
mod branching;
mod dead_ends;
mod elimination;

pub(super) use best_first::{BestFirst, SearchState};
