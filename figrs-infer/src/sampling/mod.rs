//! Samplers of independent worlds, and the sums of weights that they accumulate.

pub(crate) mod block_sampling;
pub(crate) mod block_tally;
pub(crate) mod blocks;
pub(crate) mod forward;
pub mod importance;
mod joined_blocks;
pub(crate) mod prior_support;
pub(crate) mod rejection;
pub(crate) mod settings;
pub(crate) mod shared_memory;
pub(crate) mod tally;
pub(crate) mod unseen_worlds;
pub(crate) mod weight_bound;
pub(crate) mod weight_tail;
pub(crate) mod world_sums;
