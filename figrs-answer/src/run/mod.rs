//! Long runs: progress, deadlines, interrupts, threads, division of runs into parts, and panics in the users' code.

pub mod chain_run;
pub mod checksum;
pub(crate) mod item_sampler;
pub(crate) mod listener;
pub mod mergeable_sampler;
pub mod partial;
pub mod portable_part;
pub(crate) mod portable_targets;
pub mod replicate;
pub mod run_state;
pub mod running;
pub mod time_share;
pub mod unit_run;
pub mod watch;
pub mod work_queue;
