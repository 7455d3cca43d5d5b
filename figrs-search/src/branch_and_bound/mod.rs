//! Branch and bound for the assignment with the largest weight. The branch and bound search returns the best assignment that it finds, and an upper
//! bound of the weights of all assignments.
//!
//! | file | content |
//! |---|---|
//! | `fixed_point`, `outward` | costs as fixed-point integers, and logarithms that enclose them |
//! | `cost_table` | cost functions as tables |
//! | `preprocessing` | sums of functions and elimination of variables before the search |
//! | `reweighting` | a lower bound before the search: virtual arc consistency |
//! | `incumbent` | a first assignment by tabu search |
//! | `network/` | the network of cost functions during the search |
//! | `consistency/` | lower bounds by moves of costs: soft arc consistency |
//! | `search/` | hybrid best-first search |
//! | `decomposition/` | hybrid best-first search along a tree decomposition, with bounds for each assignment of a separator |
//! | `component`, `solve` | the searches of independent components, and their results |
//! | `neighbourhood` | better assignments near a given one |

mod component;
mod consistency;
mod cost_table;
mod decomposition;
mod fixed_point;
mod incumbent;
mod neighbourhood;
mod network;
mod outward;
mod preprocessing;
mod reweighting;
mod search;
mod solve;
#[cfg(test)]
mod tests;

pub use solve::{SearchObserver, SolveResult, solve};
