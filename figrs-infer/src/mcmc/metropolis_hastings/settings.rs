//! Common settings of algorithms that make Metropolis-Hastings steps.

use figrs_core::{AnyElement, Model, Stream, stream};
use figrs_lower::internals::Trace;

use super::chain::first_world;
use super::image_moves::Images;
use super::kernel::Kernel;
use super::proposals::Proposals;
use super::starts;
use crate::sampling::settings::SamplerSettings;
use figrs_answer::error::Error;
use figrs_answer::run::time_share::TimeShare;

/// The seed, the limits and the proposals of chains.
#[derive(Clone, Debug)]
pub(crate) struct MetropolisSettings {
    pub(crate) drawing: SamplerSettings,
    pub(crate) max_tries: u64,
    pub(crate) proposals: Proposals,
}

/// Steps for each discrete choice of an over-dispersed first world, and for all of them together.
const OVERDISPERSION_STEPS: usize = 3;
const MAX_OVERDISPERSION_STEPS: usize = 10_000;

impl Default for MetropolisSettings {
    fn default() -> Self {
        Self {
            drawing: SamplerSettings::default(),
            max_tries: 10_000,
            proposals: Proposals::new(),
        }
    }
}

impl MetropolisSettings {
    /// A chain in its first world, which is the candidate `start` if there is one, and its random numbers.
    pub(crate) fn start(
        &self,
        model: &Model,
        targets: &[AnyElement],
        (chain, start): (u64, Option<u64>),
        turn: &TimeShare<'_>,
    ) -> Result<(Trace, Kernel, Stream), Error> {
        let mut random = stream(self.drawing.seed, chain);
        let Some(start) = start else {
            let (trace, kernel) = self.replica(model, targets, &mut random, turn)?;
            return Ok((trace, kernel, random));
        };
        let mut trace = Trace::new(model, targets, self.drawing.limit.clone())?;
        let mut first = starts::candidate(self.drawing.seed, start);
        first_world(&mut trace, &mut first, self.max_tries, turn)?;
        let mut kernel = self.kernel(model);
        // The discrete choices are fitted to the continuous ones; otherwise the first steps would fit the continuous choices to them, and
        // the chains would no longer be far apart.
        for step in 0..(OVERDISPERSION_STEPS * trace.choices()).min(MAX_OVERDISPERSION_STEPS) {
            if turn.stopped().is_some() || trace.choices() == 0 {
                break;
            }
            // Branches may appear and disappear meanwhile.
            let position = step % trace.choices();
            kernel.step_if_discrete(&mut trace, &mut random, position)?;
        }
        Ok((trace, kernel, random))
    }

    /// First world and kernel of a chain with these random numbers.
    pub(crate) fn replica(
        &self,
        model: &Model,
        targets: &[AnyElement],
        random: &mut Stream,
        turn: &TimeShare<'_>,
    ) -> Result<(Trace, Kernel), Error> {
        let mut trace = Trace::new(model, targets, self.drawing.limit.clone())?;
        first_world(&mut trace, random, self.max_tries, turn)?;
        Ok((trace, self.kernel(model)))
    }

    fn kernel(&self, model: &Model) -> Kernel {
        Kernel::new(self.proposals.clone()).with_images(Images::of(model))
    }
}

/// The setters of an algorithm with a field `settings`.
macro_rules! stepping {
    () => {
        crate::sampling::settings::drawing!(settings.drawing);

        /// Makes each chain look for its first world of positive weight among this many (default ten thousand).
        pub fn max_tries(mut self, worlds: u64) -> Self {
            self.settings.max_tries = worlds;
            self
        }

        /// Proposes values for `element` from the element that `function` returns for its present value, instead of the
        /// default proposal. The returned element must be atomic, such as `Uniform::new([x - 1, x + 1])`; the proposal need not be symmetric.
        #[track_caller]
        pub fn proposal<T: figrs_core::Value>(
            mut self,
            element: &figrs_core::Element<T>,
            function: impl Fn(&T) -> figrs_core::Element<T> + Send + Sync + 'static,
        ) -> Self {
            self.settings.proposals.set(element, function);
            self
        }

        /// Additionally proposes values for these elements together, each from its own proposal if it has one, else from its
        /// prior; the block is picked as often as one of the choices. The block does nothing in worlds where one of its elements is not a free choice.
        pub fn block(mut self, elements: impl figrs_core::Parents) -> Self {
            self.settings.proposals.add_block(elements);
            self
        }
    };
}
pub(crate) use stepping;
