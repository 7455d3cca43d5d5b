//! Factor graphs: the input of the exact engines.
//!
//! Variables are indices with a cardinality, factors are non-negative functions of a few of them.
//! The product of all factors at a full assignment is the weight of that assignment.
//!
//! | file | what it holds |
//! |---|---|
//! | `graph`, `weights` | variables, factors, and the numbers of their tables |
//! | `assignment` | assignments in row-major order |
//! | `entries`, `log_table` | entries of factors of any layout; dense tables of their logarithms |
//! | `reduce` | factor graphs restricted to some of the values |

pub(crate) mod assignment;
pub(crate) mod entries;
mod graph;
pub(crate) mod log_table;
pub(crate) mod reduce;
pub(crate) mod weights;

pub use graph::{Factor, FactorGraph, FactorTable, VarId};
pub use weights::{WeightSlice, Weights, WorldWeight};
