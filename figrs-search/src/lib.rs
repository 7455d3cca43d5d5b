//! Searches over the assignments of factor graphs: sums by decision circuits, and best assignments by branch and bound.
//!
//! | module | content |
//! |---|---|
//! | [`circuit`] | exhaustive search with component caching, and its trace as a decision circuit |
//! | [`branch_and_bound`] | the assignment of the largest weight, with an upper bound of all weights |
//! | [`marginal_map`] | the assignment of some variables whose completions have the largest total weight, with an upper bound |

#![warn(clippy::unwrap_used)]

pub mod branch_and_bound;
pub mod circuit;
pub mod marginal_map;
