//! Contraction trees: every marginal, the most probable assignments and exact samples from one compiled elimination.
//!
//! | file | content |
//! |---|---|
//! | `tensor`, `leaf`, `contraction_tree` | the tree: tensors, and the steps that contract them |
//! | `tree_builder`, `bucket`, `thresholds` | the compilation of a plan to a tree |
//! | `multiply` | steps that multiply two tensors |
//! | `sort_merge_join` | matching entries of two tensors with many zeros |
//! | `join_all` | steps that join all tables of a bucket at once |
//! | `validation` | validation of a loaded tree |
//! | `loop_nest`, `kernel`, `sparse_contraction` | the inner loops of contractions |
//! | `beliefs` | the pass of messages to the root, and the pass of derivatives to the leaves |
//! | `tree_beliefs` | messages in scaled numbers, or in logarithms |
//! | `marginals` | marginals of variables, by an elimination or a tree |
//! | `expected_counts` | expected counts of outcomes whose probabilities are parameters |
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
