//! Common settings of samplers: seed, threads, limits of a world.

use std::num::NonZero;

use figrs_lower::WorldLimit;

use figrs_answer::limits::cores;
use figrs_answer::run::watch::RunMonitor;

/// Largest number of shares of the memory: if there are more chains, only few run at once.
const MOST_SHARES: usize = 16;

/// The seed and the limits of a sampler.
#[derive(Clone, Debug, Default)]
pub struct SamplerSettings {
    pub seed: u64,
    pub(crate) threads: Option<NonZero<usize>>,
    pub limit: WorldLimit,
}

impl SamplerSettings {
    /// Maximum number of threads.
    pub fn threads(&self) -> usize {
        self.threads.map_or_else(cores, NonZero::get)
    }

    /// The settings of a run whose chains hold this number of worlds in all; each has its share of the memory and ends with the run.
    ///
    /// The share does not depend on the number of threads, so that a model fits on any number of them or on none.
    pub(crate) fn of_run(&self, run: &RunMonitor<'_>, worlds: usize) -> Self {
        let mut limit = self.limit.until(run.until());
        limit.bytes /= worlds.clamp(1, MOST_SHARES) as u64;
        Self {
            limit,
            ..self.clone()
        }
    }
}

/// The setters of an algorithm that has a [`SamplerSettings`] in this field.
macro_rules! drawing {
    ($($place:ident).+) => {
        /// Seeds the random numbers.
        pub fn seed(mut self, seed: u64) -> Self {
            self.$($place).+.seed = seed;
            self
        }

        /// Works on this many threads (default: all cores); the answer is the same.
        pub fn threads(mut self, threads: std::num::NonZero<usize>) -> Self {
            self.$($place).+.threads = Some(threads);
            self
        }

        /// Ends with an error at a world of more than this many elements (default four million).
        pub fn max_elements(mut self, elements: usize) -> Self {
            self.$($place).+.limit.elements = elements;
            self
        }

        /// Ends with an error if worlds take more than this many bytes of memory (default 2 GiB), counted as
        /// [`Budget::bytes`](figrs_core::expand::Budget::bytes): all worlds that are held at once, with the elements made for them.
        pub fn max_bytes(mut self, bytes: u64) -> Self {
            self.$($place).+.limit.bytes = bytes;
            self
        }
    };
}
pub(crate) use drawing;

/// The setter of an algorithm that keeps weighted draws on request.
macro_rules! keeping {
    () => {
        /// Keeps every draw that meets the evidence, with its weight, for [`Answer::draws`](figrs_answer::Answer::draws).
        pub fn keep_draws(mut self) -> Self {
            self.keep_draws = true;
            self
        }
    };
}
pub(crate) use keeping;

/// The setter `keep_draws` of an algorithm whose chains always keep their draws.
macro_rules! keeping_anyway {
    () => {
        /// Keeps draws for [`Answer::draws`](figrs_answer::Answer::draws), as for any sampler. Chains always keep them, because their errors
        /// come from them.
        pub fn keep_draws(self) -> Self {
            self
        }
    };
}
pub(crate) use keeping_anyway;
