//! What the user says to any algorithm that makes these steps.

use std::num::NonZero;

use figrs_core::lower::Trace;
use figrs_core::{AnyElement, Model, Stream, stream};

use super::chain::first_world;
use super::kernel::Kernel;
use super::proposals::Proposals;
use crate::error::Error;
use crate::limits::cores;
use crate::watch::Watching;

/// The seed, the limits and the proposals of chains.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) seed: u64,
    pub(crate) max_tries: u64,
    pub(crate) max_elements: usize,
    pub(crate) threads: Option<NonZero<usize>>,
    pub(crate) proposals: Proposals,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            seed: 0,
            max_tries: 10_000,
            max_elements: 4_000_000,
            threads: None,
            proposals: Proposals::new(),
        }
    }
}

impl Settings {
    /// How many threads there may be.
    pub(crate) fn threads(&self) -> usize {
        self.threads.map_or_else(cores, NonZero::get)
    }

    /// A chain in its first world, and its random numbers.
    pub(crate) fn start(
        &self,
        model: &Model,
        targets: &[AnyElement],
        chain: u64,
        run: &Watching<'_>,
    ) -> Result<(Trace, Kernel, Stream), Error> {
        let mut trace = Trace::new(model, targets, self.max_elements)?;
        let mut random = stream(self.seed, chain);
        first_world(&mut trace, &mut random, self.max_tries, run)?;
        Ok((trace, Kernel::new(self.proposals.clone()), random))
    }
}

/// The setters of an algorithm with a field `settings`.
macro_rules! stepping {
    () => {
        /// Takes the random numbers from this seed.
        pub fn seed(mut self, seed: u64) -> Self {
            self.settings.seed = seed;
            self
        }

        /// Lets each chain look for its first world of positive weight among this many (default ten thousand).
        pub fn max_tries(mut self, worlds: u64) -> Self {
            self.settings.max_tries = worlds;
            self
        }

        /// Ends with an error at a world of more than this many elements (default four million).
        pub fn max_elements(mut self, elements: usize) -> Self {
            self.settings.max_elements = elements;
            self
        }

        /// Works on this many threads (default: all cores); the answer is the same.
        pub fn threads(mut self, threads: std::num::NonZero<usize>) -> Self {
            self.settings.threads = Some(threads);
            self
        }

        /// Proposes values for `element` from the element that `function` gives for its present value, in the place of the
        /// default proposal. It must be atomic, such as `Uniform::new([x - 1, x + 1])`; it need not be symmetric.
        #[track_caller]
        pub fn proposal<T: figrs_core::Value>(
            mut self,
            element: &figrs_core::Element<T>,
            function: impl Fn(&T) -> figrs_core::Element<T> + Send + Sync + 'static,
        ) -> Self {
            self.settings.proposals.set(element, function);
            self
        }

        /// Proposes values for these elements together as well, each from its own proposal if it has one, else from its
        /// prior; the block is picked as often as one of the choices. It does nothing in worlds where one of them is not a free
        /// choice.
        pub fn block(mut self, elements: impl figrs_core::Parents) -> Self {
            self.settings.proposals.add_block(elements);
            self
        }
    };
}
pub(crate) use stepping;
