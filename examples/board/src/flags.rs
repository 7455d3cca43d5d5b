//! Names of the flags that all puzzles share, for use in messages.

use figrs_command::Flag;

pub(crate) const COUNT: Flag<'_> = Flag("count");
pub(crate) const MEMORY: Flag<'_> = Flag("memory");
pub(crate) const METHOD: Flag<'_> = Flag("method");
pub(crate) const SEED: Flag<'_> = Flag("seed");
pub(crate) const SHOW_PATH: Flag<'_> = Flag("show-path");
pub(crate) const SIZE: Flag<'_> = Flag("size");
pub(crate) const STATS: Flag<'_> = Flag("stats");
pub(crate) const TASK: Flag<'_> = Flag("task");
pub(crate) const TIME: Flag<'_> = Flag("time");
