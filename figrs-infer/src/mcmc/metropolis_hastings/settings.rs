//! Settings shared by the algorithms that make Metropolis-Hastings steps (sampling and simulated annealing).

use figrs_core::{AnyElement, Model, Stream, stream};
use figrs_lower::internals::Trace;

use super::chain::first_world;
use super::image_moves::Images;
use super::kernel::Kernel;
use super::proposals::Proposals;
use super::starts;
use crate::sampling::settings::SamplerSettings;
use figrs_answer::{Error, TimeShare};

#[derive(Clone, Debug)]
pub(crate) struct MetropolisSettings {
    pub(crate) drawing: SamplerSettings,
    pub(crate) max_tries: u64,
    pub(crate) proposals: Proposals,
}

/// Number of steps for each random choice of a chain's first world; before sampling, these steps change only discrete choices, so that the first
/// worlds differ more. The total number of overdispersion steps (which make the first worlds of chains more different) is at most
/// `MAX_OVERDISPERSION_STEPS`.
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
    /// Starts a Markov chain: returns its first world, its kernel and its random numbers. The argument `start` is the index of the candidate world
    /// that becomes the first world; without an index, the first world is drawn from the prior.
    pub(crate) fn start(
        &self,
        model: &Model,
        targets: &[AnyElement],
        (chain, start): (u64, Option<u64>),
        turn: &TimeShare<'_>,
    ) -> Result<(Trace, Kernel, Stream), Error> {
        let mut moves = self.proposals.moves().iter();
        moves.try_for_each(|one| one.check(model))?;
        let mut random = stream(self.drawing.seed, chain);
        let Some(start) = start else {
            let (trace, kernel) = self.replica(model, targets, &mut random, turn)?;
            return Ok((trace, kernel, random));
        };
        let mut trace = Trace::new(model, targets, self.drawing.limits.clone())?;
        let mut first = starts::candidate(self.drawing.seed, start);
        first_world(&mut trace, &mut first, self.max_tries, turn)?;
        let mut kernel = self.kernel(model);
        // These steps fit the discrete choices to the continuous choices of the candidate. Without these steps, the first steps of the chain would
        // fit the continuous choices to the discrete choices, and the chains would no longer start far apart.
        for step in 0..(OVERDISPERSION_STEPS * trace.choices()).min(MAX_OVERDISPERSION_STEPS) {
            if turn.stopped().is_some() {
                // A chain that is continued later must have made all these steps; it therefore begins again.
                return Err(turn.run().nothing_done());
            }
            if trace.choices() == 0 {
                break;
            }
            // A step may change the number of choices, because it may change which branches of `Chain` elements exist.
            let position = step % trace.choices();
            let made = kernel.step_if_discrete(&mut trace, &mut random, position);
            made.map_err(|error| turn.run().error_of(error))?;
        }
        Ok((trace, kernel, random))
    }

    /// Draws the first world of a Markov chain from a stream of random numbers; returns the world with a kernel.
    pub(crate) fn replica(
        &self,
        model: &Model,
        targets: &[AnyElement],
        random: &mut Stream,
        turn: &TimeShare<'_>,
    ) -> Result<(Trace, Kernel), Error> {
        let mut trace = Trace::new(model, targets, self.drawing.limits.clone())?;
        first_world(&mut trace, random, self.max_tries, turn)?;
        Ok((trace, self.kernel(model)))
    }

    fn kernel(&self, model: &Model) -> Kernel {
        Kernel::new(self.proposals.clone()).with_images(Images::of(model))
    }
}

/// Defines the setters of an algorithm that has a field `settings`.
macro_rules! stepping {
    () => {
        setters!(sampler: settings.drawing);

        /// Limits the number of worlds that each chain draws until it finds a first world of positive weight (default ten thousand).
        pub fn max_tries(mut self, worlds: u64) -> Self {
            self.settings.max_tries = worlds;
            self
        }

        /// Proposes values for `element` by drawing from the element that `function` returns for its present value, instead of the default proposal.
        /// The element that `function` returns must have no parents, such as `Uniform::new([x - 1, x + 1])`; the proposal need not be symmetric.
        #[track_caller]
        pub fn proposal<T: figrs_core::Value>(
            mut self,
            element: &figrs_core::Element<T>,
            function: impl Fn(&T) -> figrs_core::Element<T> + Send + Sync + 'static,
        ) -> Self {
            self.settings.proposals.set(element, function);
            self
        }

        /// Adds a user's move, which may read other elements, combine draws in sequence, and choose among moves by weight. A step selects the user's
        /// move with the same probability as a single random choice.
        pub fn with_move(mut self, one: $crate::Move) -> Self {
            self.settings.proposals.add_move(one);
            self
        }

        /// Adds a block: proposals that change all `elements` together; each element gets a value from its custom proposal, or else from its prior. A
        /// step selects the block with the same probability as a single random choice. In a world in which an element of the block is not a free
        /// random choice, a step that selects the block changes nothing.
        pub fn block(mut self, elements: impl figrs_core::Parents) -> Self {
            self.settings.proposals.add_block(elements);
            self
        }
    };
}
pub(crate) use stepping;
