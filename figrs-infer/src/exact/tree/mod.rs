//! Contraction trees: every marginal, the most probable worlds and exact samples from one compiled elimination.
//!
//! | file | what it holds |
//! |---|---|
//! | `tensor`, `leaf`, `tree` | the tree: tensors in one layout, and the steps that contract them |
//! | `reduce` | exclusion of impossible values beforehand |
//! | `assemble`, `bucket` | from a plan to a tree |
//! | `multiply`, `pairs`, `join_all` | steps of two tensors and of many; matching entries of tables with many zeros |
//! | `sound`, `fnv` | validation of a loaded tree |
//! | `nest`, `kernel`, `listed` | the inner loops |
//! | `beliefs`, `numbers` | messages up and derivatives down; in scaled numbers or logarithms |
//! | `outline` | the steps by their variables, for pictures |
//! | `trace`, `k_best`, `draw` | from messages to worlds: the best ones and random ones |

mod assemble;
mod beliefs;
mod bucket;
pub(crate) mod compiled_tree;
mod contraction_tree;
mod draw;
pub(crate) mod elimination_tree;
mod fnv;
mod join_all;
mod k_best;
mod kernel;
mod leaf;
mod listed;
mod multiply;
mod nest;
mod numbers;
mod outline;
mod pairs;
mod part;
mod pool;
mod reduce;
pub(crate) mod saved_tree;
mod sound;
mod tensor;
#[cfg(test)]
mod tests;
mod trace;

pub(crate) use beliefs::Beliefs;
pub(crate) use contraction_tree::ContractionTree;
pub(crate) use draw::{EnumerationQuery, SampleQuery};
pub(crate) use k_best::KBestQuery;
pub(crate) use numbers::{MaxProductPrecision, SumProductPrecision, TreeBeliefs};
pub(crate) use reduce::{RemainingValues, RestrictedGraph};
