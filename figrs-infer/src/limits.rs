//! The limits of an exact algorithm.

use figrs_core::expand::Budget;

use crate::eliminate::Options;

/// What the expansion of a model and its elimination may use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Limits {
    pub(crate) budget: Budget,
    pub(crate) options: Options,
    /// How many threads may share the work; all cores if it is not said.
    pub(crate) threads: Option<std::num::NonZero<usize>>,
}

impl Limits {
    pub(crate) fn threads(&self) -> usize {
        let cores = std::thread::available_parallelism();
        self.threads
            .or(cores.ok())
            .map_or(1, std::num::NonZero::get)
    }
}
