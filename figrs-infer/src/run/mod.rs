//! Long runs: progress, deadlines, interruption, threads, panics of users' code.

pub(crate) mod guard;
pub(crate) mod item_sampler;
pub(crate) mod mergeable_sampler;
pub(crate) mod partial;
pub(crate) mod portable_part;
pub(crate) mod portable_targets;
pub(crate) mod replicate;
pub(crate) mod settings_text;
pub(crate) mod time_share;
pub(crate) mod watch;
pub(crate) mod work_queue;
