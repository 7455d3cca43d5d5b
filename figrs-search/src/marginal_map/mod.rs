//! Marginal MAP by search, for graphs that are too wide for an elimination with all sums first. The marginal MAP search returns its best assignment
//! of some variables, and an upper bound of the total weight of every assignment of these variables.
//!
//! | file | content |
//! |---|---|
//! | `components` | components of the graph without common variables |
//! | `conditional_sums` | the exact total weight of an assignment |
//! | `prefix_bounds` | upper bounds of all completions of a partial assignment, by mini-buckets |
//! | `incumbent` | the best assignment so far, local search from an assignment |
//! | `search` | the driver: root bounds, local search, best-first branch and bound |

mod components;
mod conditional_sums;
mod incumbent;
mod prefix_bounds;
mod search;
#[cfg(test)]
mod tests;

pub use search::{MarginalMapResult, MarginalMapSearch, marginal_map_search};
