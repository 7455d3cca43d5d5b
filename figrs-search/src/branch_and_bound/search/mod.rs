//! Hybrid search: a best-first search whose open nodes are explored by depth-first searches.

mod best_first;
mod branching;
mod dead_ends;
mod elimination;
mod open_nodes;
#[cfg(test)]
mod tests;

pub(super) use best_first::{BestFirst, SearchState};
pub(super) use open_nodes::OpenNodes;
