//! Many worlds at a time, element by element.

mod bernoulli;
mod block;
mod block_memory;
mod branch;
mod chain;
mod classes;
mod column;
mod combinations;
mod continuation;
mod dictionary;
mod draw;
mod evidence;
mod function_memo;
mod groups;
mod join;
mod known_values;
mod memoised;
mod memory_pool;
mod plain_weights;
mod rare_branches;
mod row_evaluation;
mod run;
mod selection;
mod store;
mod target_column;
mod weights;

pub use block::Block;
pub use memory_pool::Pool;
pub use plain_weights::{PlainWeights, WeightForm};
pub use target_column::{Held, TargetColumn};
pub use weights::BlockWeights;
