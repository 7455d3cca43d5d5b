//! Samplers of independent worlds, and the sums of weights that they accumulate.

pub(crate) mod block_sampling;
pub(crate) mod block_tally;
pub(crate) mod forward;
pub mod importance;
pub(crate) mod rejection;
pub(crate) mod settings;
pub(crate) mod unseen_worlds;
pub(crate) mod world_sums;
