//! Exact algorithms, most of which work on factor graphs.
//!
//! | algorithm | file, folder or crate |
//! |---|---|
//! | `Enumerate` | `enumerate.rs` |
//! | `VariableElimination`, `LazyVariableElimination`, `MpeVariableElimination`, `MarginalMap` | one file for each, using `figrs-factor` |
//! | `JunctionTree`, `CompiledTree` | `junction_tree/` |
//! | `Circuit`, `CompiledCircuit` | `circuit/` |
//! | `Frontier`, `CompiledFrontier`, `FirstTrue` | `frontier/` |
//! | `Slices` | `slices/` |
//! | `MpeBranchAndBound` | `branch_and_bound.rs`, on `figrs-search` |
//! | models of real numbers, for `Exact`, `VariableElimination` and `JunctionTree` | `closed_form.rs`, on `figrs-reals` |
//! | `Exact`, `MpeExact`, which choose among the algorithms | `portfolio/` |
//! | `Strategy`, which tries algorithms on a model and on its sub-models | `strategy/` |
//!
//! The file `question.rs` shares one expansion of a model (the lists of possible values) among several algorithms that try to answer a question (a
//! model with targets). [`BeliefPropagation`] and [`MpeBeliefPropagation`] pass messages on the same factor graphs; these algorithms are exact if a
//! factor graph has no loops.

#![warn(clippy::unwrap_used)]

#[doc(hidden)]
pub mod belief_propagation;
mod bounded_sums;
#[doc(hidden)]
pub mod branch_and_bound;
#[doc(hidden)]
pub mod circuit;
mod closed_form;
#[doc(hidden)]
pub mod compiled;
#[doc(hidden)]
pub mod compiled_problem;
mod deepening_search;
#[doc(hidden)]
pub mod dependencies;
#[doc(hidden)]
pub mod enumerate;
#[doc(hidden)]
pub mod frontier;
#[doc(hidden)]
pub mod junction_tree;
mod lazy_run;
#[doc(hidden)]
pub mod lazy_variable_elimination;
#[doc(hidden)]
pub mod marginal_map;
#[doc(hidden)]
pub mod mpe;
#[doc(hidden)]
pub mod portfolio;
mod question;
#[doc(hidden)]
pub mod slices;
mod strategy;
#[doc(hidden)]
pub mod tally;
#[doc(hidden)]
pub mod variable_elimination;

pub use belief_propagation::{BeliefPropagation, MpeBeliefPropagation};
pub use branch_and_bound::MpeBranchAndBound;
pub use circuit::{Circuit, CompiledCircuit};
pub use compiled::Compiled;
pub use enumerate::Enumerate;
pub use frontier::{CompiledFrontier, FirstTrue, Frontier};
pub use junction_tree::JunctionTree;
pub use junction_tree::compiled_tree::CompiledTree;
pub use junction_tree::elimination_tree::{EliminationStep, EliminationTree};
pub use junction_tree::saved_tree::SavedTree;
pub use lazy_variable_elimination::LazyVariableElimination;
pub use marginal_map::MarginalMap;
pub use mpe::MpeVariableElimination;
pub use portfolio::{CompiledExact, CompiledForm, Exact, MpeExact};
pub use slices::slice_sums::SliceSums;
pub use slices::slice_total::SliceTotal;
pub use slices::{MpeSlices, SliceCost, Slices};
pub use strategy::Strategy;
pub use variable_elimination::VariableElimination;
