//! Policies fitted on draws, for decisions that know continuous values.
//!
//! | file | contents |
//! |---|---|
//! | `sampled_policies` | the algorithm: backward induction, by runs of a sampler |
//! | `influence_checks` | errors of decisions that influence evidence or known elements |
//! | `weighted_draws` | the draws of a run that have positive weight |
//! | `known_space` | known values as classes (matched exactly) and points (compared by distance) |
//! | `neighbour_tree` | k-d trees |
//! | `fitted_policy` | the regression of utilities on known values, option by option |
//! | `utility_estimate` | means of utilities with standard errors |
//! | `sampled_plan`, `sampled_policy` | the policies that are found |

mod fitted_policy;
mod influence_checks;
mod known_space;
mod neighbour_tree;
pub(crate) mod sampled_plan;
pub(crate) mod sampled_policies;
pub(crate) mod sampled_policy;
pub(crate) mod utility_estimate;
mod weighted_draws;
