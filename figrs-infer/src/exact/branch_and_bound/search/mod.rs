//! Search: branching, depth first within best first.

mod best_first;
mod branching;
mod dead_ends;
mod elimination;
#[cfg(test)]
mod tests;

pub(super) use best_first::{BestFirst, SearchState};
