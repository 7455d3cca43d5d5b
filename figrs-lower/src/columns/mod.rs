//! Evaluation of many worlds at a time, one element after another; each element has a column of values.
//!
//! | files, lowest layer first | contents |
//! |---|---|
//! | `selection`, `classes`, `column`, `row_groups` | sets of rows, and values in them |
//! | `dictionary`, `combinations` | dictionary codes of values, indices of combinations of values |
//! | `bernoulli`, `draw` | outcomes of elements without parents, and random draws |
//! | `weights`, `plain_weights` | weights of rows |
//! | `branch`, `function_memo`, `instruction` | one element with its caches |
//! | `memory_pool`, `block_memory`, `code_buffers`, `lineage`, `block` | the state of a block, part by part and as a whole |
//! | `store`, `encoding`, `groups`, `memoised`, `branch_memo`, `target_column` | operations of a block: storage, encoding, partition, memoised calls |
//! | `row_evaluation`, `finished_rows`, `rare_branches` | rows evaluated one by one |
//! | `run`, `chain`, `join`, `evidence`, `continuation` | evaluation of the roots by a stack of tasks |

mod bernoulli;
mod block;
mod block_memory;
mod branch_memo;
mod chain;
mod classes;
mod column;
mod combinations;
mod continuation;
mod dictionary;
mod draw;
mod evidence;
mod finished_rows;
mod function_memo;
mod groups;
mod join;
mod memoised;
mod plain_weights;
mod rare_branches;
mod row_evaluation;
mod run;
mod selection;
mod store;
mod weights;

pub use block::Block;
pub use block_memory::Pool;
pub use column::{ColumnValues, TargetColumn};
pub use plain_weights::{PlainWeights, WeightForm};
pub use weights::BlockWeights;
