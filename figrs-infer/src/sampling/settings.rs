//! Settings shared by the samplers: seed, threads, and limits of a world.

use std::num::NonZero;

use figrs_lower::WorldLimit;

use figrs_answer::limits::cores;
use figrs_answer::run::watch::RunMonitor;

/// Maximum number of shares into which the memory limit is divided. If there are more chains, only a few of them run at the same time.
const MOST_SHARES: usize = 16;

/// The seed and the limits of a sampler.
#[derive(Clone, Debug, Default)]
pub struct SamplerSettings {
    pub seed: u64,
    pub(crate) threads: Option<NonZero<usize>>,
    pub limit: WorldLimit,
}

impl SamplerSettings {
    /// Maximum number of threads of the sampler.
    pub fn threads(&self) -> usize {
        self.threads.map_or_else(cores, NonZero::get)
    }

    /// The settings of each chain of a run that holds `worlds` worlds in all. A world may take its share of the memory limit, and ends with
    /// the run.
    ///
    /// The share does not depend on the number of threads, so that whether a model fits into memory does not depend on it either.
    pub(crate) fn of_run(&self, run: &RunMonitor<'_>, worlds: usize) -> Self {
        let mut limit = self.limit.until(run.until());
        limit.bytes /= worlds.clamp(1, MOST_SHARES) as u64;
        Self {
            limit,
            ..self.clone()
        }
    }
}

/// Defines the setters of an algorithm that has a [`SamplerSettings`] in the given field.
macro_rules! drawing {
    ($($place:ident).+) => {
        /// Sets the seed of the random numbers.
        pub fn seed(mut self, seed: u64) -> Self {
            self.$($place).+.seed = seed;
            self
        }

        /// Sets the number of threads (default: all cores). The answer does not depend on it.
        pub fn threads(mut self, threads: std::num::NonZero<usize>) -> Self {
            self.$($place).+.threads = Some(threads);
            self
        }

        /// Limits the number of elements of a world (default four million); a larger world is an error.
        pub fn max_elements(mut self, elements: usize) -> Self {
            self.$($place).+.limit.elements = elements;
            self
        }

        /// Limits the memory of the worlds in bytes (default 2 GiB); exceeding it is an error. The memory is counted as in
        /// [`Limits::expansion_memory`](figrs_core::Limits::expansion_memory), for all worlds that exist at the same time and the elements made for them.
        pub fn max_bytes(mut self, bytes: u64) -> Self {
            self.$($place).+.limit.bytes = bytes;
            self
        }
    };
}
pub(crate) use drawing;

/// Defines the setter `keep_draws` of an algorithm whose chains always keep their draws.
macro_rules! keeping_anyway {
    () => {
        /// Keeps draws for [`Answer::draws`](figrs_answer::Answer::draws). The setter has no effect: chains always keep their draws,
        /// because their standard errors are computed from them.
        pub fn keep_draws(self) -> Self {
            self
        }
    };
}
pub(crate) use keeping_anyway;
