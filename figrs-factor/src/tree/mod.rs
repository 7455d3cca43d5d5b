//! Contraction trees: every marginal, the most probable assignments and exact samples from one compiled elimination.
//!
//! | file | content |
//! |---|---|
//! | `tensor`, `leaf`, `contraction_tree` | the tree: tensors, and the steps that contract them |
//! | `tree_builder`, `bucket`, `thresholds` | the compilation of a plan to a tree |
//! | `multiply`, `sort_merge_join`, `join_all` | steps of two and of many tensors; matches of entries of tables with many zeros |
//! | `validation` | validation of a loaded tree |
//! | `loop_nest`, `kernel`, `sparse_contraction` | the inner loops |
//! | `beliefs`, `tree_beliefs` | messages and derivatives; in scaled numbers or logarithms |
//! | `marginals` | marginals of variables, by an elimination or a tree |
//! | `expected_counts` | expected counts of outcomes that parameters decide |
//! | `traceback`, `k_best`, `draw` | worlds from messages: the best worlds and random worlds |

mod beliefs;
mod bucket;
mod buffer_pool;
mod contraction_tree;
mod draw;
mod expected_counts;
mod join_all;
mod k_best;
mod kernel;
mod leaf;
mod loop_nest;
mod marginals;
mod multiply;
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

pub use crate::algebra::{MaxProductPrecision, SumProductPrecision};
pub use beliefs::Beliefs;
pub use buffer_pool::BufferPool;
pub use contraction_tree::ContractionTree;
pub use draw::{EnumerationQuery, SampleQuery};
pub use expected_counts::{CountingTree, EntryDerivative};
pub use k_best::KBestQuery;
pub use marginals::{Marginals, marginals};
pub use thresholds::Thresholds;
pub use tree_beliefs::TreeBeliefs;
