//! Many worlds at a time, element by element.

mod bernoulli;
mod block;
mod branch;
mod bytes;
mod chain;
mod classes;
mod column;
mod combinations;
mod draw;
mod evidence;
mod functions;
mod groups;
mod handover;
mod join;
mod known;
mod plain;
mod pool;
mod remembered;
mod run;
mod selection;
mod single;
mod singles;
mod store;
mod values;
mod weights;

pub use block::{Block, Held, Roots, TargetColumn};
pub use plain::{PlainWeights, WeightForm};
pub use pool::Pool;
pub use weights::BlockWeights;
