//! Factor graphs and exact sums over them: the engine of figrs, which does not depend on elements.
//!
//! ```
//! use figrs_factor::algebra::SumProduct;
//! use figrs_factor::Limits;
//! use figrs_factor::eliminate::eliminate;
//! use figrs_factor::graph::{Factor, FactorGraph, FactorTable, Weights};
//!
//! // P(rain) = 0.2; P(wet | rain) = 0.9, and 0.1 without rain; it is wet.
//! let mut graph = FactorGraph::default();
//! let (rain, wet) = (graph.add_variable(2), graph.add_variable(2));
//! let table = |numbers: &[f64]| FactorTable::Dense(Weights::from_linear(numbers.to_vec()));
//! graph.factors = vec![
//!     Factor { variables: vec![rain], table: table(&[0.8, 0.2]), normalised: true },
//!     Factor { variables: vec![rain, wet], table: table(&[0.9, 0.1, 0.1, 0.9]), normalised: true },
//!     Factor { variables: vec![wet], table: table(&[0.0, 1.0]), normalised: false },
//! ];
//! let posterior = eliminate::<SumProduct>(&graph, &[rain], &Limits::default())?;
//! let (dry, rainy) = (posterior.values[0], posterior.values[1]);
//! assert!((rainy / (dry + rainy) - 0.18 / 0.26).abs() < 1e-12);
//! # Ok::<(), figrs_factor::eliminate::EliminationError>(())
//! ```
//!
//! | module | content |
//! |---|---|
//! | [`graph`] | variables, factors, tables and their restriction to some of the values |
//! | [`algebra`] | the semirings in which tables are multiplied and summed |
//! | [`order`] | search for elimination orders by the number of entries of their tables |
//! | [`eliminate`] | bucket elimination: plans, joins, marginal MAP, decisions |
//! | [`tree`] | contraction trees: messages, derivatives, draws and the k best worlds of one plan |
//! | [`consistency`] | values that the zeros of the factors exclude |
//! | [`mini_buckets`] | bounds by bucket elimination with split buckets |
//! | [`Limits`], [`MemoryAccount`] | limits of the memory, work, time and threads of a computation, and the account of its memory |
//! | [`wording`] | messages for programmers, for the users of a command, and for the users of a page |

#![warn(clippy::unwrap_used)]

// The generator of random graphs in the tests uses this name of the crate.
#[cfg(test)]
extern crate self as figrs_factor;
#[cfg(test)]
#[path = "../../tests/graphs/src/lib.rs"]
#[allow(
    dead_code,
    unreachable_pub,
    reason = "a crate of its own for other tests"
)]
mod random_graphs;

pub mod algebra;
pub mod bounds;
pub mod consistency;
pub mod eliminate;
pub mod fnv;
pub mod graph;
mod limits;
pub mod mini_buckets;
pub mod order;
pub mod tree;
pub mod wording;

pub use limits::{Limits, MemoryAccount, Stopped, Until, WorkBudget, cores};
