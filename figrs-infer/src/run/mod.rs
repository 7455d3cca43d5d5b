//! Long runs: progress, deadlines, interruption, threads, panics of users' code.

pub(crate) mod guard;
pub(crate) mod in_order;
pub(crate) mod turn;
pub(crate) mod watch;
