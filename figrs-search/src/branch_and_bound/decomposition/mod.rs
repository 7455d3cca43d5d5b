//! Branch and bound along a tree decomposition, with cost bounds for each assignment of a separator.
//!
//! | file | content |
//! |---|---|
//! | `cluster_tree` | clusters of variables with small separators |
//! | `subproblem` | a cluster with its descendants as a network, with a record for each assignment of its separator |
//! | `tree_search` | hybrid best-first search in all clusters |

mod cluster_tree;
mod subproblem;
#[cfg(test)]
mod tests;
mod tree_search;

pub(super) use cluster_tree::WORTHWHILE;
pub(super) use tree_search::TreeSearch;
