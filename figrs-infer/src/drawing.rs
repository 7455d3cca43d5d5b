//! What any sampler of worlds is told.

use std::num::NonZero;

use crate::limits::cores;

/// The seed and the limits of a sampler.
#[derive(Clone, Debug)]
pub(crate) struct Drawing {
    pub(crate) seed: u64,
    pub(crate) threads: Option<NonZero<usize>>,
    pub(crate) max_elements: usize,
}

impl Default for Drawing {
    fn default() -> Self {
        Self {
            seed: 0,
            threads: None,
            max_elements: 4_000_000,
        }
    }
}

impl Drawing {
    /// How many threads there may be.
    pub(crate) fn threads(&self) -> usize {
        self.threads.map_or_else(cores, NonZero::get)
    }
}

/// The setters of an algorithm that has a [`Drawing`] at this place.
macro_rules! drawing {
    ($($place:ident).+) => {
        /// Takes the random numbers from this seed.
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
            self.$($place).+.max_elements = elements;
            self
        }
    };
}
pub(crate) use drawing;

/// The setter of an algorithm that keeps weighted draws if it is asked to.
macro_rules! keeping {
    () => {
        /// Keeps every draw that meets the evidence, with its weight, for [`Answer::draws`](crate::Answer::draws).
        pub fn keep_draws(mut self) -> Self {
            self.keep_draws = true;
            self
        }
    };
}
pub(crate) use keeping;

/// The same setter of an algorithm whose chains keep their draws in any case.
macro_rules! keeping_anyway {
    () => {
        /// Asks for [`Answer::draws`](crate::Answer::draws), as of any sampler. Chains have them without being asked: their errors
        /// come from them.
        pub fn keep_draws(self) -> Self {
            self
        }
    };
}
pub(crate) use keeping_anyway;
