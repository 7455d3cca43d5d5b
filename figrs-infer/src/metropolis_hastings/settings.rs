//! What the user says to any algorithm that makes these steps.

use figrs_core::lower::Trace;
use figrs_core::{AnyElement, Model, Stream, stream};

use super::chain::first_world;
use super::kernel::Kernel;
use super::proposals::Proposals;
use crate::drawing::Drawing;
use crate::error::Error;
use crate::watch::Watching;

/// The seed, the limits and the proposals of chains.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) drawing: Drawing,
    pub(crate) max_tries: u64,
    pub(crate) proposals: Proposals,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            drawing: Drawing::default(),
            max_tries: 10_000,
            proposals: Proposals::new(),
        }
    }
}

impl Settings {
    /// A chain in its first world, and its random numbers.
    pub(crate) fn start(
        &self,
        model: &Model,
        targets: &[AnyElement],
        chain: u64,
        run: &Watching<'_>,
    ) -> Result<(Trace, Kernel, Stream), Error> {
        let mut trace = Trace::new(model, targets, self.drawing.max_elements)?;
        let mut random = stream(self.drawing.seed, chain);
        first_world(&mut trace, &mut random, self.max_tries, run)?;
        Ok((trace, Kernel::new(self.proposals.clone()), random))
    }
}

/// The setters of an algorithm with a field `settings`.
macro_rules! stepping {
    () => {
        crate::drawing::drawing!(settings.drawing);

        /// Lets each chain look for its first world of positive weight among this many (default ten thousand).
        pub fn max_tries(mut self, worlds: u64) -> Self {
            self.settings.max_tries = worlds;
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
