//! Soft local consistencies: transfers of costs between cost functions, which raise the lower bound of the search.
//!
//! A transfer of costs adds to some cost functions the amount that it subtracts from other cost functions. Transfers of costs keep the total cost of
//! every assignment, and make no cost negative. A value of a variable is removed if its unary cost plus the lower bound reaches the upper bound.
//!
//! | file | content |
//! |---|---|
//! | `node` | unary costs, and assigned variables |
//! | `binary`, `ternary`, `nary` | moves of costs by functions of two, three and more variables |
//! | `existential` | values that all functions support |
//! | `propagate` | the fixpoint of all moves of costs |
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
