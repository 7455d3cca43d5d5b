//! Soft local consistencies, which move costs between cost functions to raise the lower bound.
//!
//! A move adds to some cost functions the amount that it subtracts from other cost functions. Every assignment therefore keeps its total cost, and no
//! cost becomes negative. A value is removed if its unary cost plus the lower bound reaches the upper bound.
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
