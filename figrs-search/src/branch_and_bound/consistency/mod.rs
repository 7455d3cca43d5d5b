//! Soft local consistencies: costs are moved between cost functions so that the lower bound rises.
//!
//! Every move subtracts from some cost functions what it adds to others, so that no assignment changes its cost, and no cost becomes
//! negative. A value is removed when its unary cost and the lower bound reach the upper bound.
//!
//! | file | what it holds |
//! |---|---|
//! | `node` | unary costs, and assigned variables |
//! | `binary`, `ternary`, `nary` | moves of costs by functions of two, three and more variables |
//! | `existential` | values that all functions support |
//! | `propagate` | the fixpoint of all of them |
//! | `reweigh` | tree-reweighted sweeps through all variables at a node |

mod binary;
mod existential;
mod nary;
mod node;
mod propagate;
#[cfg(test)]
pub(super) mod random_tables;
mod reweigh;
mod ternary;
#[cfg(test)]
mod tests;
