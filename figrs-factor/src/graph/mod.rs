//! Factor graphs, the input of all algorithms of this crate.
//!
//! A variable is an index with a cardinality, and a factor is a non-negative function of a few variables. The product of all
//! factors at a full assignment is the weight of that assignment.
//!
//! | file | content |
//! |---|---|
//! | `factor_graph`, `weights` | variables, factors of any storage format, and the numbers of their tables |
//! | `assignment` | assignments in row-major order |
//! | `log_table` | dense tables of logarithms |
//! | `reduce` | factor graphs restricted to some of the values |
//! | `disjoint_sets` | partitions of variables into connected components |

mod assignment;
mod disjoint_sets;
mod factor_graph;
mod log_table;
mod reduce;
mod weights;

pub use assignment::Assignments;
#[doc(hidden)]
pub use disjoint_sets::DisjointSets;
pub use factor_graph::{
    Factor, FactorGraph, FactorTable, TableForm, VarId, for_each_entry, has_zeros, is_wide,
    log_entry, log_stored, stored_entry,
};
pub use log_table::LogTable;
pub use reduce::{DecidedVariables, ReducedGraph, Restriction};
pub use weights::{WeightSlice, Weights, WeightsBuilder, WorldWeight, sums_to_one};
