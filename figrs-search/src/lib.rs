//! Searches over factor graphs: sums over all assignments by decision circuits, and best assignments by branch and
//! bound.
//!
//! | module | content |
//! |---|---|
//! | [`circuit`] | exhaustive search with component caching, and its trace as a decision circuit |
//! | [`branch_and_bound`] | the assignment of the largest weight, with an upper bound of all weights |

#![warn(clippy::unwrap_used)]

pub mod branch_and_bound;
pub mod circuit;
