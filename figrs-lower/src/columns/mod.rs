//! Evaluation of many worlds at a time, one element (random variable) after another; each element has a column with its value in each world.
//!
//! | files, lowest layer first | contents |
//! |---|---|
//! | `selection`, `classes`, `column`, `dictionary` | sets of rows, values in them, and dictionary codes of values |
//! | `draw` | outcomes of elements without parents, and random draws |
//! | `weights`, `plain_weights` | weights of rows |
//! | `block_memory`, `block` | the state of a block |
//! | `store`, `groups`, `memoised`, `branch_memo` | operations of a block: storage, partition by the values of parents, memoised calls |
//! | `row_world`, `branch_columns`, `rare_branches` | rows of rare branches: one by one, or those of one branch together |
//! | `run`, `chain`, `join`, `evidence` | evaluation of the roots by a stack of tasks |

mod block;
mod block_memory;
mod branch_columns;
mod branch_memo;
mod chain;
mod classes;
mod column;
mod dictionary;
mod draw;
mod evidence;
mod groups;
mod join;
mod memoised;
mod plain_weights;
mod rare_branches;
mod row_world;
mod run;
mod selection;
mod store;
mod weights;

pub use block::Block;
pub use block_memory::Pool;
pub use column::TargetColumn;
pub use plain_weights::{PlainWeights, PopulationWeights, WeightForm};
pub use weights::BlockWeights;
