//! Contraction trees: every marginal, the most probable worlds and exact samples from one compiled elimination.
//!
//! | file | what it holds |
//! |---|---|
//! | `tensor`, `leaf`, `tree` | the tree: tensors in one layout, and the steps that contract them |
//! | `tree_builder`, `bucket`, `thresholds` | from a plan to a tree |
//! | `multiply`, `sort_merge_join`, `join_all` | steps of two tensors and of many; matching entries of tables with many zeros |
//! | `validation`, `fnv` | validation of a loaded tree |
//! | `loop_nest`, `kernel`, `sparse_contraction` | the inner loops |
//! | `beliefs`, `tree_beliefs` | messages up and derivatives down; in scaled numbers or logarithms |
//! | `expected_counts` | expected counts of outcomes that parameters decide |
//! | `outline` | the steps by their variables, for pictures |
//! | `traceback`, `k_best`, `draw` | from messages to worlds: the best ones and random ones |

mod beliefs;
mod bucket;
mod buffer_pool;
mod compiled_encoding;
mod compiled_joint;
pub(crate) mod compiled_tree;
mod contraction_tree;
mod draw;
pub(crate) mod elimination_tree;
mod expected_counts;
pub(super) mod fnv;
mod join_all;
mod k_best;
mod kernel;
mod leaf;
mod loop_nest;
mod multiply;
mod outline;
pub(crate) mod saved_tree;
mod sort_merge_join;
mod sparse_contraction;
mod tensor;
#[cfg(test)]
mod tests;
mod thresholds;
mod traceback;
mod tree_beliefs;
mod tree_builder;
mod validation;

pub(crate) use beliefs::Beliefs;
pub(crate) use compiled_encoding::{CompiledEncoding, PreviousTree, set_log_weights};
pub(crate) use contraction_tree::ContractionTree;
pub(crate) use draw::{EnumerationQuery, SampleQuery};
pub(crate) use expected_counts::{CountingTree, EntryDerivative};
pub(crate) use k_best::KBestQuery;
pub(crate) use tree_beliefs::{MaxProductPrecision, SumProductPrecision, TreeBeliefs};
