//! Exact algorithms, on variables and factors.
//!
//! | algorithm | where |
//! |---|---|
//! | `Enumerate` | `enumerate.rs` |
//! | `VariableElimination`, `LazyVariableElimination`, `MpeVariableElimination`, `MarginalMap` | a file each, on `eliminate/` |
//! | `JunctionTree`, `CompiledTree` | `junction_tree.rs`, on `tree/` |
//! | `Circuit`, `CompiledCircuit` | `circuit/` |
//! | `Frontier`, `CompiledFrontier`, `FirstTrue` | `frontier/` |
//! | `Slices` | `slices/` |
//! | `MpeBranchAndBound` | `branch_and_bound/` |
//! | `Exact`, `MpeExact`, which choose among these | `portfolio/` |
//!
//! `algebra/` has the semirings, `order/` the search for elimination orders, `eliminate/` bucket elimination along one,
//! `tree/` the same plan kept as a contraction tree, `mini_buckets/` bounds by small tables. `consistency.rs`, `conflict.rs` and `possibility.rs` find values and evidence that
//! zeros exclude.

pub(crate) mod branch_and_bound;
pub(crate) mod circuit;
pub(crate) mod compiled;
pub(crate) mod compiled_problem;
pub mod conflict;
pub mod dependencies;
pub(crate) mod enumerate;
pub(crate) mod frontier;
pub mod junction_tree;
pub(crate) mod lazy_variable_elimination;
pub(crate) mod marginal_map;
pub mod mpe;
pub(crate) mod portfolio;
mod possibility;
pub(crate) mod slices;
pub(crate) mod tally;
pub(crate) mod target_marginals;
pub mod variable_elimination;
